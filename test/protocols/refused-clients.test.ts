import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { until } from '../resilience/until.js'
import { exchange } from './code-given.js'
import { confidentialGivenOf } from './confidential-given.js'

const service = await startService()
const client = await service.client()
const given = confidentialGivenOf(service, client)

type How = Parameters<typeof exchange>[2]

/** Sends a token request that is refused, and gives what the log of the service says of it. */
async function refusedBecause(parameters: Record<string, string>, how: How = {}) {
  const requestId = randomUUID()
  const headers = { ...how.headers, 'x-request-id': requestId }
  const { status, body } = await exchange(service, { code: 'unknown', ...parameters }, { ...how, headers })
  expect([status, body.error]).toEqual([401, 'invalid_client'])
  const isOfRefusal = (line: string) => line.includes(requestId) && line.includes('"reason"')
  await until(() => service.logLines.some(isOfRefusal))
  const line = service.logLines.find(isOfRefusal) ?? ''
  for (const sent of [parameters['client_secret'], parameters['client_assertion']])
    if (sent !== undefined) expect(line).not.toContain(sent)
  const { level, msg, reason, detail, client_id, account_id, environment } = JSON.parse(line)
  const isUnknown = reason === 'secret_unknown'
  expect(detail).toBe(
    isUnknown ? `no secret of ${client_id}: a deleted one, or of another client` : undefined,
  )
  expect([level, msg]).toEqual(['info', 'a client is not authenticated'])
  return { reason, client_id, account_id, environment }
}

/** What the log says of a client of the account in the sandbox. */
const ofClient = (client_id: string, reason: string) => ({
  reason,
  client_id,
  account_id: service.account.id,
  environment: 'sandbox',
})

test('the log says why a secret is refused, and of which application', async () => {
  const of = await given.withSecret()
  const { client_id } = of.credentials
  const at = { org_domain: of.org_domain, client_id }
  const soon = new Date(service.clock.now().getTime() + 1000).toISOString()
  const { value: expired } = await client.applicationSecrets.create({ ...at, expires_at: soon })
  await service.clock.advance(1)
  const other = await given.withSecret()
  const production = await service.client({ environment: 'production' })
  const place = (await production.organizations.create({ name: 'Other place' })).domain
  const released = await service.given.application(
    { org_domain: place, application_type: 'node' },
    production,
  )
  const { value: ofProduction } = await production.applicationSecrets.create({
    org_domain: place,
    client_id: released.client_id,
  })
  const posted = (client_secret: string | null) =>
    refusedBecause({ client_id, client_secret: client_secret ?? '' })
  const secret = of.credentials.client_secret

  expect(await posted(expired)).toEqual(ofClient(client_id, 'secret_expired'))
  expect(await posted(other.credentials.client_secret)).toEqual(ofClient(client_id, 'secret_unknown'))
  expect(await posted(ofProduction)).toEqual(ofClient(client_id, 'secret_of_other_environment'))
  expect(await posted(secret.slice(0, -1))).toEqual({ reason: 'secret_malformed', client_id })
  expect(await refusedBecause({ client_id })).toEqual(ofClient(client_id, 'credentials_missing'))
  expect(await refusedBecause({ client_id: 'nobody at all', client_secret: secret })).toEqual({
    reason: 'client_id_malformed',
  })
  const stranger = randomUUID()
  expect(await refusedBecause({ client_id: stranger, client_secret: secret })).toEqual({
    reason: 'client_unknown',
    client_id: stranger,
  })
  expect(await refusedBecause({}, { headers: { authorization: 'Basic ?' } })).toEqual({
    reason: 'header_unreadable',
  })
})

test('the log says why an API key is refused', async () => {
  const [key, other] = [await service.apiKey(), await service.apiKey()]
  const { client_id, client_secret } = key
  const of = await given.withSecret()
  const grant = { grant_type: 'client_credentials', domain: service.account.domain }

  expect(await refusedBecause({ client_id, client_secret: other.client_secret })).toEqual(
    ofClient(client_id, 'secret_unknown'),
  )
  expect(await refusedBecause({ client_id: of.application.client_id, client_secret })).toEqual({
    reason: 'api_key_unknown',
    client_id: of.application.client_id,
  })
  expect(await refusedBecause({ ...grant, ...key, domain: of.org_domain })).toEqual(
    ofClient(client_id, 'domain_mismatch'),
  )
  expect(await refusedBecause({ ...grant, client_id, client_secret: other.client_secret })).toEqual(
    ofClient(client_id, 'secret_unknown'),
  )
  expect(await refusedBecause({ code: await given.code(of), ...key })).toEqual(
    ofClient(client_id, 'unexpected_method'),
  )
  await service.query('update api_keys set revoked_at = inserted_at where id = $1', [client_id])
  expect(await refusedBecause({ ...key })).toEqual(ofClient(client_id, 'api_key_revoked'))
  expect(await refusedBecause({ token: 'x', ...of.credentials }, { path: '/oauth/introspect' })).toEqual(
    ofClient(of.credentials.client_id, 'api_key_required'),
  )
})

test('the log says which check an assertion fails', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const stranger = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one' }]
  const members = { client_authentication: 'private_key_jwt', jwks: { keys } }
  const of = await given.scene(members as Parameters<typeof given.scene>[0])
  const { client_id } = of.application
  const exp = Math.floor(service.clock.now().getTime() / 1000) + 60

  async function because(claims: JWTPayload = {}, { by = privateKey, kid = 'one', sent = {} }: Signing = {}) {
    const usual = { iss: client_id, sub: client_id, aud: service.baseUrl, jti: randomUUID(), exp }
    const client_assertion = await new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid })
      .sign(by)
    return refusedBecause({ client_assertion, client_assertion_type, ...sent })
  }
  interface Signing {
    readonly by?: typeof privateKey
    readonly kid?: string
    readonly sent?: Record<string, string>
  }
  const known = (reason: string) => ofClient(client_id, reason)
  const named = (reason: string) => ({ reason, client_id })

  expect(await because({ aud: 'https://other.example' })).toEqual(named('assertion_audience'))
  expect(await because({ exp: exp - 120 })).toEqual(named('assertion_expiry'))
  expect(await because({ exp: exp + 600 })).toEqual(named('assertion_lifetime'))
  expect(await because({ jti: '' })).toEqual(named('assertion_jti'))
  expect(await because({ sub: randomUUID() })).toEqual({ reason: 'assertion_issuer' })
  expect(await because({}, { sent: { client_id: randomUUID() } })).toEqual(
    named('assertion_of_another_client'),
  )
  expect(await because({}, { by: stranger.privateKey })).toEqual(known('assertion_signature'))
  expect(await because({}, { kid: 'two' })).toEqual(known('assertion_key_unknown'))
  expect(await because({}, { sent: { client_assertion_type: 'other' } })).toEqual({
    reason: 'assertion_type',
  })
  expect(await refusedBecause({ client_assertion: 'x.y', client_assertion_type })).toEqual({
    reason: 'assertion_unreadable',
  })
  await exchange(service, { code: 'unknown', ...(await sentOnce()) })
  expect(await refusedBecause(await sentOnce())).toEqual(known('assertion_replayed'))
  const bySecret = await given.withSecret()
  const iss = bySecret.application.client_id
  expect(await because({ iss, sub: iss })).toEqual(ofClient(iss, 'unexpected_method'))
  const secret = { client_id, client_secret: bySecret.credentials.client_secret }
  expect(await refusedBecause(secret)).toEqual(known('unexpected_method'))

  async function sentOnce() {
    const claims = { iss: client_id, sub: client_id, aud: service.baseUrl, jti: 'once', exp }
    const client_assertion = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(privateKey)
    return { client_assertion, client_assertion_type }
  }
})

const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
