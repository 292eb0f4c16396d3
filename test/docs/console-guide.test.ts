import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findingCodes } from '@portico/contract/people'
import { expect, test } from 'vitest'
import { dangerList, rolesTable, unaligned } from './console-guide.js'

const guide = readFileSync(fileURLToPath(new URL('../../docs/guides/console.md', import.meta.url)), 'utf8')

test('docs/guides/console.md says of each role what the table of rights has', () => {
  expect(unaligned(guide)).toContain(rolesTable())
})

test('docs/guides/console.md names the operations that ask for a reason or a proof', () => {
  expect(guide).toContain(dangerList())
})

test('docs/guides/console.md explains each finding of the page about a person once', () => {
  const [, section = ''] = guide.split('## Why a person cannot sign in')
  const [rows = ''] = section.split('\n## ')
  const explained = [...rows.matchAll(/^\| `(\w+)` /gm)].map(([, code]) => code)

  expect(explained).toEqual([...findingCodes])
})
