/** The words of the pages that find the organization of a sign-in. */
export const accountSignIn = {
  accountSignIn: {
    heading: 'Choose an organization',
    sentence: (application: string) => `You can use ${application} with these.`,
    used: (when: string) => `Used ${when}`,
    isNew: 'New to you',
    enter: 'Continue',
    beyond: 'Not among them? Enter its short name, as your organization has given it to you.',
    shortName: 'Short name of the organization',
    noneHeading: 'No organization has this address',
    none: (application: string) => `Nobody can use ${application} with this address.`,
    noneAdvice: 'Use another address, or ask the people who have invited you which one they have.',
    forget: 'Forget this address in this browser',
    elsewhere: 'Another organization',
    otherAddress: 'Use another address',
    /** Also of one that there is not. */
    notOffered: 'You cannot use this organization. Choose one that is listed.',
    /** Where the sign-in of an application's own pages goes on. */
    continueSignIn: {
      heading: (organization: string) => `Continue at ${organization}`,
      sentence: (application: string) => `To sign in to ${application}, your organization asks for more.`,
      button: 'Continue',
      unexpected:
        'If this is not your address, or you did not ask to sign in, close this page: nothing happens.',
    },
  },
}

export type AccountSignInTexts = typeof accountSignIn
