import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { codeGivenOf, exchange, type Scene } from './code-given.js'
import { confidentialGivenOf } from './confidential-given.js'
import { refreshGivenOf } from './refresh-given.js'

const service = await startService()
const client = await service.client()
const codes = codeGivenOf(service, client)
const given = refreshGivenOf(service, codes)

const basicOf = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })

/** Credentials that authenticate no client, and how they are sent. */
async function wrongCredentials({ application }: Scene) {
  const key = await service.apiKey()
  const other = await service.apiKey()
  const wrong: [string, { parameters?: Record<string, string>; headers?: Record<string, string> }][] = [
    [
      'a key with the secret of another, in the body',
      { parameters: { ...key, client_secret: other.client_secret } },
    ],
    ['the same by Basic', { headers: basicOf(key.client_id, other.client_secret) }],
    ['an unknown key', { headers: basicOf(service.account.id, key.client_secret) }],
    ['a client that is none', { headers: basicOf('nobody', 'x') }],
    ['a secret of a public application', { headers: basicOf(application.client_id, 'x') }],
    ['the same in the body', { parameters: { client_id: application.client_id, client_secret: 'x' } }],
    ['an empty secret by Basic', { headers: basicOf(key.client_id, '') }],
    ['a header without a colon', { headers: { authorization: `Basic ${btoa('x')}` } }],
    ['a header that is not base64', { headers: { authorization: 'Basic ?' } }],
    ['a header without credentials', { headers: { authorization: 'Basic' } }],
  ]
  return wrong
}

const refusedClient = { error: 'invalid_client', error_description: expect.any(String) }

describe('wrong client authentication (RFC 6749 section 5.2)', () => {
  test('401 invalid_client with one text, and the code can be exchanged afterwards', async () => {
    const scene = await codes.scene()
    const code = await codes.code(scene)
    const texts = new Set<string>()

    for (const [what, { parameters, ...how }] of await wrongCredentials(scene))
      for (const known of [code, 'unknown']) {
        const answer = await exchange(service, { code: known, ...parameters }, how)
        expect([what, answer.status, answer.body]).toEqual([what, 401, refusedClient])
        expect(answer.headers.get('www-authenticate')).toBe('Basic realm="portico"')
        texts.add(answer.text)
      }
    expect(texts.size).toBe(1)
    expect((await exchange(service, { code })).status).toBe(200)
  })

  test('401 invalid_client at a refresh, and the token can be exchanged afterwards', async () => {
    const { scene, refreshToken } = await given.tokens()

    for (const [what, { parameters, ...how }] of await wrongCredentials(scene)) {
      const answer = await given.refresh(scene, refreshToken, parameters, how)
      expect([what, answer.status, answer.body]).toEqual([what, 401, refusedClient])
    }
    expect((await given.refresh(scene, refreshToken)).status).toBe(200)
  })

  test.each(['revoke', 'introspect'])('401 invalid_client at %s, whatever the token', async (endpoint) => {
    const { scene, refreshToken } = await given.tokens()

    for (const [what, { parameters, headers = {} }] of await wrongCredentials(scene))
      for (const token of [refreshToken, 'unknown']) {
        const body = new URLSearchParams({ token, client_id: scene.application.client_id, ...parameters })
        const answer = await fetch(`${service.baseUrl}/oauth/${endpoint}`, { method: 'POST', headers, body })
        expect([what, answer.status, await answer.json()]).toEqual([what, 401, refusedClient])
      }
    expect((await given.refresh(scene, refreshToken)).status).toBe(200)
  })

  test('400 invalid_request: credentials in both ways, also when each alone is right', async () => {
    const scene = await codes.scene()
    const code = await codes.code(scene)
    const key = await service.apiKey()
    const headers = basicOf(key.client_id, key.client_secret)

    const answer = await exchange(service, { code, ...key }, { headers })

    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
    expect((await exchange(service, { code })).status).toBe(200)
  })

  test('credentials by Basic are form-encoded first (section 2.3.1), and Basic may be written in any case', async () => {
    const { client_id, client_secret } = await service.apiKey()
    const encoded = client_id.replaceAll('-', '%2D')

    const answer = await exchange(
      service,
      { grant_type: 'client_credentials', domain: service.account.domain },
      { headers: { authorization: `basic ${btoa(`${encoded}:${client_secret}`)}` } },
    )

    expect(answer.status).toBe(200)
  })

  test('a client_secret without a value counts as omitted (section 3.2)', async () => {
    const scene = await codes.scene()
    const { client_id } = scene.application

    const answer = await exchange(service, { code: await codes.code(scene), client_id, client_secret: '' })

    expect(answer.status).toBe(200)
  })

  test('so do the other parameters of an exchange, which would refuse it and consume the code', async () => {
    const scene = await codes.scene()
    const omitted = { client_id: '', code_verifier: '', redirect_uri: '', scope: '' }

    const answer = await exchange(service, { code: await codes.code(scene), ...omitted })
    const missing = await exchange(service, { code: '' })

    expect([answer.status, missing.status, missing.body.error]).toEqual([200, 400, 'invalid_request'])
  })
})

test('429: refused authentications count as refused codes do, at every endpoint', async () => {
  const limited = await startService({ variables: { FAILED_GRANTS_PER_MINUTE: '4' } })
  const headers = basicOf('nobody', 'x')
  const statuses: number[] = []
  const grants: Record<string, string>[] = [
    { code: 'x' },
    { grant_type: 'refresh_token', refresh_token: 'x' },
    { grant_type: 'client_credentials', domain: limited.account.domain },
  ]
  for (const parameters of grants) statuses.push((await exchange(limited, parameters, { headers })).status)
  for (const path of ['/oauth/revoke', '/oauth/introspect'])
    statuses.push((await exchange(limited, { token: 'x' }, { path, headers })).status)

  expect(statuses).toEqual([401, 401, 401, 401, 429])
})

test('200: wrong codes that strangers have sent a back end do not lock it out, if it authenticates', async () => {
  const limited = await startService({ variables: { FAILED_GRANTS_PER_MINUTE: '4' } })
  const confidential = confidentialGivenOf(limited, await limited.client())
  const of = await confidential.withSecret()

  for (let count = 0; count < 8; count += 1)
    expect((await exchange(limited, { code: 'unknown', ...of.credentials })).status).toBe(400)

  expect((await exchange(limited, { code: await confidential.code(of), ...of.credentials })).status).toBe(200)
})
