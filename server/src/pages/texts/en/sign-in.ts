import type { LinkPurpose } from '../../../platform/link-purpose.js'

/** A sentence about what was wrong. One that asks to wait is told how long: "in 5 minutes", or "later". */
export type FaultText = string | ((wait: string) => string)

export type IdentifierFault = 'missing' | 'invalid' | 'not_allowed' | 'too_many'
export type PasswordPageFault = 'missing' | 'wrong' | 'too_many' | 'too_many_mails'
export type LinkSentFault = 'wrong_code' | 'code_over' | 'too_many' | 'too_many_mails'
export type NewPasswordFault = 'wrong_length' | 'too_personal' | 'too_common' | 'too_many'

/** The words of the pages of a first factor. */
export const signIn = {
  identifier: {
    heading: 'Sign in',
    headingFor: (application: string) => `Sign in to ${application}`,
    label: 'E-mail address',
    button: 'Continue',
    signUp: 'New here? Continue with your e-mail address, and your account is made on the way.',
    /** With {terms} and {privacy} where the links belong. */
    agreement: {
      both: 'With a new account you accept the {terms} and the {privacy}.',
      terms: 'With a new account you accept the {terms}.',
      privacy: 'With a new account you accept the {privacy}.',
    },
    terms: 'terms of service',
    privacy: 'privacy policy',
    faults: {
      missing: 'Enter your e-mail address.',
      invalid: 'This is not a whole e-mail address. Enter one like name@example.com.',
      not_allowed:
        'Addresses of this domain cannot be used here. Enter the one that your organization gave you.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
    } satisfies Record<IdentifierFault, FaultText>,
  },
  password: {
    heading: 'Enter your password',
    label: 'Password',
    button: 'Sign in',
    forgot: 'Forgot it, or never had one?',
    or: 'or',
    mailLink: 'E-mail me a sign-in link',
    isNew: 'Your new password is saved. Sign in with it.',
    faults: {
      missing: 'Enter your password.',
      wrong: 'E-mail or password is incorrect. Try again.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_mails: (wait) => `Several messages are on their way already. Ask for another one ${wait}.`,
    } satisfies Record<PasswordPageFault, FaultText>,
  },
  linkSent: {
    heading: 'Check your e-mail',
    sentences: {
      sign_in:
        'If you can sign in here with this address, a message with a sign-in link is on its way to you.',
      password:
        'If you can sign in here with this address, a message with a link to choose a password is on its way to you.',
    } satisfies Record<LinkPurpose, string>,
    advice: {
      sign_in: 'Open the link in this browser, and you are signed in.',
      password: 'Open the link, choose your password, and you are signed in.',
    } satisfies Record<LinkPurpose, string>,
    codeHeading: 'Enter the code',
    codeSentence: 'Your link was opened in another browser. It shows a code of 6 digits: enter it here.',
    otherDevice: 'Opened it on another device?',
    codeHint: 'It shows a code of 6 digits there. Enter it here.',
    label: '6-digit code',
    button: 'Continue',
    nothingArrived: 'Nothing there? Look among your junk mail first.',
    resend: 'Send another link',
    resent: 'Another link is on its way. Only the newest one works.',
    faults: {
      wrong_code: 'This is not the code. Check it and enter it again.',
      code_over: 'This code does not work any more. Send another link and open it.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_mails: (wait) => `Several messages are on their way already. Ask for another one ${wait}.`,
    } satisfies Record<LinkSentFault, FaultText>,
  },
  linkCode: {
    heading: 'Enter this code where you began',
    label: 'Your code',
    sentence: (application: string) =>
      `It signs you in to ${application} in the browser in which you asked for the link. It works once, for 10 minutes.`,
    warning: 'Give it to nobody. Whoever asks you for it wants to sign in as you.',
  },
  setPassword: {
    heading: 'Choose a password',
    renewalHeading: 'Choose a new password',
    renewal: 'Almost there. Your password is due to be replaced, and this is a good moment.',
    label: 'New password',
    length: (min: string, max: string) => `${min} to ${max} characters; spaces are welcome`,
    guessable: 'Not your name or address, and none that many people use',
    tip: 'Four words that have nothing to do with each other are easy to remember and hard to guess.',
    button: 'Save password',
    notNow: 'Not now',
    wrongLength: (min: string, max: string) => `Your password must have ${min} to ${max} characters.`,
    faults: {
      too_personal:
        'This password has little in it but names that others know. Choose one that has nothing to do with you.',
      too_common: 'This password is among those that are guessed first. Choose another one.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
    } satisfies Record<Exclude<NewPasswordFault, 'wrong_length'>, FaultText>,
    doneHeading: 'Your password is saved',
    done: 'Go back to the application and sign in with it. You can close this page.',
  },
  ready: {
    heading: 'You are signed in',
    sentence: 'That is all. Your application is waiting.',
    button: (application: string) => `Continue to ${application}`,
    /** The application has to begin the sign-in itself. */
    elsewhere: (application: string) => `Continue in ${application}`,
  },
  /** The answer to an application is a form, which the browser posts. */
  formPost: {
    heading: 'Back to the application',
    sentence: (host: string) => `You are being taken to ${host}.`,
    button: 'Continue',
  },
}

export type SignInTexts = typeof signIn
