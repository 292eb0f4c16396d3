/** The words of the pages that find the organization of a sign-in. */
export const accountSignIn = {
  accountSignIn: {
    heading: 'Choose an organization',
    sentence: (application: string) => `You can use ${application} with these organizations.`,
    used: (when: string) => `Used ${when}`,
    isNew: 'Not used yet',
    mayAsk: 'You can ask to join',
    enter: 'Continue',
    beyond: 'Not listed? Enter the short name that your organization gave you.',
    shortName: 'Short name of the organization',
    noneHeading: 'No organization found',
    none: (application: string) => `There is no organization with ${application} for this e-mail address.`,
    noneAdvice: 'Use another address, or ask the people who invited you which address they used.',
    forget: 'Forget this address on this device',
    elsewhere: 'Another organization',
    otherAddress: 'Use another address',
    /** Also of one that there is not. */
    notOffered: 'You cannot use this organization. Choose one from the list.',
    noSeat:
      'This organization has as many members as it can have at the moment. Ask its administrator, and then try again.',
    /** Where the sign-in of an application's own pages goes on. */
    continueSignIn: {
      heading: (organization: string) => `Continue at ${organization}`,
      sentence: (application: string) =>
        `Your organization requires another step before you can sign in to ${application}.`,
      button: 'Continue',
      unexpected:
        'If this is not your address, or you did not try to sign in, close this page. Nothing will happen.',
    },
  },
}

export type AccountSignInTexts = typeof accountSignIn
