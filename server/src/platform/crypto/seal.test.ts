import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { open, parseMasterKeys, reseal, seal, sealedVersion, SealError } from './seal.js'

const first = randomBytes(32).toString('base64')
const second = randomBytes(32).toString('base64')
const keys = parseMasterKeys(`v1:${first}`)
const context = { purpose: 'totp_secret', scope: 'organization-1', aad: 'totp_enrollments.key:1' }

/** The error that opening throws, so that its reason and its message can be asserted. */
function openingFault(...args: Parameters<typeof open>): SealError {
  try {
    open(...args)
  } catch (error) {
    if (error instanceof SealError) return error
    throw error
  }
  throw new Error('The value opened.')
}

test.each(['', 'secret', 'naïve ☂', 'x'.repeat(100_000)])('a sealed text opens to itself', (text) => {
  expect(open(keys, context, seal(keys, context, text)).toString('utf8')).toBe(text)
})

test('sealed bytes open to themselves', () => {
  const bytes = randomBytes(64)

  expect(open(keys, context, seal(keys, context, bytes))).toEqual(bytes)
})

test('the same value sealed twice gives different bytes, neither of which shows it', () => {
  const [one, other] = [seal(keys, context, 'secret'), seal(keys, context, 'secret')]

  expect(one.equals(other)).toBe(false)
  expect(one.includes('secret')).toBe(false)
})

test.each([
  ['row', { ...context, aad: 'totp_enrollments.key:2' }],
  ['organization', { ...context, scope: 'organization-2' }],
  ['purpose', { ...context, purpose: 'webhook_secret' }],
])('a value moved to another %s does not open', (_, elsewhere) => {
  expect(openingFault(keys, elsewhere, seal(keys, context, 'secret')).reason).toBe('rejected')
})

test('parts of a context that read the same when joined are told apart', () => {
  const sealed = seal(keys, { purpose: 'a', scope: 'b|c', aad: 'd' }, 'secret')

  for (const moved of [
    { purpose: 'a|b', scope: 'c', aad: 'd' },
    { purpose: 'a', scope: 'b', aad: 'c|d' },
    { purpose: 'ab', scope: '|c', aad: 'd' },
  ]) {
    expect(openingFault(keys, moved, sealed).reason).toBe('rejected')
  }
})

test('a value with any single byte changed does not open', () => {
  const sealed = seal(keys, context, 'secret')

  for (let at = 0; at < sealed.length; at += 1) {
    const altered = Buffer.from(sealed)
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
    expect(() => open(keys, context, altered)).toThrow(SealError)
  }
})

test('a value cut short or lengthened does not open', () => {
  const sealed = seal(keys, context, 'secret')

  for (let length = 0; length < sealed.length; length += 1) {
    expect(() => open(keys, context, sealed.subarray(0, length))).toThrow(SealError)
  }
  expect(() => open(keys, context, Buffer.concat([sealed, Buffer.alloc(1)]))).toThrow(SealError)
})

test('a value that is not sealed is called malformed', () => {
  expect(openingFault(keys, context, Buffer.from('a plain text of more than thirty-one bytes')).reason).toBe(
    'malformed',
  )
  expect(() => sealedVersion(Buffer.alloc(0))).toThrow(SealError)
})

test('a value names the master key that sealed it, and a missing one is named in the error', () => {
  const sealed = seal(keys, context, 'secret')

  expect(sealedVersion(sealed)).toBe('v1')
  const fault = openingFault(parseMasterKeys(`v2:${second}`), context, sealed)
  expect(fault).toMatchObject({ reason: 'unknown_key', message: expect.stringContaining('v1') })
})

test('another key under the same version is rejected, and the error shows no key', () => {
  const fault = openingFault(parseMasterKeys(`v1:${second}`), context, seal(keys, context, 'secret'))

  expect(fault.reason).toBe('rejected')
  expect(inspect(fault)).not.toContain(second)
})

test('after a rotation old values open, new ones carry the new version, and the old key may go once all are resealed', () => {
  const rotated = parseMasterKeys(`v2:${second},v1:${first}`)
  const old = seal(keys, context, 'secret')

  expect(open(rotated, context, old).toString()).toBe('secret')
  expect(sealedVersion(seal(rotated, context, 'secret'))).toBe('v2')
  const renewed = reseal(rotated, context, old)
  expect(sealedVersion(renewed)).toBe('v2')
  expect(open(parseMasterKeys(`v2:${second}`), context, renewed).toString()).toBe('secret')
})

test('resealing returns a current value as it is, and refuses one that does not open', () => {
  const rotated = parseMasterKeys(`v2:${second},v1:${first}`)
  const current = seal(rotated, context, 'secret')

  expect(reseal(rotated, context, current)).toBe(current)
  expect(() => reseal(rotated, { ...context, aad: 'other' }, seal(keys, context, 'secret'))).toThrow(
    SealError,
  )
})

test('derived keys are kept for a bounded number of scopes, and those that were dropped work again', () => {
  const sealed = seal(keys, context, 'secret')

  for (let i = 0; i < 1100; i += 1) seal(keys, { ...context, scope: `organization-${i + 10}` }, 'x')

  expect(keys.derived.size).toBe(1000)
  expect(open(keys, context, sealed).toString()).toBe('secret')
})

test('master keys do not show when the object is printed', () => {
  seal(keys, context, 'secret')

  const printed = inspect(keys, { depth: 10, showHidden: true }) + JSON.stringify(keys)
  expect(printed).not.toContain(first)
  expect(printed).not.toContain(Buffer.from(first, 'base64').toString('hex'))
})

test('blanks around the master keys are allowed', () => {
  expect(parseMasterKeys(` v10:${first} , v9:${second}\n`).currentVersion).toBe('v10')
})

test.each([
  ['', 'Master key number 1 does not begin with a version'],
  [first, 'Master key number 1 does not begin with a version'],
  [`v1:${first},`, 'Master key number 2 does not begin with a version'],
  [`v0:${first}`, 'Master key number 1 does not begin with a version'],
  [`v65536:${first}`, 'Master key number 1 does not begin with a version'],
  [`v1:${first.slice(0, -1)}`, 'Master key v1 is not standard base64'],
  [`v1:${first} x`, 'Master key v1 is not standard base64'],
  ['v1:', 'Master key v1 has 0 bytes; it must have 32'],
  [`v1:${randomBytes(16).toString('base64')}`, 'Master key v1 has 16 bytes; it must have 32'],
  [`v1:${first},v1:${second}`, 'Two master keys are called v1'],
  [`v2:${first},v1:${first}`, 'Master keys v2 and v1 are the same key'],
])('wrong master keys are refused with a sentence that shows none of them (%#)', (text, sentence) => {
  expect(() => parseMasterKeys(text)).toThrow(sentence)
  expect(() => parseMasterKeys(text)).not.toThrow(first.slice(0, 8))
})
