import type { Language } from '../../platform/languages.js'
import { account, emailLink } from './en/account.js'
import { accountSignIn } from './en/account-sign-in.js'
import { consent } from './en/consent.js'
import { directory } from './en/directory.js'
import { emailDomains } from './en/email-domains.js'
import { impersonation } from './en/impersonation.js'
import { invitation } from './en/invitation.js'
import { joinRequests } from './en/join-requests.js'
import { joining } from './en/joining.js'
import { oidcSetup } from './en/oidc-setup.js'
import { onboarding } from './en/onboarding.js'
import { passkeys } from './en/passkeys.js'
import { roleRules } from './en/role-rules.js'
import { secondFactor } from './en/second-factor.js'
import { sessions } from './en/sessions.js'
import { signIn } from './en/sign-in.js'
import { social } from './en/social.js'
import { ssoSetup } from './en/sso-setup.js'
import { sso } from './en/sso.js'
import { testIdp } from './en/test-idp.js'

const words = {
  ...signIn,
  ...secondFactor,
  ...passkeys,
  ...sessions,
  ...onboarding,
  ...ssoSetup,
  ...sso,
  ...social,
  ...testIdp,
  ...oidcSetup,
  ...directory,
  ...emailDomains,
  ...roleRules,
  ...consent,
  ...account,
  ...emailLink,
  ...accountSignIn,
  ...impersonation,
  ...invitation,
  ...joining,
  ...joinRequests,
  /** What the language calls itself. */
  name: 'English',
  /** By what a link is for. */
  links: {
    sign_in: {
      heading: (address: string, organization: string) => `Sign in to ${organization} as ${address}`,
      button: 'Sign in',
      hint: 'This link works once and continues your sign-in.',
      unexpected: 'If you did not try to sign in, close this page. Nothing will happen.',
    },
    password: {
      heading: (address: string, organization: string) =>
        `Choose a password for ${address} at ${organization}`,
      button: 'Continue',
      hint: 'This link works once. You choose the password on the next page.',
      unexpected: 'If you did not ask for a new password, close this page. Nothing will change.',
    },
  },
  /** A link that was opened in a browser other than the one that asked for it. */
  linkElsewhere: {
    button: 'Show my code',
    hint: 'You asked for this link in a different browser. We will show you a code to enter there.',
  },
  deadLink: {
    heading: 'This link no longer works',
    sentence: 'Sign-in links work once and only for a few minutes, and this one cannot be used.',
    advice: 'Go back to the application and ask for a new link.',
  },
  deadRelay: {
    heading: 'This link no longer works',
    sentence: 'It can be used once, and only for a short time.',
    advice: 'Go back to the application you came from and try again.',
  },
  relayEmailTaken: {
    heading: 'You cannot sign in there',
    sentence:
      'An account with your e-mail address already exists there, and we cannot confirm that it is yours.',
    advice: 'Sign in there directly, or contact the people who run that application.',
  },
  relayUserInactive: {
    heading: 'You cannot sign in there',
    sentence: 'Your account there has been deactivated.',
    advice: 'Contact the people who run that application.',
  },
  /** The page was sent by a browser other than its own, or too late. */
  otherBrowser: {
    heading: 'Please start again',
    sentence:
      'This page was open for too long, belongs to a different browser, or your browser blocked its cookie.',
    advice:
      'Go back to the application, or open the link in your e-mail again, in the browser you want to sign in with.',
  },
  flowOver: {
    heading: 'This sign-in has expired',
    sentence: 'It was already completed, took longer than an hour, or was started in a different browser.',
    advice: 'Go back to the application and sign in again.',
  },
  notSignedIn: {
    heading: 'You are not signed in',
    sentence: 'You are not signed in to this organization in this browser, or your session has expired.',
    advice: 'Sign in from an application, then come back.',
  },
  noWayToSignIn: {
    heading: 'Sign-in is not set up yet',
    sentence: 'This organization has not enabled a sign-in method.',
    advice: 'Contact the people who run the application.',
  },
  signInRefused: {
    heading: 'You cannot sign in',
    sentence: 'Your account or e-mail address cannot be used here at the moment.',
    advice: 'Contact your administrator.',
  },
  noSeat: {
    heading: 'There is no place for you yet',
    sentence: 'The organization has as many members as it can have at the moment.',
    advice:
      'Ask your administrator, or the person who invited you, and then try again. An invitation stays valid until then.',
  },
  tooMany: {
    heading: 'Too many attempts',
    sentence: 'There have been too many attempts from your network.',
    advice: 'Try again in a few minutes.',
  },
  unreadable: {
    heading: 'We could not read this request',
    sentence: 'It is too large, or not in the expected format.',
    advice:
      'Go back and try again. If it keeps happening, send the reference below to the people who run the application.',
  },
  /** Developers find what is wrong in the log, and in the sandbox on the page. */
  invalidRequest: {
    heading: 'The application sent an invalid request',
    sentence: 'We cannot continue, because the application that sent you here made a mistake.',
    advice:
      'Go back and try again. If it keeps happening, send the reference below to the people who run the application.',
  },
  failure: {
    heading: 'Something went wrong',
    sentence: 'There is a problem on our side.',
    advice: 'Try again in a minute.',
  },
  reference: (requestId: string) => `Reference: ${requestId}`,
  goBack: 'Go back',
  backTo: (application: string) => `Back to ${application}`,
  backToSignIn: 'Back to sign-in',
  tryAgain: 'Try again',
  tryAgainWhen: (wait: string) => `Try again ${wait}.`,
  forDevelopers: 'For developers',
  sandbox: 'Sandbox: for testing only',
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
