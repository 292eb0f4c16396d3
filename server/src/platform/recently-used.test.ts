import { expect, test } from 'vitest'
import { keepRecentlyUsed, shareAmongOwners } from './recently-used.js'

test('of more values than are kept, the one goes that was used longest ago', () => {
  const kept = new Map<string, number>()
  keepRecentlyUsed(kept, 'a', 1, 2)
  keepRecentlyUsed(kept, 'b', 2, 2)

  expect(keepRecentlyUsed(kept, 'a', 1, 2)).toBe(1)
  keepRecentlyUsed(kept, 'c', 3, 2)

  expect([...kept]).toEqual([
    ['a', 1],
    ['c', 3],
  ])
})

test('an owner of many values loses its own, and not the one of another', () => {
  const places = shareAmongOwners<number>(3)
  places.keep('small', 'only', 1)
  for (let index = 0; index < 10; index += 1) places.keep('large', `key ${index}`, index)

  expect(places.get('small', 'only')).toBe(1)
  expect([7, 8, 9].map((index) => places.get('large', `key ${index}`))).toEqual([undefined, 8, 9])
})

test('the least recently kept value goes first, and one that is kept again takes no further place', () => {
  const places = shareAmongOwners<number>(2)
  places.keep('one', 'a', 1)
  places.keep('one', 'b', 2)
  places.keep('one', 'a', 3)
  places.keep('one', 'c', 4)

  expect(['a', 'b', 'c'].map((key) => places.get('one', key))).toEqual([3, undefined, 4])
})
