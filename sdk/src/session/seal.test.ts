import { expect, test } from 'vitest'
import { createSealer } from './seal.js'

const secret = 'the-first-secret-of-the-application'
const older = 'the-secret-that-was-replaced-by-it'
const owner = ['https://auth.example', 'client-1', 'sandbox', 'https://app.example']
const place = '__Host-portico'
const value = { sub: 'u1', name: 'Zo\u00eb \u{1f600}' }

test('what was sealed opens for the same application and place, and cannot be read', async () => {
  const sealer = createSealer([secret], owner)

  const text = await sealer.seal(value, place)

  expect(text).toMatch(/^v1\.[\w-]{4}\.[\w-]+$/)
  expect(Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('u1')
  expect(await sealer.open(text, place)).toEqual(value)
})

test('the same value is sealed as another text each time', async () => {
  const sealer = createSealer([secret], owner)
  const texts = await Promise.all(Array.from({ length: 100 }, () => sealer.seal(value, place)))

  expect(new Set(texts).size).toBe(100)
})

test.each([
  ['another service', ['https://other.example', ...owner.slice(1)]],
  ['another application', [...owner.slice(0, 1), 'client-2', ...owner.slice(2)]],
  ['the other environment', [...owner.slice(0, 2), 'production', ...owner.slice(3)]],
  ['another address of the application', [...owner.slice(0, 3), 'https://other.example']],
  ['names that are cut elsewhere', [owner.slice(0, 2).join(), ...owner.slice(2)]],
])('with the same secret it does not open for %s', async (_, other) => {
  const text = await createSealer([secret], owner).seal(value, place)

  expect(await createSealer([secret], other).open(text, place)).toBeUndefined()
})

test('it does not open at another place, nor with another secret', async () => {
  const sealer = createSealer([secret], owner)
  const text = await sealer.seal(value, place)

  expect(await sealer.open(text, `${place}-tx-1`)).toBeUndefined()
  expect(await createSealer([older], owner).open(text, place)).toBeUndefined()
})

test('a value of an older secret opens, and the first one seals', async () => {
  const before = createSealer([older], owner)
  const during = createSealer([secret, older], owner)
  const after = createSealer([secret], owner)

  expect(await during.open(await before.seal(value, place), place)).toEqual(value)
  expect(await after.open(await during.seal(value, place), place)).toEqual(value)
})

test('a text that is cut, or of which one bit is another, does not open', async () => {
  const sealer = createSealer([secret], owner)
  const text = await sealer.seal({ sub: 'u1' }, place)
  const [version = '', id = '', sealed = ''] = text.split('.')
  const bytes = Buffer.from(sealed, 'base64url')
  const flipped = Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    return `${version}.${id}.${changed.toString('base64url')}`
  })
  const cut = Array.from({ length: text.length }, (_, length) => text.slice(0, length))
  const others = [`${text}A`, `v2.${id}.${sealed}`, `v1.AAAA.${sealed}`, `${text}.`, ` ${text}`, `${text}=`]

  for (const wrong of [...flipped, ...cut, ...others])
    expect(await sealer.open(wrong, place), wrong).toBeUndefined()
  expect(await sealer.open(text, place)).toEqual({ sub: 'u1' })
})

test('the id of a key is of its secret alone, and tells two secrets apart', async () => {
  const idOf = async (secrets: string[]) => (await createSealer(secrets, owner).seal(1, place)).split('.')[1]

  expect(await idOf([secret, older])).toBe(await idOf([secret]))
  expect(await idOf([secret])).not.toBe(await idOf([older]))
})
