import type { Language } from '../../platform/languages.js'
import { accountSignIn } from './en/account-sign-in.js'
import { consent } from './en/consent.js'
import { directory } from './en/directory.js'
import { impersonation } from './en/impersonation.js'
import { oidcSetup } from './en/oidc-setup.js'
import { onboarding } from './en/onboarding.js'
import { secondFactor } from './en/second-factor.js'
import { sessions } from './en/sessions.js'
import { signIn } from './en/sign-in.js'
import { ssoSetup } from './en/sso-setup.js'
import { sso } from './en/sso.js'
import { testIdp } from './en/test-idp.js'

const words = {
  ...signIn,
  ...secondFactor,
  ...sessions,
  ...onboarding,
  ...ssoSetup,
  ...sso,
  ...testIdp,
  ...oidcSetup,
  ...directory,
  ...consent,
  ...accountSignIn,
  ...impersonation,
  /** What the language calls itself. */
  name: 'English',
  /** By what a link is for. */
  links: {
    sign_in: {
      heading: (address: string, organization: string) => `Sign in as ${address} to ${organization}`,
      button: 'Sign in',
      hint: 'The link works once. You will be taken straight to the application.',
      unexpected: 'If you did not ask to sign in, close this page: nothing happens.',
    },
    password: {
      heading: (address: string, organization: string) =>
        `Choose a password for ${address} at ${organization}`,
      button: 'Go on',
      hint: 'The link works once. You will choose the password on the next page.',
      unexpected: 'If you did not ask for a password, close this page: nothing changes.',
    },
  },
  /** A link that was opened in a browser other than the one that asked for it. */
  linkElsewhere: {
    button: 'Show my code',
    hint: 'This is not the browser in which you asked for the link. You get a code here, which you enter there.',
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
  /** The page was sent by a browser other than its own, or too late. */
  otherBrowser: {
    heading: 'Please begin again, or open the link again',
    sentence:
      'This page was open for too long, belongs to another browser, or the browser did not keep its cookie.',
    advice:
      'Go back to the application, or open the link from your message once more, in the browser you want to sign in with.',
  },
  flowOver: {
    heading: 'This sign-in is over',
    sentence: 'It was finished already, took more than an hour, or was begun in another browser.',
    advice: 'Go back to the application and sign in from there.',
  },
  notSignedIn: {
    heading: 'You are not signed in',
    sentence:
      'Nobody is signed in to this organization in this browser, or it was last used more than an hour ago.',
    advice: 'Sign in from an application, and come back.',
  },
  noWayToSignIn: {
    heading: 'Nobody can sign in here yet',
    sentence: 'The organization has not switched on any way to sign in.',
    advice: 'Ask the people who run the application.',
  },
  signInRefused: {
    heading: 'You cannot be signed in',
    sentence: 'Your account, or your address, may not be used here at present.',
    advice: 'Ask the people who gave you your account.',
  },
  tooMany: {
    heading: 'Please wait a little',
    sentence: 'There were too many attempts from where you are.',
    advice: 'Try again in a few minutes.',
  },
  unreadable: {
    heading: 'This request cannot be read',
    sentence: 'What was sent is too large, or is not what this address takes.',
    advice: 'Go back and try again; if it stays so, give who runs the application the reference below.',
  },
  /** Developers find what is wrong in the log, and in the sandbox on the page. */
  invalidRequest: {
    heading: 'The application sent an invalid request',
    sentence: 'We cannot continue, because the application that sent you here made a mistake.',
    advice:
      'Go back and try again. If it keeps happening, send the reference below to the people who run the application.',
  },
  failure: {
    heading: 'Something went wrong on our side',
    sentence: 'The service cannot answer at this moment.',
    advice: 'Try again in a minute.',
  },
  reference: (requestId: string) => `Reference: ${requestId}`,
  goBack: 'Go back',
  backTo: (application: string) => `Back to ${application}`,
  backToSignIn: 'Back to sign-in',
  tryAgain: 'Try again',
  forDevelopers: 'For developers',
  sandbox: 'Sandbox: for tests only',
  languages: 'Language',
  by: (product: string) => `Sign-in by ${product}`,
  legal: 'Legal',
  termsOfService: 'Terms',
  privacyPolicy: 'Privacy',
  help: 'Help',
  /** Where something is wrong, the title of the page says so first. */
  errorTitle: (title: string) => `Error: ${title}`,
  later: 'later',
  address: 'E-mail address',
  change: 'Change',
  /** What Change changes, for who hears the button without what is around it. */
  changeWhat: 'the address',
  show: 'Show',
  hide: 'Hide',
  showWhat: 'the password',
  working: 'One moment…',
}

/** The words of the pages in one language. Each page says in one sentence what is the case, and then what to do. */
export type PageTexts = typeof words & {
  /** BCP 47. */
  readonly lang: Language
}

export const en: PageTexts = { ...words, lang: 'en' }
