import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allowed } from './generated/allowed.js'
import { demanded, generatedGuards } from './generated/generated.js'
import { readNoticed } from './generated/noticed.js'
import { guards } from './guards.js'
import { edited } from './repository-copy.js'
import { titlesIn } from './titles.js'

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
  const names = [...guards, ...generatedGuards].map(({ name }) => name)
  expect(names).toHaveLength(new Set(names).size)
})

test('every removal that no test needs to notice is one that is generated', () => {
  const names = new Set(demanded.flatMap((name) => [name, name.split(' without ')[0]]))
  const unknown = Object.keys(allowed).filter((name) => !names.has(name))
  expect(unknown).toEqual([])
})

// `npm run test:guards -- FILE` finds tests for new removals, and deletes lines of obsolete ones.
test('of every other removal that is generated the test is known that notices it', () => {
  expect([...readNoticed().keys()].toSorted()).toEqual(generatedGuards.map(({ name }) => name).toSorted())
})

test('every test that is to notice, or to stay green, is in its file', () => {
  const tests = [...guards, ...[...readNoticed().values()].flat()].flatMap(({ red, green }) => [red, green])
  const missing = [...new Set(tests.map(({ file }) => file))].flatMap((file) => {
    const known = titlesIn(readFileSync(`${root}/${file}`, 'utf8'))
    const titles = tests.flatMap((test) => (test.file === file ? [test.title] : []))
    return titles.filter((title) => !known.some((pattern) => pattern.test(title)))
  })
  expect(missing).toEqual([])
})
