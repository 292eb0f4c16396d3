import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import { filesIn } from '../full/files.js'
import { root } from '../full/pieces.js'
import { chooseTests } from './choose-tests.js'
import { guardTestsOf } from './guard-tests.js'

const files: Record<string, string> = {
  'server/src/directory/users/users.ts': '',
  'server/src/directory/users/phone.ts': '',
  'server/src/directory/users/phone.test.ts': "import { a } from './phone.js'",
  'server/src/platform/db/page.ts': '',
  'contract/src/resources/users.ts': '',
  'contract/src/contract.ts': "import { users } from './resources/users.js'",
  'test/given/given.ts': '',
  'test/api/users.test.ts': "import { given } from '../given/given.js'",
  'test/api/relays.test.ts': "import { contract } from '@portico/contract/contract'",
  'test/resilience/kills.long.test.ts': "import { given } from '../given/given.js'",
}

function chosen(...changed: string[]) {
  return chosenOf(files, ...changed)
}

function chosenOf(texts: Record<string, string>, ...changed: string[]) {
  const repository = mkdtempSync(join(tmpdir(), 'portico-changed-'))
  onTestFinished(() => rmSync(repository, { recursive: true }))
  for (const [file, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(repository, file)), { recursive: true })
    writeFileSync(join(repository, file), text)
  }
  return chooseTests(repository, Object.keys(texts), changed)
}

test.each([
  ['a test that has changed', 'test/api/relays.test.ts', ['test/api/relays.test.ts']],
  ['a helper of tests, but for long ones', 'test/given/given.ts', ['test/api/users.test.ts']],
  [
    'a source, by the test beside it and by the name of its resource',
    'server/src/directory/users/phone.ts',
    ['server/src/directory/users/phone.test.ts', 'test/api/users.test.ts'],
  ],
  [
    'a file of the contract, by its name and by who imports what has it',
    'contract/src/resources/users.ts',
    ['test/api/relays.test.ts', 'test/api/users.test.ts'],
  ],
])('%s leads to its tests', (_, changed, tests) => {
  expect(chosen(changed)).toEqual({ files: tests, unknown: [] })
})

test('a source that no test is known for is told', () => {
  expect(chosen('server/src/platform/db/page.ts')).toEqual({
    files: [],
    unknown: ['server/src/platform/db/page.ts'],
  })
})

test('an import by a unit test elsewhere says nothing of a source, and neither does a test beside it that has another one', () => {
  const changed = 'server/src/platform/db/page.ts'
  const more = {
    'server/src/app/app.ts': "import { page } from '../platform/db/page.js'",
    'server/src/cli/emulator/router.test.ts': "import { app } from '../../app/app.js'",
    'server/src/platform/db/statement.test.ts': '',
  }

  expect(chosenOf({ ...files, ...more }, changed)).toEqual({ files: [], unknown: [changed] })
})

test('a unit test that imports a source is chosen, and does not make it known', () => {
  const changed = 'server/src/platform/db/page.ts'
  const more = {
    'server/src/directory/users/list.test.ts': "import { page } from '../../platform/db/page.js'",
  }

  expect(chosenOf({ ...files, ...more }, changed)).toEqual({ files: Object.keys(more), unknown: [changed] })
})

test('a test that has gone leads nowhere', () => {
  expect(chosen('test/api/gone.test.ts')).toEqual({ files: [], unknown: [] })
})

test.each([
  [
    'an endpoint, by its name and its folder',
    'server/src/protocols/oauth/authorize.ts',
    [
      'test/protocols/authorize.test.ts',
      'test/protocols/oauth-client.test.ts',
      'test/protocols/oauth-token.test.ts',
    ],
  ],
  ['a guide', 'docs/guides/start.md', ['test/docs/guides.test.ts']],
  [
    'the style of the pages',
    'server/src/pages/frame/style.css',
    ['test/protocols/hosted-pages.test.ts', 'test/protocols/pages.test.ts'],
  ],
])('in this repository, %s leads to its tests', (_, changed, tests) => {
  const found = chooseTests(root, filesIn(root), [changed], guardTestsOf)

  expect(found).toEqual({ files: expect.arrayContaining(tests) as unknown, unknown: [] })
  expect(found.files).not.toContain('server/src/cli/emulator/router.test.ts')
})

test.each([
  [
    'the check of permissions, of which a test is known for its guards alone',
    'server/src/app/http/authorize.ts',
    'test/api/declared-errors.test.ts',
  ],
  [
    'the manifest of all, of which a test has the name alone',
    'package.json',
    'test/clients/sdk/package.test.ts',
  ],
])('in this repository, %s is told', (_, changed, test) => {
  const { files: found, unknown } = chooseTests(root, filesIn(root), [changed], guardTestsOf)

  expect(unknown).toEqual([changed])
  expect(found).toContain(test)
  expect(found).not.toContain('server/src/cli/emulator/router.test.ts')
})
