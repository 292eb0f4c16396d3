import type { PageSentence } from '../../pages/texts/page-sentence.js'

export type StartFault = 'email_missing' | 'email_invalid' | 'email_taken' | 'name_missing' | 'name_too_long'

/** The words of the console in English. */
export const en = {
  start: {
    heading: (account: string) => `Become the first owner of ${account}`,
    lead: 'As its owner you can do everything in the console, and you invite the others.',
    email: 'E-mail address',
    emailHint: 'Invitations and sign-in links are sent there.',
    name: 'Your name',
    button: 'Open the console',
    faults: {
      email_missing: 'Enter your e-mail address.',
      email_invalid: 'Enter a valid e-mail address, such as name@example.com.',
      email_taken: 'Somebody who may not sign in has this address. Enter another one.',
      name_missing: 'Enter your name.',
      name_too_long: 'Enter a name of at most 100 characters.',
    } satisfies Record<StartFault, string>,
  },
  deadStart: {
    heading: 'This link no longer works',
    sentence: 'It works once, for 24 hours, and only while the account has no owner.',
    advice: 'Start the service again: it prints a new link for as long as there is no owner.',
  } satisfies PageSentence,
  notFound: {
    heading: 'This page does not exist',
    sentence: 'The console has no page at this address.',
    advice: 'Check the address, the name of the account in it first.',
  } satisfies PageSentence,
  notSignedIn: {
    heading: 'You are not signed in',
    sentence: 'You are not signed in to the console in this browser, or your session has ended.',
    advice: 'Open the console again to sign in. If this page comes back, allow cookies for it.',
  } satisfies PageSentence,
  refused: {
    heading: 'You could not be signed in',
    sentence: 'The sign-in to the console was not completed.',
    advice: 'Try again. If it keeps happening, ask an owner of the account.',
  } satisfies PageSentence,
  accountChoice: {
    heading: 'Console',
    label: 'Account',
    hint: 'The name of your account as it is in addresses, such as acme.',
    button: 'Continue',
    invalid: 'Enter the name of an account: lower-case letters and digits, with dashes between them.',
  },
  home: {
    heading: (account: string) => `Console of ${account}`,
    signedInAs: 'Signed in as',
    signOut: 'Sign out',
  },
}

export type ConsoleTexts = typeof en
