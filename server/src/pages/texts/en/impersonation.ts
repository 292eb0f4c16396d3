/** The words of the page on which a member of staff signs in as a user. */
export const impersonation = {
  impersonation: {
    heading: (organization: string) => `Sign in as a user of ${organization}`,
    sentence:
      'You will act as this user in one application. What you do there is recorded with your name, and the application shows that it is you.',
    application: 'Application',
    actor: 'You',
    reason: 'Reason',
    duration: 'Ends after',
    minutes: (minutes: number) => (minutes === 1 ? 'one minute' : `${minutes} minutes`),
    notified: 'The user is told of it by mail.',
    start: 'Sign in as this user',
    hint: 'The address works once. Where you are signed in yourself, you stay signed in.',
  },
  deadImpersonation: {
    heading: 'This address does not work any more',
    sentence:
      'It starts an impersonation once and within five minutes, and cannot be used now: it was used or ended, or the user, the application or the organization does not permit it.',
    advice: 'Go back to where you got it, and ask for a new one.',
  },
}

export type ImpersonationTexts = typeof impersonation
