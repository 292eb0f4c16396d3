import type { HealthCode } from '@portico/contract/health'
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
  otherForm: {
    heading: 'This form was not accepted',
    sentence: 'It comes from another browser, or from a page that is no longer current.',
    advice: 'Open the page of the form again, and send it from there.',
  } satisfies PageSentence,
  noRole: {
    heading: 'You have no role here',
    sentence: 'You are signed in, but have no role in the console of this account.',
    advice: 'Ask an owner of the account for one.',
  } satisfies PageSentence,
  tooMany: {
    heading: 'Too many requests',
    sentence: 'You have sent more requests than the console takes in a minute.',
    advice: 'Wait a minute, and try again.',
  } satisfies PageSentence,
  frame: {
    skip: 'Skip to the content',
    navigation: 'Menu',
    way: 'You are here',
    home: 'Home',
    environments: { production: 'PRODUCTION', sandbox: 'SANDBOX' },
    switchTo: (environment: string) => `Switch to ${environment}`,
    signedInAs: 'Signed in as',
    signOut: 'Sign out',
    language: 'Language',
    people: 'Find a person',
    search: 'Find an address, an organization or an id',
    searchButton: 'Search',
    groups: {
      customers: 'Customers',
      integration: 'Integration',
      activity: 'Activity',
      account: 'Account',
    },
  },
  overview: {
    first: 'First steps',
    organizations: 'Create an organization for your first customer',
    applications: 'Register the application that its users sign in to',
    keys: 'Create an API key for your back end',
    example: 'Sign in for the first time: the guide',
    attention: 'Needs attention',
    allWell: 'Nothing does.',
    tiles: {
      webhooks_failing: 'webhooks whose last delivery failed',
      deliveries_lost: 'deliveries lost in the last 24 hours',
      certificates_ending: 'SSO connections whose certificate ends within 30 days, or has ended',
      sso_connections_failing: 'SSO connections whose last three sign-ins failed',
      directories_refusing: 'directories with a refused request in the last 24 hours',
      messages_failed: 'mails and text messages that could not be sent',
      jobs_failed: 'jobs that have failed for good',
      jobs_overdue: 'jobs that are overdue',
      api_keys_ending: 'API keys that end within 14 days',
      api_keys_unused: 'API keys that nobody has used for 90 days',
    } satisfies Record<HealthCode, string>,
    signIns: (days: number) => `Sign-ins of the last ${days} days`,
    sums: (passed: string, failed: string) => `${passed} passed, ${failed} failed.`,
    chart: 'Sign-ins by day: passed below, failed on top',
    asOf: 'As of',
    notCounted: 'They are counted every ten minutes, and have not been yet.',
    asTable: 'As a table',
    day: 'Day',
    passed: 'Passed',
    failed: 'Failed',
    reasons: 'What failed most',
  },
}

export type ConsoleTexts = typeof en
