import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import { chooseTests } from './choose-tests.js'

const files: Record<string, string> = {
  'server/src/users/users.ts': '',
  'server/src/users/phone.ts': '',
  'server/src/users/phone.test.ts': "import { a } from './phone.js'",
  'server/src/db/page.ts': '',
  'contract/src/users.ts': '',
  'contract/src/contract.ts': "import { users } from './users.js'",
  'test/given.ts': '',
  'test/contract/users.test.ts': "import { given } from '../given.js'",
  'test/contract/relays.test.ts': "import { contract } from '@portico/contract/contract'",
  'test/resilience/kills.long.test.ts': "import { given } from '../given.js'",
}

function chosen(...changed: string[]) {
  const root = mkdtempSync(join(tmpdir(), 'portico-changed-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return chooseTests(root, Object.keys(files), changed)
}

test.each([
  ['a test that has changed', 'test/contract/relays.test.ts', ['test/contract/relays.test.ts']],
  ['a helper of tests, but for long ones', 'test/given.ts', ['test/contract/users.test.ts']],
  [
    'a source, by the test beside it and by the name of its resource',
    'server/src/users/phone.ts',
    ['server/src/users/phone.test.ts', 'test/contract/users.test.ts'],
  ],
  [
    'a file of the contract, by its name and by who imports what has it',
    'contract/src/users.ts',
    ['test/contract/relays.test.ts', 'test/contract/users.test.ts'],
  ],
])('%s leads to its tests', (_, changed, tests) => {
  expect(chosen(changed)).toEqual({ files: tests, unknown: [] })
})

test('a source that no test is known for is told', () => {
  expect(chosen('server/src/db/page.ts')).toEqual({ files: [], unknown: ['server/src/db/page.ts'] })
})
