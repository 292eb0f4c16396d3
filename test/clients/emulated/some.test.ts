import { expect, test } from 'vitest'
import { sampled } from '../../sampled.js'
import { runThroughEmulator } from './run.js'

/**
 * Of the contract, of the protocols and of SCIM a small one. `npm test` runs the first of them, and `npm run test:emulator`
 * all files of tests.
 */
const files = sampled(
  [
    'test/api/organizations.test.ts',
    'test/protocols/refresh-refused.test.ts',
    'test/protocols/scim/groups.test.ts',
  ],
  1,
)

test(`${files.join(', ')}: passes through the packed SDK and an emulator as through the service`, async () => {
  const { code, output } = await runThroughEmulator(files, 'pipe')

  expect(code, output).toBe(0)
  // Not one of them was left out.
  expect(output).toMatch(
    new RegExp(`${files.length} files through the emulator: \\d{2,} passed, 0 failed, 0 excluded\n`),
  )
}, 600_000)
