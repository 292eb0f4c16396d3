import { describe, expect, test } from 'vitest'
import { assertedEmail, assertedProfile } from './asserted-identity.js'

const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const ada = 'ada@awesome.example'
const eve = 'eve@awesome.example'

function emailOf(attributes: Readonly<Record<string, string>>, nameId = 'n-1'): string | undefined {
  return assertedEmail({ nameId, attributes: listed(attributes) })
}

function listed(attributes: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, [value]]))
}

describe('an address', () => {
  const names = [
    `${claims}/emailaddress`,
    'urn:oid:0.9.2342.19200300.100.1.3',
    'email',
    'mail',
    'User.Email',
    'https://idp.example/attributes/email',
    `${claims}/upn`,
    `${claims}/name`,
  ]
  test('is found under the names that products have for it', () => {
    expect(names.map((name) => emailOf({ [name]: ada }))).toEqual(names.map(() => ada))
    expect(emailOf({}, ada)).toBe(ada)
  })
})

test('a name that users give themselves is no address', () => {
  expect(emailOf({ name: eve })).toBeUndefined()
  expect(emailOf({ 'https://idp.example/attributes/name': eve })).toBeUndefined()
})

test('a known name is believed before one that only ends like it', () => {
  const custom = { 'https://x.example/custom/email': eve, 'https://x.example/custom/emailaddress': eve }
  for (const name of [`${claims}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3', 'mail', 'email'])
    expect(emailOf({ ...custom, [name]: ada })).toBe(ada)
})

test('given_name and family_name are names of the profile, too', () => {
  const attributes = listed({ given_name: 'Ada', family_name: 'Lovelace' })
  expect(assertedProfile({ attributes })).toEqual({ given_name: 'Ada', family_name: 'Lovelace' })
})
