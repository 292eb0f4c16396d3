import { expect, test } from 'vitest'
import { toDate, toTimeAgo, toWait } from './moments.js'

const now = new Date('2026-03-14T12:00:00Z')

test.each([
  [0, 'en', 'just now'],
  [59, 'fr', 'à l’instant'],
  [60, 'en', '1 minute ago'],
  [3599, 'fr', 'il y a 59 minutes'],
  [7200, 'en', '2 hours ago'],
  [86_400, 'en', 'yesterday'],
  [2 * 86_400, 'fr', 'avant-hier'],
  [20 * 86_400, 'en', '20 days ago'],
])('%i seconds ago is in %s: %s', (seconds, lang, words) => {
  expect(toTimeAgo(new Date(now.getTime() - seconds * 1000), now, lang)).toBe(words)
})

test('a time that another clock has put ahead of ours is now', () => {
  expect(toTimeAgo(new Date(now.getTime() + 5000), now, 'en')).toBe('just now')
})

test.each([
  [0, 'en', 'in 1 second'],
  [30, 'fr', 'dans 30 secondes'],
  [61, 'en', 'in 2 minutes'],
  [900, 'fr', 'dans 15 minutes'],
  [3601, 'en', 'in 2 hours'],
])('a wait of %i seconds is in %s: %s', (seconds, lang, words) => {
  expect(toWait(seconds, lang)).toBe(words)
})

test.each([
  ['en', 'March 14, 2026'],
  ['fr', '14 mars 2026'],
])('a day is that of UTC, and in %s: %s', (lang, words) => {
  expect(toDate(new Date('2026-03-14T23:59:59.999Z'), lang)).toBe(words)
  expect(toDate(new Date('2026-03-14T00:00:00Z'), lang)).toBe(words)
})
