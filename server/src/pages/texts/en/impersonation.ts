/** The words of the page on which a member of staff signs in as a user. */
export const impersonation = {
  impersonation: {
    heading: (organization: string) => `Sign in as a user of ${organization}`,
    sentence:
      'You will act as this user in one application. Your actions are recorded under your name, and the application can see that it is you.',
    application: 'Application',
    actor: 'You',
    reason: 'Reason',
    duration: 'Ends after',
    minutes: (minutes: number) => (minutes === 1 ? 'one minute' : `${minutes} minutes`),
    notified: 'The user is notified by e-mail.',
    start: 'Sign in as this user',
    hint: 'This link works once. Your own sessions are not affected.',
  },
  deadImpersonation: {
    heading: 'This link no longer works',
    sentence:
      'It works once, for five minutes. It was already used or ended, or the user, the application or the organization does not allow it.',
    advice: 'Go back to where you got it and request a new one.',
  },
}

export type ImpersonationTexts = typeof impersonation
