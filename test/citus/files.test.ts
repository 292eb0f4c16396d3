import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../full/pieces.js'
import { chooseFiles } from './files.js'

test('what test:citus runs is there', () => {
  const { chosen } = chooseFiles([])
  expect(chosen.filter((file) => !existsSync(join(root, file)))).toEqual([])
  expect(chosen.length).toBeGreaterThan(0)
})

test('a word that no path contains is told, because no file at all would be every file', () => {
  expect(chooseFiles(['test/api/users', 'drive'])).toEqual({
    chosen: ['test/api/users.test.ts'],
    unknown: ['drive'],
  })
})
