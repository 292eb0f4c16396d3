/** Sources whose guards are removed one by one, and the tests of which at least one must notice each. */
export interface Listed {
  /** Files and complete folders. */
  readonly sources: readonly string[]
  readonly tests: readonly string[]
  /** Prefixes of route names whose tests in the tables over all routes are included. */
  readonly routes: readonly string[]
}

export const listed: readonly Listed[] = [
  {
    sources: [
      'server/src/sign-in/totp/challenge.ts',
      'server/src/sign-in/totp/connection.ts',
      'server/src/sign-in/totp/enroll-in-flow.ts',
      'server/src/sign-in/totp/enrollment.ts',
      'server/src/sign-in/totp/flow-challenge.ts',
      'server/src/sign-in/totp/recovery-codes.ts',
      'server/src/sign-in/totp/remove-enrollment.ts',
      'server/src/sign-in/totp/replace-recovery-codes.ts',
    ],
    tests: [
      'test/api/totp-challenge.test.ts',
      'test/api/totp-enrollment.test.ts',
      'test/api/totp-sms.test.ts',
      'test/protocols/flow-enrollment.test.ts',
      'test/protocols/flow-second-factor.test.ts',
      'test/protocols/flow-attacks.test.ts',
      'test/api/totp-connection.test.ts',
      'test/api/totp-removal.test.ts',
      'test/api/totp-sign-in.test.ts',
      'test/api/totp-sms-limits.test.ts',
      'test/api/second-factor-states.test.ts',
      'server/src/sign-in/totp/recovery-codes.test.ts',
      'server/src/sign-in/totp/totp-code.test.ts',
    ],
    routes: ['totp.'],
  },
  {
    sources: ['server/src/directory/applications/account-applications.ts'],
    tests: ['test/api/account-applications.test.ts'],
    routes: ['applications.listOfAccount'],
  },
  {
    sources: ['server/src/directory/users/filtered-users.ts'],
    tests: ['test/api/user-list.test.ts'],
    routes: [],
  },
  {
    sources: ['server/src/app/http/authorize.ts', 'server/src/app/http/https-only.ts'],
    tests: ['test/guards/api-keys.test.ts'],
    routes: ['users.get', 'organizations.create', 'outbox.list'],
  },
  {
    sources: ['server/src/platform/http/json-size.ts'],
    tests: ['server/src/platform/http/body.test.ts'],
    routes: [],
  },
  {
    sources: ['server/src/protocols/scim/exchange.ts'],
    tests: ['test/protocols/scim/log.test.ts', 'test/protocols/scim/requests.test.ts'],
    routes: [],
  },
  {
    sources: ['server/src/sign-in/flows/attempts.ts'],
    tests: ['test/api/limits.test.ts'],
    routes: [],
  },
]
