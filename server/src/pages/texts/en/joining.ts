/** Joining an organization by the domain of the address. */
export const joining = {
  join: {
    heading: (organization: string) => `Join ${organization}`,
    sentence: (organization: string) =>
      `You have confirmed your e-mail address, but it has no account at ${organization} yet. Ask to join, and somebody there will decide.`,
    button: 'Ask to join',
    askedHeading: 'Your request was sent',
    asked: (organization: string) => `${organization} will send you an e-mail as soon as it is decided.`,
    askedAdvice: 'You can close this page.',
    faults: { too_many: (wait: string) => `You have asked too often. Try again ${wait}.` },
  },
  joinClosed: {
    heading: 'You cannot ask to join now',
    sentence: 'The organization no longer accepts requests from this address, or it already has an account.',
    advice: 'Go back to the application and sign in again. If that does not help, ask for an invitation.',
  },
}
