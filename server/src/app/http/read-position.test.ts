import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseMasterKeys } from '../../platform/crypto/seal.js'
import { furthest } from '../../platform/db/positions.js'
import { newestPosition, sealPosition } from './read-position.js'

const keys = parseMasterKeys(`v1:${randomBytes(32).toString('base64')}`)
const [older, newer] = ['00000000/0A000028', '00000001/00000000']
const told = (position: string) => sealPosition(keys, 'a1', position)

test('a caller is told nothing of the log that two answers could be compared by', () => {
  const positions = [told(older), told(older), told(newer)]
  expect(new Set(positions).size).toBe(3)
  expect(new Set(positions.map(({ length }) => length)).size).toBe(1)
  expect(Buffer.from(told(older), 'base64url').toString('latin1')).not.toContain('0A000028')
})

test('of the positions that a caller sends the newest counts, in whatever order', () => {
  expect(newestPosition(keys, 'a1', undefined)).toBeUndefined()
  expect(newestPosition(keys, 'a1', told(older))).toBe(older)
  expect(newestPosition(keys, 'a1', `${told(newer)}, ${told(older)}`)).toBe(newer)
  expect(newestPosition(keys, 'a1', `${told(older)},${told(newer)}`)).toBe(newer)
})

describe('the primary answers a caller with', () => {
  const others = parseMasterKeys(`v1:${randomBytes(32).toString('base64')}`)
  const altered = told(older).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))

  test.each([
    ['nothing', ''],
    ['a place in the log', older],
    ['what is no position', "00000000/00000010' or true"],
    ['16 kB', 'x'.repeat(16_000)],
    ['as many commas', ','.repeat(16_000)],
    ['a position that was altered', altered],
    ['a position of another account', sealPosition(keys, 'a2', older)],
    ['a position of another service', sealPosition(others, 'a1', older)],
    [
      'a position of a master key that is not here',
      sealPosition(parseMasterKeys(`v2:${randomBytes(32).toString('base64')}`), 'a1', older),
    ],
    ['more positions than changes run at once', Array.from({ length: 21 }, () => told(older)).join(', ')],
  ])('%s', (_title, sent) => {
    expect(newestPosition(keys, 'a1', sent)).toBe(furthest)
    expect(newestPosition(keys, 'a1', `${told(older)}, ${sent}`)).toBe(furthest)
  })

  test('and the replica one with as many as 20', () => {
    const sent = Array.from({ length: 20 }, () => told(older)).join(', ')
    expect(newestPosition(keys, 'a1', sent)).toBe(older)
  })
})
