import { expect, test } from 'vitest'
import { sampled } from '../../sampled.js'
import { runThroughEmulator } from './run.js'

/**
 * One small test file each of the API, the protocols and SCIM. `npm test` runs the first one, and `npm run test:emulator`
 * all test files.
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
  // No test was excluded.
  expect(output).toMatch(
    new RegExp(`${files.length} files through the emulator: \\d{2,} passed, 0 failed, 0 excluded\n`),
  )
}, 600_000)
