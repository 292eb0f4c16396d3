/** Why a request of the provider was not done, as far as its status tells. */
export type RefusalReason =
  | 'invalid'
  | 'unproven'
  | 'forbidden'
  | 'missing'
  | 'taken'
  | 'outdated'
  | 'large'
  | 'often'
  | 'failed'

/** The words of the page on which an administrator sets directory sync up. */
export const directory = {
  directory: {
    heading: 'Directory sync',
    sentence: (provider: string) =>
      `${provider} keeps your users in sync: new colleagues get an account immediately, and those who leave are signed out immediately.`,
    link: 'Set up directory sync',
    listSentence: 'Your provider keeps your users and groups in sync.',
    inactive:
      'It is turned off: all requests from your provider are refused. The people who invited you can turn it on.',
    secret: 'Secret',
    secretHint:
      'Your provider authenticates with it. It is shown only once, so create it when you are at the field in your console that asks for it.',
    /** The secret in use, by its last characters. */
    present: (hint: string) => `The current secret ends in ${hint}.`,
    previous: (wait: string) => `The previous secret stops working ${wait}.`,
    makeSentence:
      'When you create a new secret, the current one works for another 24 hours, so that nothing stops while you enter the new one.',
    makeAgain: 'If you create another one now, the previous secret stops working immediately.',
    make: 'Create a new secret',
    made: 'Your new secret',
    madeSentence: 'Copy it now: it will not be shown again. The previous secret works for another 24 hours.',
    steps: 'Steps in your provider’s console',
    more: 'More about your users',
    moreSentence:
      'If the application is to know titles or departments, map these attributes in your console, too. What is mapped there already needs nothing more.',
    used: 'Attributes that your provider sends',
    usedSentence: 'The names of all attributes in its latest requests about users.',
    isUsed: 'Passed on to the application',
    requests: 'Recent requests from your provider',
    requestsSentence: 'From the last seven days, newest first.',
    noRequests: 'None yet. Test the connection in your console, then refresh this page.',
    again: 'Refresh',
    outcomes: { done: 'Done', refused: 'Refused', failed: 'Failed' },
    reasons: {
      invalid: 'Something in the request is missing or invalid.',
      unproven: 'The secret is missing, incorrect or expired.',
      forbidden: 'Directory sync is turned off, or the user is not managed by your provider.',
      missing: 'There is no user or group with this ID, or no such endpoint.',
      taken: 'Another user or group already has this address or name.',
      outdated: 'The record has changed since your provider read it.',
      large: 'The request is too large.',
      often: 'There were too many requests at once. Your provider will retry automatically.',
      failed: 'There was a problem on our side. Your provider will retry automatically.',
    } satisfies Record<RefusalReason, string>,
    /** Before the words of the protocol, which are English. */
    told: 'Response to your provider:',
  },
  noSuchDirectory: {
    heading: 'Directory not found',
    sentence: 'Your invitation does not include a directory at this address, or the directory was removed.',
    advice:
      'Ask the people who invited you to create it, then open the link in your invitation e-mail again.',
  },
}

export type DirectoryTexts = typeof directory
