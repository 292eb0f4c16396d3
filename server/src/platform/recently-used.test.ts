import { expect, test } from 'vitest'
import { keepRecentlyUsed } from './recently-used.js'

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
