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
      `${provider} keeps your people here: whoever joins has an account at once, and whoever leaves is signed out at once.`,
    link: 'Set up directory sync',
    listSentence: 'Your provider keeps your people and their groups here.',
    inactive:
      'It is switched off: every request of your provider is refused. The people who invited you can switch it on.',
    secret: 'Secret',
    secretHint:
      'Your provider proves itself by it. It is shown once, when it is made: make one when you are at the field of your console that asks for it.',
    /** The secret in use, by its last characters. */
    present: (hint: string) => `The one in use ends in ${hint}.`,
    previous: (wait: string) => `The one before it stops working ${wait}.`,
    makeSentence:
      'The one in use works for 24 hours more, so that nothing stops while you enter the new one.',
    makeAgain: 'If you make another one now, that one stops at once.',
    make: 'Make a new secret',
    made: 'Your new secret',
    madeSentence: 'Copy it now: it is not shown again. The one before it works for 24 hours more.',
    changed:
      'Something has changed since this page was shown. Look at what is below, and press again if needed.',
    steps: 'What to do in the console',
    requests: 'What your provider has asked lately',
    requestsSentence: 'The newest first, of the last seven days.',
    noRequests: 'Nothing yet. Press the button in your console that tests the connection, then look again.',
    again: 'Look again',
    outcomes: { done: 'Done', refused: 'Refused', failed: 'Failed' },
    reasons: {
      invalid: 'Something in the request is missing, or has a form that does not fit.',
      unproven: 'The secret is missing, is not the one in use, or has expired.',
      forbidden: 'Directory sync is switched off, or the user is not kept by your provider.',
      missing: 'There is nobody and no group of this ID, or no such address.',
      taken: 'Another user or group has this address or name.',
      outdated: 'It has changed since your provider read it.',
      large: 'The request is too large.',
      often: 'Too much was asked at once. Your provider asks again by itself.',
      failed: 'The fault is on our side. Your provider asks again by itself.',
    } satisfies Record<RefusalReason, string>,
    /** Before the words of the protocol, which are English. */
    told: 'What your provider was told:',
  },
  noSuchDirectory: {
    heading: 'There is no directory here',
    sentence: 'Your invitation is not for a directory of this address, or it was removed.',
    advice:
      'Ask the people who invited you to create it, and open the link in your invitation e-mail once more.',
  },
}

export type DirectoryTexts = typeof directory
