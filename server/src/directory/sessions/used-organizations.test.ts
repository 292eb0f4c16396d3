import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseMasterKeys } from '../../platform/crypto/seal.js'
import { lastUsedWith, rememberUse } from './used-organizations.js'

const entries = ['v1', 'v2'].map((version) => `${version}:${randomBytes(32).toString('base64')}`)
const keysOf = (...keys: readonly string[]) => ({
  keys: { master: parseMasterKeys(keys.join()), privateKeys: new Map() },
})
const deps = keysOf(entries[0] ?? '')
const account = { accountId: randomUUID(), environment: 'sandbox' }
const at = new Date('2026-03-14T09:26:53.000Z')
const ada = 'ada@people.example'

function used(organizationId: string, emailNormalized = ada, remembered?: string): string {
  return rememberUse(deps, account, remembered, { organizationId, emailNormalized, at })
}

test('the organization that was last used with an address is remembered, and of others nothing', () => {
  const [first, second] = [randomUUID(), randomUUID()]
  const both = used(second, ada, used(first))

  expect(lastUsedWith(deps, account, both, ada)).toBe(second)
  expect(lastUsedWith(deps, account, used(first, ada, both), ada)).toBe(first)
  expect(lastUsedWith(deps, account, used(first, 'grace@people.example', both), ada)).toBe(second)
  expect(lastUsedWith(deps, account, both, 'grace@people.example')).toBeUndefined()
  expect(lastUsedWith(deps, account, undefined, ada)).toBeUndefined()
})

test('ten organizations are remembered, in less than 600 bytes with name and attributes of the cookie apart', () => {
  const ids = Array.from({ length: 11 }, () => randomUUID())
  const remembered = ids.reduce<string | undefined>(
    (before, id, index) => used(id, `person-${index}@people.example`, before),
    undefined,
  )

  expect(remembered?.length).toBeLessThan(560)
  expect(lastUsedWith(deps, account, remembered, 'person-0@people.example')).toBeUndefined()
  expect(lastUsedWith(deps, account, remembered, 'person-1@people.example')).toBe(ids[1])
})

test('what is of another account or environment, altered or no cookie of ours counts as nothing', () => {
  const remembered = used(randomUUID())
  const altered = `${remembered.slice(0, -2)}${remembered.endsWith('AA') ? 'BB' : 'AA'}`
  const other = { ...account, accountId: randomUUID() }

  expect(lastUsedWith(deps, other, remembered, ada)).toBeUndefined()
  expect(lastUsedWith(deps, { ...account, environment: 'production' }, remembered, ada)).toBeUndefined()
  for (const wrong of [altered, '', 'x', remembered.slice(4), randomBytes(80).toString('base64url')])
    expect(lastUsedWith(deps, account, wrong, ada)).toBeUndefined()
  expect(lastUsedWith(keysOf(entries[1] ?? ''), account, remembered, ada)).toBeUndefined()
})

test('an address is found while master keys are rotated', () => {
  const organizationId = randomUUID()
  const remembered = used(organizationId)
  const rotated = keysOf(...entries.toReversed())

  expect(lastUsedWith(rotated, account, remembered, ada)).toBe(organizationId)
})

test('neither organization nor address can be read in it', () => {
  const organizationId = randomUUID()
  const plain = Buffer.from(used(organizationId), 'base64url').toString('latin1')

  expect(plain).not.toContain(ada)
  expect(plain).not.toContain(Buffer.from(organizationId.replaceAll('-', ''), 'hex').toString('latin1'))
})
