import type { DomainResult, DomainState } from '@portico/contract/domains'

/** Why a domain was not added. */
export const domainFaults = [
  'missing',
  'invalid',
  'address',
  'single_label',
  'public_suffix',
  'public_mail',
  'reserved',
  'taken',
  'exhausted',
] as const
export type DomainFault = (typeof domainFaults)[number]

/** The words of the page on which an administrator proves the domains of the organization. */
export const emailDomains = {
  emailDomains: {
    heading: 'Your domains',
    sentence:
      'Prove that the domains of your e-mail addresses are yours. Only then may your identity provider and your directory vouch for these addresses.',
    link: 'Prove your domains',
    listSentence: 'The domains of your e-mail addresses, and the proof that they are yours.',
    none: 'No domain yet. Add the one of your e-mail addresses below.',
    add: 'Add a domain',
    domain: 'Domain',
    domainHint: 'The part of your e-mail addresses after the @, such as',
    addButton: 'Add the domain',
    states: {
      pending: 'Waiting for the record',
      verified: 'Verified',
      lapsing: 'Record missing',
      lapsed: 'Lapsed',
      expired: 'Expired',
      declared: 'Confirmed',
    } satisfies Record<DomainState, string>,
    /** The meaning of each state; the day is the one on which it ends. */
    meanings: {
      pending: (day: string) =>
        `Add the record below, and we will find it: we look every few minutes at first, then hourly, then daily, until ${day}. Until it is found, the domain counts for nothing.`,
      verified: () => 'The domain is proved. Leave the record in place: we look for it once a week.',
      lapsing: (day: string) =>
        `The record was there, and is missing now. Put it back before ${day}: from then on, the domain counts for nothing.`,
      lapsed: () =>
        'The record has been missing for too long, and the domain counts for nothing. Put it back, and the domain is verified again.',
      expired: () =>
        'The record was not found within 30 days, and its value is void. Ask for a new one, and add that.',
      declared: () =>
        'The people who invited you have confirmed that the domain is yours. You need no record; with one, the domain is verified.',
    } satisfies Record<DomainState, (day: string) => string>,
    results: {
      matched: 'The record was found.',
      not_matched: 'There is a record of this name, but with another value.',
      no_record: 'There is no record of this name yet. A new one may take an hour to be seen.',
      no_answer: 'The name servers of the domain did not answer. That proves nothing, and ends nothing.',
    } satisfies Record<DomainResult, string>,
    checked: (ago: string) => `Last checked: ${ago}.`,
    record: 'The record',
    recordSentence: 'Add this TXT record where the DNS of the domain is kept, and leave it in place:',
    recordName: 'Name of the TXT record',
    recordValue: 'Value of the TXT record',
    recordHint:
      'Some consoles append the domain to the name themselves: enter only the part before it there.',
    check: 'Check now',
    renew: 'Get a new record',
    use: (connection: string) => `Use it for ${connection}`,
    useSentence:
      'Users with addresses of this domain will sign in with the connection, which then vouches for them. New users with addresses of other domains may be refused.',
    usedBy: (connections: string) => `Used by ${connections}.`,
    notProved:
      'Nothing was changed: only a domain that is verified or confirmed can be used, and by one connection.',
    tooSoon: (wait: string) => `It was checked just now. Try again ${wait}.`,
    changed: 'Something has changed since you opened this page. Review it below, and try again if needed.',
    faults: {
      missing: 'Enter a domain.',
      invalid: 'This is not a domain. One looks like example.com.',
      address: 'Enter only the domain, without what is before the @, and without https://.',
      single_label: 'The domain needs a dot, as in example.com.',
      public_suffix: 'Anybody can have a domain below this one, so that it cannot be yours alone.',
      public_mail: 'Anybody can get an address at this mail provider, so that it cannot be yours alone.',
      reserved: 'No public DNS has this domain, so that no record can prove it.',
      taken: 'You have this domain already: it is listed above.',
      exhausted: 'You have as many domains as are possible. Ask the people who invited you to remove some.',
    } satisfies Record<DomainFault, string>,
  },
  noSuchDomains: {
    heading: 'Domains not found',
    sentence: 'Your invitation does not include the domains at this address.',
    advice: 'Open the link in your invitation e-mail again.',
  },
}

export type EmailDomainsTexts = typeof emailDomains
