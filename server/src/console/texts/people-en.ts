import type { FindingAction, FindingCode } from '@portico/contract/people'

/** What a sentence about a finding names. */
export interface FindingFacts {
  /** '' where there is none. */
  readonly detail: string
  /** Which mail it is. */
  readonly mail: string
  /** What a check of single sign-on demands, as a sentence. */
  readonly demands: string
  readonly count: number
  /** A time as people read it; '' where there is none. */
  readonly until: string
  readonly at: string
}

/** The words of the page about a person, in English. */
export const en = {
  title: 'Why can this person not sign in?',
  email: 'E-mail address',
  search: 'Look up',
  searchHelp: 'The address is looked up in every organization. The audit keeps that you have looked it up.',
  nobody: 'No organization of this environment has anything to do with this address.',
  nobodyAdvice: 'Check the spelling and the environment, or name the organization.',
  organization: 'Organization, by its domain',
  cut: 'There are more organizations than are shown. Name one.',
  cannot: (email: string) => `${email} cannot sign in.`,
  can: (email: string) => `Nothing stops ${email} from signing in.`,
  last: (at: string) => `The last sign-in was at ${at}.`,
  never: 'There was no sign-in yet.',
  method: {
    sso: 'The pages send the person to single sign-on.',
    password: 'The pages ask the person for a password.',
    magic_link: 'The pages send the person a sign-in link.',
    passkey: 'The pages ask the person for a passkey.',
    social: 'The pages send the person to a social provider.',
  },
  stops: 'Stops the sign-in',
  note: 'Note',
  attempt: 'Login attempt',
  user: 'User',
  sessions: 'Sessions',
  log: 'Log of the address',
  done: 'Done. Look again at what is left.',
  failed: 'This did not work:',
  noApplication: 'The organization has no application to which a password mail could lead.',
  findings: {
    no_application: () => 'The organization has no application that can receive a user.',
    redirect_not_allowed: () =>
      'The application of the last sign-in, or its redirect URL, is no longer allowed.',
    no_method: () =>
      'No sign-in method is on, neither password nor sign-in link nor single sign-on, and the person has no passkey and no account at a social provider.',
    email_domain_not_allowed: ({ detail }) =>
      `The organization allows only addresses of ${detail || 'other domains'}.`,
    sso_inactive: () =>
      'The domain of the address belongs to single sign-on, and the connection is switched off.',
    sso_not_configured: () => 'Single sign-on has no metadata yet, or no client.',
    sso_certificate_ended: ({ until }) => `The certificate of the identity provider ended at ${until}.`,
    sso_attempt_failed: ({ detail, demands }) =>
      `The last sign-in by single sign-on failed at the check ${detail}.${demands === '' ? '' : ` It demands: ${demands}`}`,
    sso_policy: ({ detail }) => `The user policy of the connection does not let this address in (${detail}).`,
    no_user: () => 'No user has this address, and a sign-in creates none.',
    user_deleted: ({ at }) => `A user had this address and was deleted at ${at}.`,
    not_yet_user: () => 'No user has this address yet; the next sign-in creates one or offers to join.',
    no_seat: ({ count }) => `All ${count} seats of the organization are taken.`,
    user_inactive: () => 'The user is inactive.',
    locked: ({ count, until }) =>
      `Sign-in is locked after ${count} attempts${until === '' ? '' : `, until ${until}`}.`,
    password_missing: () => 'The user has no password, and the pages ask for one.',
    mail_sent: ({ at, mail }) => `The mail server accepted the last mail (${mail}) at ${at}.`,
    mail_kept: ({ at }) => `The last mail is in the outbox since ${at}.`,
    mail_failed: ({ at, mail, detail }) => `The last mail (${mail}), at ${at}, was not accepted: ${detail}.`,
    mail_limit: ({ until }) => `The address gets no more mail until ${until}.`,
    second_factor_missing: ({ until }) =>
      until === ''
        ? 'A second factor is demanded, and the user has none.'
        : `A second factor will be demanded from ${until} on, and the user has none.`,
    second_factor_enrolled: () => 'The user has a second factor, and is asked for it.',
    second_factor_locked: ({ until }) => `Too many wrong codes: the second factor is locked until ${until}.`,
    required_metadata_missing: ({ detail }) =>
      `The user lacks metadata that the organization requires${detail === '' ? '' : ` (${detail})`}.`,
    attempt_refused: ({ at, detail }) => `The last attempt, at ${at}, was refused: ${detail}.`,
  } satisfies Record<FindingCode, (facts: FindingFacts) => string>,
  actions: {
    edit_application: 'Applications of the organization',
    edit_sign_in_methods: 'Sign-in methods of the organization',
    edit_allowed_domains: 'Change the allowed domains',
    edit_sso_connection: 'Open the SSO connection',
    edit_policy: 'Open the policy',
    edit_passkeys: 'Open the settings of passkeys',
    create_user: 'Create the user',
    activate_user: 'Activate the user',
    unlock: 'Unlock',
    send_link: 'Send a sign-in link',
    send_password_mail: 'Send a password mail',
    remove_second_factor: 'Remove the second factor',
    edit_metadata: 'Add metadata',
  } satisfies Record<FindingAction, string>,
}

export type PeopleTexts = typeof en
