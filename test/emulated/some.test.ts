import { expect, test } from 'vitest'
import { runThroughEmulator } from './run.js'

/** Of each kind of tests one; `npm run test:emulator` has all of them. */
const files = [
  'test/contract/magic-link.test.ts',
  'test/contract/organizations.test.ts',
  'test/contract/totp-challenge.test.ts',
  'test/contract/webhooks.test.ts',
  'test/mock/mock.test.ts',
  'test/protocol/oidc.test.ts',
  'test/protocol/refresh-refused.test.ts',
  'test/protocol/saml-sign-in.test.ts',
  'test/scim/groups.test.ts',
]

test('tests of every kind pass through the packed SDK and an emulator as through the service', async () => {
  const { code, output } = await runThroughEmulator(files, 'pipe')

  expect(code, output).toBe(0)
  // Not one of them was left out.
  expect(output).toMatch(
    new RegExp(`${files.length} files through the emulator: \\d{3,} passed, 0 failed, 0 excluded\n`),
  )
}, 600_000)
