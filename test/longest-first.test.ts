import { expect, test } from 'vitest'
import { checkThere } from './longest-first.js'

test('a file that is to be begun first, and has another name, is told', () => {
  expect(() => checkThere(['test/longest-first.test.ts'])).not.toThrow()
  expect(() => checkThere(['test/longest-first.test.ts', 'test/renamed.test.ts'])).toThrow(
    'names test/renamed.test.ts, which is not there',
  )
})
