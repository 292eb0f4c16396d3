/** The services that are measured beside ours, and what each does not do, as its source has it. */
export const peers = [
  {
    row: 'P1',
    name: 'better-auth',
    version: '1.6.34',
    without:
      'no tenants: a list is of all users. No event, log or job is written with a user: the address is looked for and the ' +
      'user is inserted by two statements without a transaction, and hooks run before or after. The total of a list is a statement ' +
      'of its own, of another moment than the page. When the database fails, a list is answered as an empty one.',
  },
  {
    row: 'P2',
    name: 'oidc-provider',
    version: '9.13.3',
    without:
      'no database: clients are in its configuration, their secrets in clear and not hashed. Nothing is stored of a token ' +
      'that is signed, and no log is written, so that nobody can tell later what was issued; a client that is taken away or changed ' +
      'needs another process. There are no accounts.',
  },
  {
    row: 'P3',
    name: 'saml-jackson',
    version: '26.2.0',
    without:
      'no id of an assertion is remembered, and `InResponseTo` is looked at in the response around it alone, where it may be ' +
      'missing: an assertion that is signed by itself is accepted again with another login. The login is read by one statement ' +
      'and deleted by another after the code was made, so that a response posted twice at once gives two codes. Neither ' +
      '`Recipient` nor the time of the subject confirmation is looked at, the times of the conditions have ten minutes either way, ' +
      'and an audience need only begin as ours does. Nothing is logged of a sign-in that succeeds. A user of a directory is ' +
      'JSON in one column; an address is looked for first and has no unique index; the event is told after the transaction, to a ' +
      'callback that here does nothing, and is lost when the process ends. The secret of a directory is stored in clear unless there ' +
      'is an `encryptionKey`, and here there is none.',
  },
] as const
