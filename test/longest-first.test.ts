import { expect, test } from 'vitest'
import { checkThere } from './longest-first.js'

test('a list of files that names one which is not there is told', () => {
  expect(() => checkThere('the list', ['test/longest-first.test.ts'])).not.toThrow()
  expect(() => checkThere('the list', ['test/longest-first.test.ts', 'test/renamed.test.ts'])).toThrow(
    'the list names test/renamed.test.ts, which is not there',
  )
})
