import type { LinkPurpose } from '../../magic-link/purpose.js'

/** The words of the pages in one language. Each page says in one sentence what is the case, and then what to do. */
export interface PageTexts {
  /** BCP 47. */
  readonly lang: string
  /** What the language calls itself. */
  readonly name: string
  /** By what a link is for. */
  readonly links: Readonly<Record<LinkPurpose, LinkTexts>>
  readonly deadLink: PageSentence
  readonly deadRelay: PageSentence
  readonly relayEmailTaken: PageSentence
  readonly relayUserInactive: PageSentence
  readonly otherBrowser: PageSentence
  readonly failure: PageSentence
  readonly reference: (requestId: string) => string
  readonly sandbox: string
  readonly languages: string
  readonly by: (product: string) => string
}

interface LinkTexts {
  readonly heading: (address: string, organization: string) => string
  readonly button: string
  readonly hint: string
  readonly unexpected: string
}

export interface PageSentence {
  readonly heading: string
  readonly sentence: string
  readonly advice: string
}

export const en: PageTexts = {
  lang: 'en',
  name: 'English',
  links: {
    sign_in: {
      heading: (address, organization) => `Sign in as ${address} to ${organization}`,
      button: 'Sign in',
      hint: 'The link works once. You will be taken straight to the application.',
      unexpected: 'If you did not ask to sign in, close this page: nothing happens.',
    },
    password: {
      heading: (address, organization) => `Choose a password for ${address} at ${organization}`,
      button: 'Go on',
      hint: 'The link works once. You will choose the password on the next page.',
      unexpected: 'If you did not ask for a password, close this page: nothing changes.',
    },
  },
  deadLink: {
    heading: 'This link does not work any more',
    sentence: 'Sign-in links work once and for a few minutes, and this one cannot be used.',
    advice: 'Go back to the application you want to sign in to and ask for a new link.',
  },
  deadRelay: {
    heading: 'This address does not work any more',
    sentence: 'It takes you to another application once and at once, and it cannot be used now.',
    advice: 'Go back to the application you come from and try again there.',
  },
  relayEmailTaken: {
    heading: 'You cannot be signed in there',
    sentence: 'Somebody with your e-mail address is known there already, and nothing shows that this is you.',
    advice: 'Sign in there directly, or ask the people who run that application.',
  },
  relayUserInactive: {
    heading: 'You cannot be signed in there',
    sentence: 'Your account there is switched off.',
    advice: 'Ask the people who run that application.',
  },
  otherBrowser: {
    heading: 'Please open the link again',
    sentence: 'This page was open for too long, or the browser did not keep its cookie.',
    advice: 'Open the link from your message once more, in the browser you want to sign in with.',
  },
  failure: {
    heading: 'Something went wrong on our side',
    sentence: 'The service cannot answer at this moment.',
    advice: 'Try again in a minute.',
  },
  reference: (requestId) => `Reference: ${requestId}`,
  sandbox: 'Sandbox: for tests only',
  languages: 'Language',
  by: (product) => `Sign-in by ${product}`,
}
