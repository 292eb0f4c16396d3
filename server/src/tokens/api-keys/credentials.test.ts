import { v4 as uuidv4 } from 'uuid'
import { expect, test } from 'vitest'
import { hashSecret, makeApiKeySecret } from '../../platform/crypto/secret.js'
import { areApiKeyCredentials, isSecretOf, type KeySecrets } from './credentials.js'

const at = new Date('2026-05-01T12:00:00Z')
const later = new Date(at.getTime() + 1)

const key: KeySecrets = {
  secret_hash: hashSecret('current'),
  previous_secret_hash: null,
  previous_secret_expires_at: null,
  expires_at: null,
  revoked_at: null,
}
const rotated = { ...key, previous_secret_hash: hashSecret('previous') }

test.each([
  ['its own', key, 'current', true],
  ['another', key, 'other', false],
  ['an empty one', key, '', false],
  ['the one before, within the overlap', { ...rotated, previous_secret_expires_at: later }, 'previous', true],
  ['the one before, at its end', { ...rotated, previous_secret_expires_at: at }, 'previous', false],
  ['the one before, without an end', rotated, 'previous', false],
  ['its own, within the overlap', { ...rotated, previous_secret_expires_at: later }, 'current', true],
  ['its own, before the key expires', { ...key, expires_at: later }, 'current', true],
  ['its own, as the key expires', { ...key, expires_at: at }, 'current', false],
  ['its own, once the key is revoked', { ...key, revoked_at: at }, 'current', false],
  ['any, of no key', undefined, 'current', false],
])('a secret opens a key or not: %s', (_, of, secret, isOpened) => {
  expect(isSecretOf(of, secret, at)).toBe(isOpened)
})

test('credentials are a UUID in any case and a secret as it is made', () => {
  const [id, secret] = [uuidv4(), makeApiKeySecret('sandbox')]

  expect(areApiKeyCredentials(id, secret)).toBe(true)
  expect(areApiKeyCredentials(id.toUpperCase(), secret)).toBe(true)
  expect(areApiKeyCredentials(`key_${id}`, secret)).toBe(false)
  expect(areApiKeyCredentials(id, secret.slice(0, -1))).toBe(false)
})
