import { expect, test } from 'vitest'
import {
  hashSecret,
  isApiKeySecret,
  isDirectorySecret,
  isSecretEqual,
  makeApiKeySecret,
  makeDirectorySecret,
  randomBase32,
  randomSecret,
} from './secret.js'

test('a random secret is 32 bytes of base64url, and another one each time', () => {
  const secrets = Array.from({ length: 100 }, randomSecret)

  expect(new Set(secrets).size).toBe(100)
  for (const secret of secrets) {
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  }
})

test('a secret is stored as its SHA-256', () => {
  // FIPS 180-2, appendix B.1.
  expect(hashSecret('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('secrets are equal only byte for byte, whatever their lengths', () => {
  const equal = (a: string, b: string) => isSecretEqual(Buffer.from(a), Buffer.from(b))

  expect(equal('secret', 'secret')).toBe(true)
  expect(equal('', '')).toBe(true)
  expect(equal('secret', 'secreT')).toBe(false)
  expect(equal('secret', 'secret0')).toBe(false)
  expect(equal('secret', '')).toBe(false)
})

test.each(['sandbox', 'production'] as const)(
  'a %s key names its environment and checks itself',
  (environment) => {
    const secret = makeApiKeySecret(environment)

    expect(secret).toMatch(new RegExp(`^key${environment}_[0-9A-Za-z]{49}$`))
    expect(isApiKeySecret(secret)).toBe(true)
    expect(makeApiKeySecret(environment)).not.toBe(secret)
  },
)

test('an API key with any single character changed is recognized as none', () => {
  const secret = makeApiKeySecret('sandbox')

  for (let at = 0; at < secret.length; at += 1) {
    const changed = secret.slice(0, at) + (secret[at] === 'x' ? 'y' : 'x') + secret.slice(at + 1)
    expect(isApiKeySecret(changed)).toBe(false)
  }
})

test('an API key moved to the other environment is recognized as none', () => {
  expect(isApiKeySecret(makeApiKeySecret('sandbox').replace('sandbox', 'production'))).toBe(false)
})

test.each(['', 'keysandbox_', 'keysandbox_abc', 'Bearer x', `keysandbox_${'a'.repeat(49)}`])(
  'the text "%s" is no API key',
  (text) => {
    expect(isApiKeySecret(text)).toBe(false)
  },
)

test('an API key with something before or after it is recognized as none', () => {
  const secret = makeApiKeySecret('production')

  for (const text of [` ${secret}`, `${secret}\n`, `${secret}0`, `x${secret}`]) {
    expect(isApiKeySecret(text)).toBe(false)
  }
})

test('random base 32 has the length asked for and uses its whole alphabet alone', () => {
  expect(randomBase32(0)).toBe('')
  expect(randomBase32(6)).toMatch(/^[a-z2-7]{6}$/)
  expect(new Set(randomBase32(5000)).size).toBe(32)
})

test('the secret of a directory checks itself as an API key does, and is none', () => {
  const secret = makeDirectorySecret('production')

  expect(secret).toMatch(/^scimproduction_[0-9A-Za-z]{49}$/)
  expect([isDirectorySecret(secret), isApiKeySecret(secret)]).toEqual([true, false])
  expect(isDirectorySecret(secret.replace('production', 'sandbox'))).toBe(false)
  expect(isDirectorySecret(makeApiKeySecret('production'))).toBe(false)
})
