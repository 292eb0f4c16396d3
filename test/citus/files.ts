/** What `npm run test:citus` runs: tests of the service that a single Postgres runs, too, and those of the cluster. */
export const files = [
  ...[
    'applications',
    'canary',
    'directory-sync',
    'domains',
    'erasure',
    'event-positions',
    'events',
    'invitations',
    'join-requests',
    'lists',
    'log-events',
    'magic-link',
    'organizations',
    'password-challenge',
    'password-request',
    'password-set',
    'relays',
    'roles',
    'sso-connections',
    'token-customization',
    'totp-challenge',
    'totp-enrollment',
    'user-list',
    'users',
    'webhooks',
  ].map((name) => `test/api/${name}.test.ts`),
  ...[
    'account-email',
    'account-tokens',
    'authorize',
    'hosted-pages',
    'impersonation',
    'joining',
    'oauth-token',
    'oidc-sign-in',
    'passkey-sign-in',
    'refresh',
    'relay',
    'role-mapping',
    'saml-sign-in',
    'scim/groups',
    'scim/users',
    'sign-in-flow',
    'social-sign-in',
  ].map((name) => `test/protocols/${name}.test.ts`),
  'test/cli/config.test.ts',
  'test/console/rights.test.ts',
  'test/citus/cell.long.test.ts',
]

/** The files whose path contains one of the words, or all without any; and the words that no path contains. */
export function chooseFiles(words: readonly string[]): {
  readonly chosen: readonly string[]
  readonly unknown: readonly string[]
} {
  return {
    chosen: files.filter((file) => words.length === 0 || words.some((word) => file.includes(word))),
    unknown: words.filter((word) => !files.some((file) => file.includes(word))),
  }
}
