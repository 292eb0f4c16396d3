import { describe, expect, test } from 'vitest'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { startOpenIdProvider } from '../given/openid-provider.js'
import { answerOf } from '../given/social-stand-in.js'

const service = await startService()
const client = await service.client()

/** A custom provider with a client there. */
async function custom(secret?: string) {
  const idp = await startOpenIdProvider(service.clock)
  const { id: client_id, secret: client_secret } = idp.client
  const { id: provider_id } = await client.socialProviders.create({
    name: `custom-${anything()}`,
    ...{ issuer: idp.issuer, client_id, client_secret: secret ?? client_secret },
  })
  return { idp, provider_id }
}

/** What a check has found, by its name. */
async function checked(provider_id: string) {
  const { passed, checks } = await client.socialProviders.check({ provider_id })
  return { passed, ...Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome])), checks }
}

describe('a check of a social provider', () => {
  test('passes where everything is right, and sends a code that cannot be', async () => {
    const { idp, provider_id } = await custom()
    expect(await checked(provider_id)).toMatchObject({
      ...{ passed: true, settings: 'passed', redirect_uri: 'passed' },
      ...{ discovery: 'passed', credentials: 'passed', secret_expiry: 'skipped' },
    })
    expect(idp.asked.some((path) => path.includes('token'))).toBe(true)
  })

  test('says that the client is not known, or its secret is another one, and repeats neither', async () => {
    const { provider_id } = await custom('another secret')
    const found = await checked(provider_id)
    expect(found).toMatchObject({ passed: false, discovery: 'passed', credentials: 'failed' })
    expect(JSON.stringify(found)).toContain('invalid_client')
    expect(JSON.stringify(found)).not.toContain('another secret')
  })

  test('says what is not entered, and asks nobody', async () => {
    const made = await client.socialProviders.create({ name: `custom-${anything()}`, client_id: 'c' })
    const found = await checked(made.id)
    expect(found).toMatchObject({ passed: false, settings: 'failed', credentials: 'skipped' })
    expect(found.checks[0]?.message).toBe('Enter issuer.')
  })

  test('says that the discovery document cannot be read', async () => {
    const { idp, provider_id } = await custom()
    idp.answer('/.well-known/openid-configuration', (res) => void res.writeHead(500).end())
    await service.clock.advance(301)
    expect(await checked(provider_id)).toMatchObject({
      ...{ passed: false, discovery: 'failed', credentials: 'skipped' },
    })
  })

  test('knows the errors of GitHub, which have the status of a success', async () => {
    const made = await client.socialProviders.create({
      name: 'github',
      client_id: 'c',
      client_secret: 'hidden-4711',
    })
    for (const [error, outcome] of [
      ['bad_verification_code', 'passed'],
      ['incorrect_client_credentials', 'failed'],
      ['redirect_uri_mismatch', 'failed'],
      ['server_error', 'unknown'],
    ] as const) {
      Object.assign(service.deps.outbound, { post: () => answerOf(200, { error }) })
      expect([error, (await checked(made.id)).checks[3]?.outcome]).toEqual([error, outcome])
    }
  })

  test('says that Apple takes no address without https', async () => {
    const made = await client.socialProviders.create({ name: 'apple', client_id: 'c' })
    expect(await checked(made.id)).toMatchObject({ redirect_uri: 'failed', settings: 'failed' })
  })
})

describe('the end of a secret', () => {
  async function endsAt(days: number) {
    const secret_expires_at = new Date(service.clock.now().getTime() + days * 86_400_000).toISOString()
    const name = `custom-${anything()}`
    return client.socialProviders.create({ name, client_secret: 's', secret_expires_at })
  }

  async function told(id: string): Promise<number> {
    await service.clock.advance(86_400)
    await service.runJobs()
    const { data } = await client.events.list()
    return data.filter((event) => event.code === 'social.provider.expire.success' && event.data.id === id)
      .length
  }

  test('is told once, 30 days before it', async () => {
    const { id } = await endsAt(32)
    expect(await told(id)).toBe(0)
    expect(await told(id)).toBe(1)
    expect(await told(id)).toBe(1)
    expect(await checked(id)).toMatchObject({ secret_expiry: 'failed' })
  })

  test('is told of a new secret again, which has none unless it is said', async () => {
    const { id } = await endsAt(3)
    expect(await told(id)).toBe(1)
    const renewed = await client.socialProviders.update({ provider_id: id, client_secret: 'new' })
    expect(renewed.secret_expires_at).toBeNull()
    const secret_expires_at = new Date(service.clock.now().getTime() + 86_400_000).toISOString()
    await client.socialProviders.update({ provider_id: id, secret_expires_at })
    expect(await told(id)).toBe(2)
  })
})
