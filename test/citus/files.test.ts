import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../full/pieces.js'
import { chooseFiles, exceptions, filesOfCluster } from './files.js'

const files = filesOfCluster(root)

test('a cluster runs the tests that use a service, and those of its own', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'test/api/users.test.ts',
      'test/citus/cell.long.test.ts',
      'test/console/staff.test.ts',
      'test/protocols/scim/users.test.ts',
    ]),
  )
  expect(files).not.toContain('test/protocols/saml/wrapping.test.ts')
  expect(files).not.toContain('test/citus/files.test.ts')
})

test('each exception is a test that would be run', () => {
  expect(Object.keys(exceptions).filter((file) => !existsSync(join(root, file)))).toEqual([])
  expect(files.filter((file) => exceptions[file] !== undefined)).toEqual([])
})

test('a word that no path contains is told, because no file at all would be every file', () => {
  expect(chooseFiles(files, ['test/api/users', 'drive'])).toEqual({
    chosen: ['test/api/users.test.ts'],
    unknown: ['drive'],
  })
})

test('the parts together are all files, each in one part', () => {
  const parts = ['1/3', '2/3', '3/3'].flatMap((part) => chooseFiles(files, [], part).chosen)

  expect(parts.toSorted()).toEqual(files.toSorted())
  expect(() => chooseFiles(files, [], '4/3')).toThrow(/--shard takes/)
})
