import { expect, test } from 'vitest'
import { root } from '../full/pieces.js'
import { chooseFiles, exceptions, filesOfCluster, filesOfService } from './files.js'

const files = filesOfCluster(root)

test('a cluster runs the tests that use a service, but for the exceptions, each of which is for some of them', () => {
  const ofService = filesOfService(root)
  expect(ofService).toEqual(
    expect.arrayContaining([
      'test/api/users.test.ts',
      'test/citus/cell.long.test.ts',
      'test/cli/config.test.ts',
    ]),
  )
  expect(ofService).not.toContain('test/citus/files.test.ts')

  const excepted = Object.keys(exceptions).map((place) => ofService.filter((file) => file.startsWith(place)))
  expect(excepted).not.toContainEqual([])
  expect([...files, ...excepted.flat()].toSorted()).toEqual(ofService)
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
