/** Invitations of users to an organization. */
export const invitation = {
  invitationPage: {
    heading: (address: string, organization: string) => `${organization} has invited ${address}`,
    /** Of an invitation to the console of an account. */
    staffHeading: (address: string, account: string) => `${address} is invited to the console of ${account}`,
    button: 'Accept the invitation',
    unexpected: 'If you do not know why you were invited, close this page. Nothing will happen.',
    otherSession: {
      heading: (organization: string) => `You are already signed in to ${organization}`,
      staffHeading: (account: string) => `You are already signed in to the console of ${account}`,
      sentence: (address: string) => `The invitation is for ${address}. Sign out to go on with that address.`,
      button: 'Sign out and continue',
      advice: 'If both addresses are yours and you want to use only this one, close this page.',
    },
    otherAddress: {
      heading: 'This is a different e-mail address',
      sentence: (asserted: string, invited: string) =>
        `You are signed in there as ${asserted}, but the invitation is for ${invited}.`,
      advice:
        'Sign in there with the invited address and open the invitation again, or ask for an invitation to the address you use.',
    },
  },
  deadInvitation: {
    heading: 'This invitation no longer works',
    sentence: 'It was already used or withdrawn, it has expired, or a newer one was sent to you.',
    advice:
      'If you have already accepted it, sign in from the application. Otherwise ask for a new invitation.',
  },
  acceptedInvitation: {
    heading: 'You have already accepted this invitation',
    sentence: 'You are signed in, and you no longer need the invitation.',
    advice: 'Go to the application to continue.',
  },
}
