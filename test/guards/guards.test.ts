import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { guards } from './guards.js'
import { edited } from './repository-copy.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

test.each(guards.map((guard) => [guard.name, guard] as const))(
  '%s: is where npm run test:guards looks for it',
  (_name, { edits }) => {
    for (const edit of edits) {
      const content = readFileSync(`${root}/${edit.file}`, 'utf8')
      expect(() => edited(content, edit)).not.toThrow()
    }
  },
)

test('no two guards have one name', () => {
  const names = guards.map(({ name }) => name)
  expect(names).toHaveLength(new Set(names).size)
})
