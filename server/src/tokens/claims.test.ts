import { exampleOf } from '@portico/contract/record'
import { AccessTokenClaims, IdTokenClaims, resourceOwnerAttributes } from '@portico/contract/token-claims'
import { describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { decodeJwt, generateSigningKey, signJwt, toPrivateKey } from '../platform/crypto/jwt.js'
import {
  issuerOf,
  maxClaimsBytes,
  toAccessTokenClaims,
  toIdTokenClaims,
  type IdTokenFacts,
  type MetaDataClaim,
} from './claims.js'

const facts: IdTokenFacts = {
  issuer: issuerOf('https://auth.example', 'awesome-company'),
  environment: 'sandbox',
  organizationDomain: 'awesome-company',
  user: {
    id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    email: 'ada@awesome.example',
    email_verified: true,
  },
  metaData: [['employee_number', 1815]],
  groups: ['Engineering'],
  roles: [{ name: 'billing_admin', permissions: ['invoices:write', 'invoices:read'] }],
  application: {
    id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    name: 'Storefront',
    application_type: 'react',
    permission_prefixes: null,
  },
  scopes: ['magic_link'],
  issuedAtSeconds: 1_773_480_413,
  lifetimeSeconds: 3600,
  jti: '6f1d2c3b-4a59-4687-90ab-cdef01234567',
  amr: ['email'],
  authTimeSeconds: 1_773_480_399,
  sessionId: '0190c8c2-8b9c-7dae-9f10-2b3c4d5e6f70',
  nonce: 'n-0S6_WzA2Mj',
  accessToken: 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y',
  code: 'Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk',
  state: 'af0ifjsldkj',
}
const accessFacts = { ...facts, familyId: '0190c8c1-7a8b-7c9d-8e0f-1a2b3c4d5e6f' }

/** A strict schema of claims, which refuses undeclared ones. */
const rsaKey = generateSigningKey('RS256')
const strict = (claims: z.ZodObject) => z.strictObject(claims.shape)

describe('the access token', () => {
  test('says what the contract’s example says', () => {
    expect(toAccessTokenClaims(accessFacts)).toEqual(exampleOf(AccessTokenClaims))
  })

  test('declares each of its claims in the contract, whose example fits', () => {
    expect(strict(AccessTokenClaims).parse(toAccessTokenClaims(accessFacts))).toBeDefined()
    expect(strict(AccessTokenClaims).parse(exampleOf(AccessTokenClaims))).toBeDefined()
  })

  test('is for the application alone, and names it as audience and client', () => {
    const claims = toAccessTokenClaims(facts)
    expect([claims.aud, claims.cid, claims.client_id]).toEqual(Array(3).fill(facts.application.id))
  })
})

describe('the ID token', () => {
  test('has the claims that were asked for one by one, as far as there is room, and none in place of its own', () => {
    const picture = `https://cdn.example/${'p'.repeat(1_500)}`
    const requested = { name: 'Ada', picture, locale: 'en', iss: 'https://evil.example', amr: ['mfa'] }

    const claims = toIdTokenClaims({ ...facts, requested })

    expect(claims).toEqual({ ...exampleOf(IdTokenClaims), name: 'Ada', locale: 'en' })
  })

  test('says what the contract’s example says', () => {
    expect(toIdTokenClaims(facts)).toEqual(exampleOf(IdTokenClaims))
  })

  test('declares each of its claims in the contract, whose example fits', () => {
    expect(strict(IdTokenClaims).parse(toIdTokenClaims(facts))).toBeDefined()
    expect(strict(IdTokenClaims).parse(exampleOf(IdTokenClaims))).toBeDefined()
  })

  // Access token, code and their hashes are from OpenID Connect Core appendix A; that of the state was computed with openssl.
  test('binds itself to the access token, the code and the state', () => {
    expect(toIdTokenClaims(facts)).toMatchObject({
      at_hash: '77QmUPtjPfzWtF2AnpK9RQ',
      c_hash: 'LDktKdoQak3Pk0cnXxCltA',
      s_hash: 'bOhtX8F73IMjSPeVAqxyTQ',
      nonce: 'n-0S6_WzA2Mj',
    })
  })

  test('has no member for what the sign-in did not have', () => {
    const bare = { ...facts, nonce: undefined, accessToken: undefined, code: undefined, state: undefined }
    const claims = toIdTokenClaims({ ...bare, sessionId: undefined })
    for (const name of ['nonce', 'at_hash', 'c_hash', 's_hash', 'sid', 'authorization_id'])
      expect(claims).not.toHaveProperty(name)
  })

  test('has no attribute of an identity provider without SSO, and the empty object in their place', () => {
    expect(toIdTokenClaims(facts).resource_owner_metadata).toEqual({})
  })

  test('has what the identity provider asserts alone, and no attribute that is not of the table', () => {
    const attributes = { saml_nameid: 'ada', authnmethodsreferences: ['pwd', 'otp'], sub: 'someone else' }
    const { sub, resource_owner_metadata } = toIdTokenClaims({ ...facts, attributes })
    expect(sub).toBe(facts.user.id)
    expect(resource_owner_metadata).toEqual({ saml_nameid: 'ada', authnmethodsreferences: ['pwd', 'otp'] })
  })
})

describe('signed with ES256 and without metadata, groups and SSO', () => {
  const bare: IdTokenFacts = {
    ...facts,
    issuer: issuerOf('https://signin.example', 'awesome-company'),
    environment: 'production',
    metaData: [],
    groups: [],
    roles: [],
    scopes: [],
    nonce: 'n'.repeat(43),
    state: 's'.repeat(43),
  }

  test('an access token has at most 1,250 characters, an ID token at most 1,400', async () => {
    const { privateKeyPem, publicJwk } = await generateSigningKey('ES256')
    const key = { kid: publicJwk.kid, algorithm: 'ES256' as const, privateKey: toPrivateKey(privateKeyPem) }
    expect(bare.issuer).toHaveLength(40)
    const { familyId } = accessFacts

    const access = signJwt({ ...key, typ: 'at+jwt' }, { ...toAccessTokenClaims({ ...bare, familyId }) })
    const id = signJwt({ ...key, typ: 'JWT' }, { ...toIdTokenClaims(bare) })

    expect(access.length).toBeLessThanOrEqual(1250)
    expect(id.length).toBeLessThanOrEqual(1400)
  })
})

describe.each([
  ['access token', toAccessTokenClaims],
  ['ID token', toIdTokenClaims],
])('the metadata of the %s', (_name, toClaims) => {
  test('stand under meta_data alone, even those that are called like a registered claim', () => {
    const names = ['sub', 'iss', 'aud', 'exp', 'dbs', 'jtt', 'scp', 'email', 'meta_data', '__proto__']
    const claims = toClaims({ ...facts, metaData: names.map((name) => [name, 'forged']) })
    expect({ ...claims, meta_data: {} }).toEqual({ ...toClaims({ ...facts, metaData: [] }), meta_data: {} })
    expect(Object.keys(claims.meta_data)).toEqual(names)
  })

  test('are whole where they fit, and the token does not say that they are not', () => {
    const metaData = Array.from({ length: 50 }, (_, index): MetaDataClaim => [`key_${index}`, index])
    const claims = toClaims({ ...facts, metaData })
    expect(Object.keys(claims.meta_data)).toHaveLength(50)
    expect(claims).not.toHaveProperty('meta_data_truncated')
  })

  test('leave out a value that does not fit, keep smaller ones after it, and say so', () => {
    const metaData: MetaDataClaim[] = [
      ['first', 'x'.repeat(2000)],
      ['large', '☂'.repeat(2000)],
      ['second', 'small'],
    ]
    const claims = toClaims({ ...facts, metaData })
    expect(Object.keys(claims.meta_data)).toEqual(['first', 'second'])
    expect(claims.meta_data_truncated).toBe(true)
    expect(toClaims({ ...facts, metaData })).toEqual(claims)
  })

  test.each(['x', '☂', '\u0001', '"'])('keep a token of 50 long values of %j readable', async (character) => {
    const metaData = Array.from({ length: 50 }, (_, index): MetaDataClaim => [
      `${character.repeat(50)}${index}`,
      character.repeat(40 * index),
    ])
    const attributes = Object.fromEntries(
      Object.keys(resourceOwnerAttributes).map((name) => [name, character.repeat(100)]),
    )
    const long = {
      ...facts,
      issuer: issuerOf('https://a-service-with-a-long-name.authentication.example', 'o'.repeat(120)),
      organizationDomain: 'o'.repeat(120),
      user: { ...facts.user, email: `${'e'.repeat(240)}@people.example` },
      application: { ...facts.application, name: 'n'.repeat(100) },
      nonce: 'n'.repeat(500),
      groups: ['g'.repeat(1495)],
      roles: [
        {
          name: 'r'.repeat(32),
          permissions: Array.from({ length: 25 }, (_, index) => `${index}`.padStart(57, 'p')),
        },
      ].concat(
        Array.from({ length: 19 }, (_, index) => ({ name: `${index}`.padStart(32, 'r'), permissions: [] })),
      ),
      requested: { picture: 'p'.repeat(1400) },
      metaData,
      attributes,
    }
    const claims = toClaims(long)
    expect(Buffer.byteLength(JSON.stringify(claims))).toBeLessThanOrEqual(maxClaimsBytes)
    expect(claims.meta_data_truncated).toBe(true)
    const { privateKeyPem, publicJwk } = await rsaKey
    const signer = { kid: publicJwk.kid, algorithm: 'RS256' as const, typ: 'at+jwt' }
    const token = signJwt({ ...signer, privateKey: toPrivateKey(privateKeyPem) }, claims)
    expect(decodeJwt(token)?.claims).toEqual(claims)
  })
})

describe.each([
  ['access token', toAccessTokenClaims],
  ['ID token', toIdTokenClaims],
])('the groups of the %s', (_name, toClaims) => {
  const groupsOf = (groups: string[]) => toClaims({ ...facts, groups }).groups

  test('are absent without any', () => {
    expect(toClaims({ ...facts, groups: [] })).not.toHaveProperty('groups')
  })

  test('are absent where there are more than a hundred', () => {
    const names = Array.from({ length: 101 }, (_, index) => `g${index}`)
    expect(groupsOf(names.slice(1))).toHaveLength(100)
    expect(groupsOf(names)).toBeUndefined()
  })

  test('are absent where they are longer than 1,500 bytes', () => {
    expect(groupsOf(['x'.repeat(1496)])).toHaveLength(1)
    expect(groupsOf(['x'.repeat(1497)])).toBeUndefined()
    expect(groupsOf(['☂'.repeat(500)])).toBeUndefined()
  })

  test('are named once, whoever shares a name', () => {
    expect(groupsOf(['Sales', 'Sales'])).toEqual(['Sales'])
  })
})

describe.each([
  ['access token', toAccessTokenClaims],
  ['ID token', toIdTokenClaims],
])('the roles of the %s', (_name, toClaims) => {
  const rolesOf = (names: readonly string[]) => {
    const claims = toClaims({ ...facts, roles: names.map((name) => ({ name, permissions: [] })) })
    return claims.roles ?? claims.roles_omitted
  }

  test('are in alphabetical order, and absent without any', () => {
    expect(rolesOf(['viewer', 'admin'])).toEqual(['admin', 'viewer'])
    expect(rolesOf([])).toBeUndefined()
  })

  test('are omitted, and said to be, where there are more than twenty, or longer than 700 bytes', () => {
    const names = Array.from({ length: 21 }, (_, index) => `r${index}`)
    expect(rolesOf(names.slice(1))).toHaveLength(20)
    expect(rolesOf(names)).toBe(true)
    expect(rolesOf(['x'.repeat(696)])).toHaveLength(1)
    expect(rolesOf(['x'.repeat(697)])).toBe(true)
  })
})

describe('the permissions of the access token', () => {
  const told = (permissions: readonly string[], prefixes: readonly string[] | null = null) => {
    const application = { ...facts.application, permission_prefixes: prefixes }
    const roles = [
      { name: 'admin', permissions },
      { name: 'plain', permissions: [] },
    ]
    const { roles: names, ...claims } = toAccessTokenClaims({ ...facts, roles, application })
    return { names, permissions: claims.permissions ?? claims.permissions_omitted }
  }

  test('are those of all roles, each once and in alphabetical order', () => {
    const roles = [
      { name: 'one', permissions: ['b', 'a'] },
      { name: 'two', permissions: ['b', 'c'] },
    ]
    expect(toAccessTokenClaims({ ...facts, roles }).permissions).toEqual(['a', 'b', 'c'])
    expect(toIdTokenClaims({ ...facts, roles })).not.toHaveProperty('permissions')
  })

  test.each([99, 100, 101])('are whole up to a hundred, and omitted beyond: %i', (count) => {
    const permissions = Array.from({ length: count }, (_, index) => `p${String(index).padStart(3, '0')}`)
    expect(told(permissions).permissions).toEqual(count > 100 ? true : permissions)
  })

  test('are omitted where they are longer than 1,500 bytes', () => {
    expect(told(['x'.repeat(1496)]).permissions).toHaveLength(1)
    expect(told(['x'.repeat(1497)]).permissions).toBe(true)
  })

  test.each([
    [null, ['invoices:read', 'users:read'], ['admin', 'plain']],
    [['invoices:'], ['invoices:read'], ['admin', 'plain']],
    [
      ['invoices:', 'users:'],
      ['invoices:read', 'users:read'],
      ['admin', 'plain'],
    ],
    [['reports:'], undefined, ['plain']],
    [[], undefined, ['plain']],
  ])('are those with a prefix of the application: %j', (prefixes, permissions, names) => {
    expect(told(['users:read', 'invoices:read'], prefixes)).toEqual({ names, permissions })
  })
})
