import type { FaultText } from './sign-in.js'

/** How a user proves the second factor. */
export type TotpWay = 'app' | 'sms' | 'recovery'

export type TotpFault = 'missing' | 'wrong_code' | 'code_over' | 'too_many' | 'too_many_messages' | 'not_sent'
export type EnrollFault = 'no_phone' | 'over' | 'too_many' | 'too_many_messages' | 'not_sent'
export type RecoveryCodesFault = 'not_acknowledged'

/** The words of the pages of the second factor. */
export const secondFactor = {
  totp: {
    headings: {
      app: 'Enter your code',
      sms: 'Enter the code from your phone',
      recovery: 'Use a recovery code',
    } satisfies Record<TotpWay, string>,
    app: 'Your authenticator app shows a code of 6 digits, and a new one every half minute.',
    smsSent: (phone: string) => `A text message with a code of 6 digits is on its way to ${phone}.`,
    smsUnsent: 'A text message with a code of 6 digits can be sent to your phone.',
    recovery: 'You kept a few of them when you set up the second step. Each works once.',
    label: '6-digit code',
    recoveryLabel: 'Recovery code',
    button: 'Continue',
    send: 'Send me a code',
    sendAgain: 'Send another code',
    useRecovery: 'Use a recovery code instead',
    useCode: 'Use the code from your phone instead',
    lost: 'Neither your phone nor a recovery code? Ask the people who gave you your account.',
    wrongRecovery: 'This recovery code does not work. Each works once: enter another one.',
    faults: {
      missing: 'Enter the code.',
      wrong_code: 'This code does not work. Enter the newest one.',
      code_over: 'This code does not work any more. Ask for another one.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_messages: (wait) =>
        `Several text messages are on their way already. Ask for another one ${wait}.`,
      not_sent: 'The text message could not be sent. Try again in a moment.',
    } satisfies Record<TotpFault, FaultText>,
  },
  enroll: {
    heading: 'Set up a second step',
    sentence:
      'This application asks for a second step. From now on you also enter a code from your phone, so that nobody gets in with your password or your mailbox alone.',
    app: 'You need an authenticator app on your phone. Any of them will do.',
    sms: (phone: string) => `The codes come by text message to ${phone}.`,
    smsUnknown: 'The codes come by text message to your phone.',
    appButton: 'Set up the app',
    smsButton: 'Send me a code',
    codeHeading: 'Connect your app',
    scan: 'Scan this picture with your authenticator app.',
    picture: 'QR code for your authenticator app',
    open: 'Open in the app on this phone',
    noCamera: 'Cannot scan it?',
    key: 'Enter this key in the app:',
    enter: 'Then enter the code that the app shows.',
    label: '6-digit code',
    button: 'Finish',
    again: 'Begin again with a new picture',
    faults: {
      no_phone: 'Your account has no phone number yet. Ask the people who gave it to you to add one.',
      over: 'That took too long, or too many codes were wrong. Begin again.',
      missing: 'Enter the code.',
      wrong_code: 'This code does not work. Wait for the next one and enter it.',
      code_over: 'This code does not work any more. Begin again.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_messages: (wait) =>
        `Several text messages are on their way already. Ask for another one ${wait}.`,
      not_sent: 'The text message could not be sent. Try again in a moment.',
    } satisfies Record<EnrollFault | TotpFault, FaultText>,
  },
  recoveryCodes: {
    heading: 'Keep your recovery codes',
    sentence: 'If you ever lose your phone, each of these codes lets you in once.',
    once: 'They are shown this one time. Keep them where you keep important papers.',
    title: (organization: string) => `Recovery codes for ${organization}`,
    list: 'Your recovery codes',
    copy: 'Copy',
    copied: 'Copied',
    download: 'Download',
    print: 'Print',
    fileName: 'recovery-codes.txt',
    acknowledge: 'I have put my recovery codes in a safe place',
    button: 'Continue',
    goneHeading: 'Do you have your recovery codes?',
    gone: 'They were shown one time, and cannot be shown again. If you do not have them, get new ones; the old ones then stop working.',
    newCodes: 'Get new codes',
    faults: { not_acknowledged: 'Keep the codes, then tick the box.' },
  },
}

export type SecondFactorTexts = typeof secondFactor
