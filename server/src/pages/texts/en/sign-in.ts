import type { LinkPurpose } from '../../../platform/link-purpose.js'

/** A sentence about what was wrong. One that asks to wait is told how long: "in 5 minutes", or "later". */
export type FaultText = string | ((wait: string) => string)

export type IdentifierFault =
  | 'missing'
  | 'invalid'
  | 'not_allowed'
  | 'too_many'
  | 'passkey_refused'
  | 'passkey_elsewhere'
  | 'passkey_only'
export type PasswordPageFault = 'missing' | 'wrong' | 'too_many' | 'too_many_mails'
export type LinkSentFault = 'wrong_code' | 'code_over' | 'too_many' | 'too_many_mails'
export type NewPasswordFault = 'wrong_length' | 'too_personal' | 'too_common' | 'too_many'

/** The words of the pages of a first factor. */
export const signIn = {
  identifier: {
    heading: 'Sign in',
    headingFor: (application: string) => `Sign in to ${application}`,
    headingForAccount: 'Sign in to your account',
    label: 'E-mail address',
    button: 'Continue',
    signUp: 'New here? Enter your e-mail address to create an account.',
    /** With {terms} and {privacy} where the links belong. */
    agreement: {
      both: 'By creating an account, you agree to the {terms} and the {privacy}.',
      terms: 'By creating an account, you agree to the {terms}.',
      privacy: 'By creating an account, you agree to the {privacy}.',
    },
    terms: 'terms of service',
    privacy: 'privacy policy',
    faults: {
      missing: 'Enter your e-mail address.',
      invalid: 'Enter a valid e-mail address, such as name@example.com.',
      not_allowed:
        'E-mail addresses at this domain cannot be used here. Enter the one that your organization gave you.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      passkey_refused: 'We could not sign you in with this passkey. Try again, or enter your e-mail address.',
      passkey_elsewhere:
        'This passkey is for another organization. Choose another one, or enter your e-mail address.',
      passkey_only: 'Your organization signs you in with a passkey. Use the button below.',
    } satisfies Record<IdentifierFault, FaultText>,
  },
  password: {
    heading: 'Enter your password',
    label: 'Password',
    button: 'Sign in',
    forgot: 'Forgot your password?',
    or: 'or',
    mailLink: 'E-mail me a sign-in link',
    isNew: 'Your password has been changed. Sign in with your new password.',
    faults: {
      missing: 'Enter your password.',
      wrong: 'E-mail or password is incorrect. Try again.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_mails: (wait) => `We have already sent you several e-mails. Try again ${wait}.`,
    } satisfies Record<PasswordPageFault, FaultText>,
  },
  linkSent: {
    heading: 'Check your e-mail',
    sentences: {
      sign_in: 'If you can sign in with this address, we have sent you an e-mail with a sign-in link.',
      password:
        'If you can sign in with this address, we have sent you an e-mail with a link to choose a password.',
    } satisfies Record<LinkPurpose, string>,
    advice: {
      sign_in: 'Open the link in this browser to sign in.',
      password: 'Open the link and choose your password to sign in.',
    } satisfies Record<LinkPurpose, string>,
    codeHeading: 'Enter the code',
    codeSentence:
      'You opened the link in a different browser. Enter the 6\u2011digit code that is shown there.',
    otherDevice: 'Opened the link on another device?',
    codeHint: 'Enter the 6\u2011digit code that is shown there.',
    label: '6-digit code',
    button: 'Continue',
    nothingArrived: 'No e-mail? Check your spam folder first.',
    resend: 'Send a new link',
    resent: 'We have sent you a new link. Only the newest one works.',
    faults: {
      wrong_code: 'Incorrect code. Check it and try again.',
      code_over: 'This code has expired. Send a new link and open it.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_mails: (wait) => `We have already sent you several e-mails. Try again ${wait}.`,
    } satisfies Record<LinkSentFault, FaultText>,
  },
  linkCode: {
    heading: 'Enter this code in your other browser',
    label: 'Your code',
    sentence: (application: string) =>
      `It signs you in to ${application} in the browser where you asked for the link. It works once and expires in 10 minutes.`,
    warning: 'Do not share this code. Anyone who asks you for it is trying to sign in as you.',
  },
  setPassword: {
    heading: 'Choose a password',
    renewalHeading: 'Choose a new password',
    renewal: 'Your password needs to be replaced. Choose a new one to continue.',
    offer: 'You can sign in with a password. If you choose none, we send you a link each time.',
    label: 'New password',
    length: (min: string, max: string) => `${min} to ${max} characters; spaces are allowed`,
    guessable: 'Not your name, your address or a common password',
    tip: 'Four unrelated words are easy to remember and hard to guess.',
    button: 'Save password',
    notNow: 'Not now',
    wrongLength: (min: string, max: string) => `Your password must be ${min} to ${max} characters long.`,
    faults: {
      too_personal:
        'This password is too similar to your name, address or organization. Choose a different one.',
      too_common: 'This password is too common and easy to guess. Choose a different one.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
    } satisfies Record<Exclude<NewPasswordFault, 'wrong_length'>, FaultText>,
    doneHeading: 'Your password has been saved',
    done: 'Go back to the application and sign in with your new password. You can close this page.',
    kept: 'These passkeys of your account still work. Remove those that you do not know:',
    review: 'Look through your passkeys',
    next: 'Continue signing in',
  },
  ready: {
    heading: 'You are signed in',
    sentence: 'You can now continue to your application.',
    button: (application: string) => `Continue to ${application}`,
    /** The application has to begin the sign-in itself. */
    elsewhere: (application: string) => `Continue in ${application}`,
  },
  /** The answer to an application is a form, which the browser posts. */
  formPost: {
    heading: 'Returning to the application',
    sentence: (host: string) => `You are being redirected to ${host}.`,
    button: 'Continue',
  },
}

export type SignInTexts = typeof signIn
