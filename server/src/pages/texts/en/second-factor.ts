import type { FaultText } from './sign-in.js'

/** How a user proves the second factor. */
export type TotpWay = 'app' | 'sms' | 'recovery'

export type TotpFault = 'missing' | 'wrong_code' | 'code_over' | 'too_many' | 'too_many_messages' | 'not_sent'
/** The same on a page that takes a passkey, too. */
export type SecondFactorFault = TotpFault | 'passkey_refused'
export type EnrollFault = 'no_phone' | 'not_now' | 'over' | 'too_many' | 'too_many_messages' | 'not_sent'
export type RecoveryCodesFault = 'not_acknowledged'

/** The words of the pages of the second factor. */
export const secondFactor = {
  totp: {
    headings: {
      app: 'Enter your code',
      sms: 'Enter the code from the text message',
      recovery: 'Use a recovery code',
    } satisfies Record<TotpWay, string>,
    app: 'Open your authenticator app and enter the 6\u2011digit code.',
    smsSent: (phone: string) => `We sent a text message with a 6\u2011digit code to ${phone}.`,
    smsUnsent: 'We can send a text message with a 6\u2011digit code to your phone.',
    recovery: 'Enter one of the recovery codes that you saved. Each code works once.',
    label: '6-digit code',
    recoveryLabel: 'Recovery code',
    button: 'Continue',
    send: 'Send me a code',
    sendAgain: 'Send a new code',
    useRecovery: 'Use a recovery code instead',
    useCode: 'Use the code from your phone instead',
    lost: 'Lost your phone and your recovery codes? Contact your administrator.',
    wrongRecovery: 'This recovery code is incorrect or has already been used.',
    faults: {
      missing: 'Enter the code.',
      wrong_code: 'Incorrect code. Try again with the newest one.',
      code_over: 'This code has expired. Request a new one.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_messages: (wait) => `We have already sent you several text messages. Try again ${wait}.`,
      not_sent: 'We could not send the text message. Try again in a moment.',
      passkey_refused: 'This passkey is not one of yours here, or could not be used. Try again.',
    } satisfies Record<SecondFactorFault, FaultText>,
  },
  enroll: {
    heading: 'Set up two-step verification',
    byApplication:
      'This application requires two-step verification. When you sign in, you will also enter a code from your phone, so that your password or mailbox alone is not enough.',
    byOrganization: (organization: string) =>
      `${organization} requires two-step verification. When you sign in, you will also enter a code from your phone, so that your password or mailbox alone is not enough.`,
    notNow: 'Not now',
    until: (date: string) => `You can do this later, until ${date}.`,
    app: 'You need an authenticator app on your phone. Any authenticator app works.',
    sms: (phone: string) => `We send the codes to ${phone} by text message.`,
    smsUnknown: 'We send the codes to your phone by text message.',
    appButton: 'Set up authenticator app',
    smsButton: 'Send me a code',
    codeHeading: 'Set up your authenticator app',
    scan: 'Scan this QR code with your authenticator app.',
    picture: 'QR code for your authenticator app',
    open: 'Open in the authenticator app on this phone',
    noCamera: 'Can’t scan the QR code?',
    key: 'Enter this key in the app instead:',
    enter: 'Then enter the code from the app.',
    label: '6-digit code',
    button: 'Finish',
    again: 'Start over with a new QR code',
    faults: {
      no_phone: 'Your account has no phone number. Ask your administrator to add one.',
      not_now: 'This can no longer be done later. Set it up to sign in.',
      over: 'That took too long, or too many codes were incorrect. Start over.',
      missing: 'Enter the code.',
      wrong_code: 'Incorrect code. Wait for the next one and try again.',
      code_over: 'This code has expired. Start over.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_messages: (wait) => `We have already sent you several text messages. Try again ${wait}.`,
      not_sent: 'We could not send the text message. Try again in a moment.',
    } satisfies Record<EnrollFault | TotpFault, FaultText>,
  },
  recoveryCodes: {
    heading: 'Save your recovery codes',
    sentences: {
      phone: 'If you lose your phone, you can sign in with one of these codes. Each works once.',
      passkey:
        'If you lose your passkey, you can add another one with one of these codes when you sign in. Each works once.',
    },
    once: 'They are shown only once. Keep them in a safe place.',
    titles: {
      phone: (organization: string) => `Recovery codes for ${organization}`,
      passkey: (organization: string) => `Recovery codes for your passkeys at ${organization}`,
    },
    /** Beside the title, in what is kept of the codes. */
    whose: (address: string) => `Account: ${address}`,
    made: (date: string) => `Created on ${date}`,
    list: 'Your recovery codes',
    copy: 'Copy',
    copied: 'Copied',
    download: 'Download',
    print: 'Print',
    /** After the name of the organization. */
    fileNames: { phone: 'recovery-codes.txt', passkey: 'passkey-recovery-codes.txt' },
    acknowledge: 'I have saved my recovery codes',
    button: 'Continue',
    goneHeading: 'Have you saved your recovery codes?',
    gone: 'They were shown once and cannot be shown again. If you did not save them, get new ones; the old ones will stop working.',
    newCodes: 'Get new codes',
    newCodesSentence: 'The codes that you have now will no longer work.',
    newCodesButton: 'Replace my recovery codes',
    faults: { not_acknowledged: 'Save the codes, then tick the box.' },
  },
}

export type SecondFactorTexts = typeof secondFactor
