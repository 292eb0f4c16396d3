import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { startOpenIdProvider } from '../given/openid-provider.js'

const service = await startService()
const client = await service.client()

const keyOn = (namedCurve: string, type: 'pkcs8' | 'sec1' = 'pkcs8') =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type, format: 'pem' }).toString()
const p8 = keyOn('P-256')

const anyName = () => `custom-${anything()}`
const google = { name: 'google', client_id: 'client-1', client_secret: 'secret-1' }

describe('a social provider', () => {
  test('is incomplete until it has a client, and keeps a secret only for the client that it was sent with', async () => {
    const made = await client.socialProviders.create({ name: 'google' })
    const id = { provider_id: made.id }
    expect(made).toMatchObject({
      provider: 'google',
      state: 'incomplete',
      issuer: 'https://accounts.google.com',
    })
    expect(made.redirect_uri).toBe(`${service.baseUrl}/social/${made.id}/callback`)

    const { name: _, ...registered } = google
    const ready = await client.socialProviders.update({ ...id, ...registered })
    expect(ready.state).toBe('ready')
    expect(JSON.stringify(ready)).not.toContain('secret-1')
    const other = await client.socialProviders.update({ ...id, client_id: 'client-2' })
    expect(other.state).toBe('incomplete')
    await client.socialProviders.delete(id)
  })

  test('of apple is ready with its team, its key, and the id of both, and forgets the key of another one', async () => {
    const made = await client.socialProviders.create({ name: 'apple', client_id: 'com.awesome.web' })
    const id = { provider_id: made.id }
    expect(made).toMatchObject({ issuer: 'https://appleid.apple.com', state: 'incomplete' })
    const keyless = await client.socialProviders.update({ ...id, team_id: 'ABCDE12345', private_key: p8 })
    expect(keyless.state).toBe('incomplete')
    const key = { key_id: 'KEY1234567', private_key: p8 }
    const ready = await client.socialProviders.update({ ...id, ...key })
    expect(ready).toMatchObject({ state: 'ready', team_id: 'ABCDE12345', key_id: 'KEY1234567' })
    expect(JSON.stringify(ready)).not.toContain('PRIVATE KEY')
    const other = await client.socialProviders.update({ ...id, key_id: 'KEY7654321' })
    expect(other.state).toBe('incomplete')
  })

  test('of microsoft has the issuer of its tenant', async () => {
    const made = await client.socialProviders.create({ name: 'microsoft' })
    expect(made).toMatchObject({
      tenant: 'common',
      issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
    })
    const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'
    const changed = await client.socialProviders.update({ provider_id: made.id, tenant })
    expect(changed.issuer).toBe(`https://login.microsoftonline.com/${tenant}/v2.0`)
  })

  test('of a custom name has the issuer of its discovery document', async () => {
    const idp = await startOpenIdProvider(service.clock)
    const made = await client.socialProviders.create({
      name: anyName(),
      issuer: idp.issuer,
      client_id: 'c',
      client_secret: 's',
    })
    expect(made).toMatchObject({ provider: 'custom_oidc', issuer: idp.issuer, state: 'ready' })
  })

  test.each([
    [{ name: anyName(), issuer: 'http://127.0.0.1:1' }, 'issuer'],
    [{ name: anyName(), issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer'],
    [{ name: 'google', issuer: 'https://other.example' }, 'issuer'],
    [{ name: 'google', tenant: 'common' }, 'tenant'],
    [{ name: 'microsoft', tenant: 'awesome' }, 'tenant'],
    [{ name: 'test', client_id: 'c' }, 'client_id'],
    [{ name: 'passkey' }, 'name'],
    [{ name: 'google', team_id: 'ABCDE12345' }, 'team_id'],
    [{ name: 'github', private_key: p8 }, 'private_key'],
    [{ name: 'apple', client_secret: 's' }, 'client_secret'],
    [{ name: 'apple', team_id: 'abc' }, 'team_id'],
    [{ name: 'apple', private_key: 'no key' }, 'private_key'],
    [{ name: 'apple', private_key: keyOn('P-384') }, 'private_key'],
    [{ name: 'apple', private_key: keyOn('P-256', 'sec1') }, 'private_key'],
  ])('422: %j', async (input, path) => {
    await expect(client.socialProviders.create(input)).rejects.toMatchObject({
      status: 422,
      fields: [{ path }],
    })
  })

  test('422: the built-in provider in production, where it would assert any user', async () => {
    const production = await service.client({ environment: 'production' })
    await expect(production.socialProviders.create({ name: 'test' })).rejects.toMatchObject({ status: 422 })
  })

  test('409: a name that the account has', async () => {
    const name = anyName()
    await client.socialProviders.create({ name })
    await expect(client.socialProviders.create({ name })).rejects.toMatchObject({
      status: 409,
      code: 'social_provider_taken',
    })
  })

  test('409: one that an organization uses is deleted by force alone, and its name is gone there', async () => {
    const name = anyName()
    const made = await client.socialProviders.create({ name })
    const { domain: org_domain } = await service.given.organization()
    await client.socialConnection.update({ org_domain, active: true, providers: [name] })
    const id = { provider_id: made.id }
    await expect(client.socialProviders.delete(id)).rejects.toMatchObject({ code: 'social_provider_in_use' })
    await client.socialProviders.delete({ ...id, force: true })
    expect(await client.socialConnection.get({ org_domain })).toMatchObject({ providers: [] })
  })
})

describe('the social sign-in of an organization', () => {
  test('is off until it is switched on', async () => {
    const { domain: org_domain } = await service.given.organization()
    expect(await client.socialConnection.get({ org_domain })).toMatchObject({
      active: false,
      providers: null,
      allow_sign_up: false,
    })
  })

  test('422: a provider that the account does not have', async () => {
    const { domain: org_domain } = await service.given.organization()
    await expect(
      client.socialConnection.update({ org_domain, providers: [anyName()] }),
    ).rejects.toMatchObject({ status: 422, fields: [{ path: 'providers.0', code: 'unknown_provider' }] })
  })
})
