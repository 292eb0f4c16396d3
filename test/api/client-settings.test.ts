import { generateKeyPairSync } from 'node:crypto'
import { etagOf, type Client } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()
const org_domain = await service.given.domain()
const server = { org_domain, application_type: 'regular_web' } as const

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
type NewApplication = Parameters<Client['applications']['create']>[0]
type Key = NonNullable<NewApplication['jwks']>['keys'][number]
const publicKey = { ...ec.publicKey.export({ format: 'jwk' }), kid: 'one' } as Key
const rsaKey = { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'two', alg: 'RS256', use: 'sig' } as Key

/** The faults of a refused request, as path and code. */
async function faultsOf(attempt: Promise<unknown>): Promise<string[]> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const { status, fields } = error as { status: number; fields: { path: string; code: string }[] }
  expect(status).toBe(422)
  return fields.map(({ path, code }) => `${path}: ${code}`)
}

describe('client authentication of an application', () => {
  test('is none unless given, and PKCE required then', async () => {
    const application = await service.given.application(server)

    expect(application).toMatchObject({
      client_authentication: 'none',
      pkce: 'required',
      jwks: null,
      jwks_uri: null,
      token_signing_alg: 'ES256',
    })
  })

  test('brings a policy of PKCE and an algorithm that common tools expect, unless these are given', async () => {
    const settings = { ...server, client_authentication: 'secret' } as const
    const usual = await service.given.application(settings)
    const own = await service.given.application({ ...settings, token_signing_alg: 'ES256', pkce: 'optional' })

    expect(usual).toMatchObject({ token_signing_alg: 'RS256', pkce: 'or_nonce' })
    expect(own).toMatchObject({ token_signing_alg: 'ES256', pkce: 'optional' })
  })

  test('changes with the ETag, and takes the default of PKCE along that was not given', async () => {
    const { client_id } = await service.given.application(server)
    const at = { org_domain, client_id }
    const before = await client.applications.get(at)

    const secret = await client.applications.update(
      { ...at, client_authentication: 'secret' },
      { ifMatch: etagOf(before) },
    )
    const named = await client.applications.update({ ...at, name: 'Named' })
    const none = await client.applications.update({ ...at, client_authentication: 'none' })

    expect([secret.pkce, named.pkce, none.pkce]).toEqual(['or_nonce', 'or_nonce', 'required'])
    expect(etagOf(none)).not.toBe(etagOf(before))
  })

  test.each(['android', 'ios', 'mobile', 'angular', 'react', 'vue', 'spa', 'webflow'] as const)(
    '422 public_application: of the type %s, also when it becomes that',
    async (application_type) => {
      const secret = { ...server, client_authentication: 'secret' } as const
      const { client_id } = await service.given.application(secret)
      const fault = ['client_authentication: public_application']

      expect(await faultsOf(service.given.application({ ...secret, application_type }))).toEqual(fault)
      expect(await faultsOf(client.applications.update({ org_domain, client_id, application_type }))).toEqual(
        fault,
      )
    },
  )

  test('422 client_authentication_conflict: where an API key authenticates in its place', async () => {
    const conflict = { ...server, client_authentication: 'secret', code_exchange: 'api_key' } as const

    expect(await faultsOf(service.given.application(conflict))).toEqual([
      'client_authentication: client_authentication_conflict',
    ])
  })

  test.each(['or_nonce', 'optional'] as const)(
    '422 needs_client_authentication: PKCE %s without it',
    async (pkce) => {
      expect(await faultsOf(service.given.application({ ...server, pkce }))).toEqual([
        'pkce: needs_client_authentication',
      ])
    },
  )
})

describe('keys of an application', () => {
  const asserting = { ...server, client_authentication: 'private_key_jwt' } as const

  test('are kept and shown, without members that no public key has', async () => {
    const odd = { ...publicKey, x5c: ['nonsense'] }
    const application = await service.given.application({ ...asserting, jwks: { keys: [odd, rsaKey] } })
    const { jwks, jwks_uri } = application

    expect([jwks, jwks_uri]).toEqual([{ keys: [publicKey, rsaKey] }, null])
    // In one order, whatever the database makes of it: configurations are compared as text.
    const { client_id } = application
    const read = await client.applications.get({ org_domain, client_id })
    expect(JSON.stringify(read)).toBe(JSON.stringify(application))
  })

  test('an address takes the place of the keys, and the reverse', async () => {
    const { client_id } = await service.given.application({ ...asserting, jwks: { keys: [publicKey] } })
    const at = { org_domain, client_id }

    const remote = await client.applications.update({ ...at, jwks_uri: 'https://app.example/jwks' })
    const kept = await client.applications.update({ ...at, name: 'Named' })
    const local = await client.applications.update({ ...at, jwks: { keys: [rsaKey] } })

    const shown = [remote, kept, local].map(({ jwks, jwks_uri }) => [jwks?.keys.length ?? null, jwks_uri])
    expect(shown).toEqual([
      [null, 'https://app.example/jwks'],
      [null, 'https://app.example/jwks'],
      [1, null],
    ])
  })

  test.each<[string, Partial<NewApplication>, string]>([
    ['none at all', {}, 'jwks: required'],
    [
      'a private key',
      { jwks: { keys: [{ ...ec.privateKey.export({ format: 'jwk' }), kid: 'one' } as Key] } },
      'jwks.keys.0: private_key_sent',
    ],
    [
      'a private RSA key',
      { jwks: { keys: [publicKey, { ...rsa.privateKey.export({ format: 'jwk' }), kid: 'two' } as Key] } },
      'jwks.keys.1: private_key_sent',
    ],
    [
      'a weak one',
      { jwks: { keys: [weak.publicKey.export({ format: 'jwk' }) as Key] } },
      'jwks.keys.0: invalid_key',
    ],
    [
      'one that takes long to verify with, by its exponent',
      { jwks: { keys: [{ ...rsaKey, e: 'A'.repeat(3) + rsaKey.n?.slice(3, 100) }] } },
      'jwks.keys.0: invalid_key',
    ],
    [
      'one that takes long to verify with, by its modulus',
      { jwks: { keys: [{ ...rsaKey, n: `${'x'.repeat(700)}w` }] } },
      'jwks.keys.0: invalid_key',
    ],
    [
      'one for another algorithm',
      { jwks: { keys: [{ ...publicKey, alg: 'RS256' }] } },
      'jwks.keys.0: invalid_key',
    ],
    [
      'a point that is none',
      { jwks: { keys: [{ ...publicKey, y: publicKey.x }] } },
      'jwks.keys.0: invalid_key',
    ],
    ['two of one kid', { jwks: { keys: [publicKey, publicKey] } }, 'jwks.keys.1: kid_not_unique'],
    ['both', { jwks: { keys: [publicKey] }, jwks_uri: 'https://app.example/jwks' }, 'jwks_uri: jwks_given'],
    ['an inward address', { jwks_uri: 'https://169.254.169.254/jwks' }, 'jwks_uri: not_allowed'],
    ['an address in the clear', { jwks_uri: 'http://8.8.8.8/jwks' }, 'jwks_uri: not_allowed'],
  ])('422: %s', async (_, members, fault) => {
    expect(await faultsOf(service.given.application({ ...asserting, ...members }))).toEqual([fault])
  })

  test('422: six', async () => {
    const keys = Array.from({ length: 6 }, (_, index) => ({ ...publicKey, kid: String(index) }))

    expect(await faultsOf(service.given.application({ ...asserting, jwks: { keys } }))).toEqual([
      'jwks.keys: too_big',
    ])
  })
})
