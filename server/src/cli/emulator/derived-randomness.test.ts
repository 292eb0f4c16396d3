import { sign, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newId, replaceRandomness } from '../../platform/crypto/random.js'
import { derivedRandomness, randomnessOfEntry } from './derived-randomness.js'

describe('what is derived from the name of an entry', () => {
  test('is the same in every run, and on every machine', () => {
    const draws = derivedRandomness('account/acme')

    expect(draws.id()).toBe('019b76da-a800-74d3-9165-da3cfa079357')
    expect(draws.bytes(3).toString('hex')).toBe('433b9e')
    expect(draws.text(8, 'abcdefgh')).toBe('cheghcee')
  })

  test('has nothing in common with that of another entry, nor one draw with the next', () => {
    const one = derivedRandomness('user/ada')
    const other = derivedRandomness('user/grace')

    const ids = [one.id(), one.id(), other.id(), other.id()]

    expect(new Set(ids).size).toBe(4)
  })

  test.each(['ES256', 'RS256'] as const)('signs by %s as any key does', (kind) => {
    const { privateKey, publicKey } = derivedRandomness('keys').keyPair(kind)
    const again = derivedRandomness('keys').keyPair(kind)

    const signature = sign('sha256', Buffer.from('text'), privateKey)

    expect(verify('sha256', Buffer.from('text'), publicKey, signature)).toBe(true)
    expect(again.privateKey.equals(privateKey)).toBe(true)
    const size = { ES256: ['ec', undefined], RS256: ['rsa', 2048] }[kind]
    expect([publicKey.asymmetricKeyType, publicKey.asymmetricKeyDetails?.modulusLength]).toEqual(size)
  })

  test.each(['ES256', 'RS256'] as const)(
    'has another key of %s for another entry, and for the next draw',
    (kind) => {
      const one = derivedRandomness('keys')
      const other = derivedRandomness('other keys')

      const keys = [one.keyPair(kind), one.keyPair(kind), other.keyPair(kind)]

      const texts = keys.map(({ privateKey }) => JSON.stringify(privateKey.export({ format: 'jwk' })))
      expect(new Set(texts).size).toBe(3)
    },
  )

  test('tells a name with a separator in it from two names', () => {
    const idOf = (...names: string[]) => randomnessOfEntry(names).id()

    expect(idOf('A', 'B/sandbox')).not.toBe(idOf('A/B', 'sandbox'))
    expect(idOf('A', 'B')).toBe(idOf('A', 'B'))
  })
})

test('a process that has made an id at random cannot begin to derive', () => {
  newId()

  expect(() => replaceRandomness(() => derivedRandomness('x'))).toThrow(/at random already/)
})
