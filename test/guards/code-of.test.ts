import { expect, test } from 'vitest'
import { codeAround, codeOfTest } from './code-of.js'

/** What is said of removing `!b` from the first function. */
const around = (before: string) => codeAround('a.tsx', before, before.replace('!b', 'false'))
const withOther = (first: string, other = 'function g() { return 2 }') => `${first}\n${other}`

test('a removal that was noticed is believed until a word of the function around it changes', () => {
  const plain = withOther('function f(b) { if (!b) throw new Error("c // d") }')
  const commented = withOther(
    '/** Says b. */\nfunction f(b) {\n  // one\n  if (!b)\n    throw new Error("c // d") // e\n}',
  )

  expect(around(commented)).toBe(around(plain))
  expect(around(plain.replace('return 2', 'return 3'))).toBe(around(plain))
  expect(around(plain.replace('c // d', 'c // e'))).not.toBe(around(plain))
  expect(around(withOther('const f = <b title={!b}>c // d</b>'))).not.toBe(
    around(withOther('const f = <b title={!b}>c // e</b>')),
  )
})

test('the code of a test is that of its call, and that of its file where a table makes the title', () => {
  const own = codeOfTest({
    file: 'test/guards/code-of.test.ts',
    title: 'the code of a test is that of its call, and that of its file where a table makes the title',
  })
  const made = codeOfTest({
    file: 'test/guards/guards.test.ts',
    title: 'users.get: is where npm run test:guards looks for it',
  })

  expect(own).toMatch(/^test \( 'the code of a test/)
  expect(made).toContain('no two guards have one name')
})
