import { describe, expect, test } from 'vitest'
import { afterCheck, newStanding, resultOf, type Standing } from './states.js'

const start = new Date('2026-01-01T00:00:00.000Z')
const day = 24 * 60 * 60 * 1000
const later = (ms: number) => new Date(start.getTime() + ms)
const pending = newStanding(start, { isDeclared: false, isProved: false })
const verified: Standing = { ...pending, state: 'verified', verified_at: start, expires_at: null }

describe('the checks of a pending domain', () => {
  test('are every five minutes for an hour, hourly for a day, then daily', () => {
    const waits: number[] = []
    let standing = pending
    let at = start
    for (let count = 0; count < 40; count += 1) {
      const next = standing.next_check_at ?? at
      waits.push((next.getTime() - at.getTime()) / 60_000)
      at = next
      standing = afterCheck(standing, 'no_record', at).standing
    }
    expect(waits.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 5))
    expect(waits.slice(12, 36)).toEqual(Array.from({ length: 24 }, () => 60))
    expect(new Set(waits.slice(36))).toEqual(new Set([24 * 60]))
  })

  test.each([
    [30 * day - 1, 'verified', 'verify'],
    [30 * day, 'expired', 'expire'],
    [30 * day + 1, 'expired', 'expire'],
  ])('after %d ms a proof gives %s', (ms, state, news) => {
    expect(afterCheck(pending, 'matched', later(ms))).toMatchObject({ standing: { state }, news })
  })
})

describe('a proved domain', () => {
  test('counts negatives a day apart, and one proof begins anew', () => {
    let standing = verified
    for (const [hours, negatives] of [
      [0, 1],
      [23, 1],
      [24, 2],
      [47, 2],
    ] as const) {
      standing = afterCheck(standing, 'not_matched', later(hours * 3_600_000)).standing
      expect(standing).toMatchObject({ state: 'verified', negatives })
    }
    expect(afterCheck(standing, 'matched', later(2 * day)).standing).toMatchObject({ negatives: 0 })
    expect(afterCheck(standing, 'no_answer', later(2 * day)).standing).toMatchObject({
      state: 'verified',
      negatives: 2,
    })
    expect(afterCheck(standing, 'no_record', later(2 * day))).toMatchObject({
      standing: { state: 'lapsing', expires_at: later(16 * day) },
      news: 'lapse',
    })
  })

  test.each([
    ['no_record', 14 * day - 1, 'lapsing'],
    ['no_record', 14 * day, 'lapsed'],
    ['no_answer', 20 * day, 'lapsing'],
    ['matched', 20 * day, 'verified'],
  ] as const)('that lapses, with %s after %d ms is %s', (result, ms, state) => {
    const lapsing: Standing = { ...verified, state: 'lapsing', expires_at: later(14 * day) }
    expect(afterCheck(lapsing, result, later(ms)).standing.state).toBe(state)
  })
})

test.each([
  [{ outcome: 'found', texts: ['x', ' token=abc '] }, 'matched'],
  [{ outcome: 'found', texts: ['token=abcd', 'token=ab'] }, 'not_matched'],
  [{ outcome: 'found', texts: [] }, 'not_matched'],
  [{ outcome: 'none' }, 'no_record'],
  [{ outcome: 'no_answer' }, 'no_answer'],
] as const)('%j says %s', (answer, result) => {
  expect(resultOf(answer, 'token=abc')).toBe(result)
})
