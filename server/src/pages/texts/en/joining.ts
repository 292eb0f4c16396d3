/** Joining an organization by the domain of the address. */
export const joining = {
  join: {
    headings: {
      open: (organization: string) => `Join ${organization}`,
      asked: (_organization: string) => 'Your request was sent',
      denied: (organization: string) => `Join ${organization}`,
      member: (organization: string) => `You are a member of ${organization}`,
    },
    sentences: {
      open: (organization: string) =>
        `You have confirmed your e-mail address, but it has no account at ${organization} yet. Ask to join, and you will get an e-mail when it is decided.`,
      asked: (organization: string) => `You will get an e-mail as soon as ${organization} has decided.`,
      denied: (_organization: string) => 'Your last request was not approved. You can ask again.',
      member: (organization: string) => `You can now sign in to ${organization}.`,
    },
    button: 'Ask to join',
    askAgain: 'Ask again',
    enter: 'Continue',
    askedAdvice: 'You can close this page.',
    faults: { too_many: (wait: string) => `You have asked too often. Try again ${wait}.` },
  },
  joinClosed: {
    heading: 'You cannot ask to join now',
    sentence: 'The organization does not accept requests from this address at the moment.',
    advice: 'Go back to the application and sign in again. If that does not help, ask for an invitation.',
  },
}
