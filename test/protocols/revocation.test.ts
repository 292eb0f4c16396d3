import { allowInsecureRequests, processRevocationResponse, revocationRequest, None } from 'oauth4webapi'
import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { codeGivenOf, exchange } from './code-given.js'
import { refreshGivenOf, refusedRefresh } from './refresh-given.js'

const service = await startService()
const client = await service.client()
const codes = codeGivenOf(service, client)
const given = refreshGivenOf(service, codes)

const unknownToken = `${'h'.repeat(22)}.${'s'.repeat(43)}`

async function revoke(
  parameters: Record<string, string>,
  { path = '/oauth/revoke', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
) {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(parameters),
  })
  const body: Record<string, unknown> = await answer.json()
  return { status: answer.status, headers: answer.headers, body }
}

test('200: a refresh token, and with it all of its family (RFC 7009 section 2.1)', async () => {
  const { scene, refreshToken } = await given.tokens()
  const next = await given.refresh(scene, refreshToken)
  const { client_id } = scene.application

  const answer = await revoke({ token: next.refreshToken, token_type_hint: 'refresh_token', client_id })

  expect([answer.status, answer.body, answer.headers.get('cache-control')]).toEqual([200, {}, 'no-store'])
  for (const token of [refreshToken, next.refreshToken])
    expect((await given.refresh(scene, token)).body).toEqual(refusedRefresh)
  expect((await given.logged(scene.org_domain)).map(([code]) => code)).toContain('REFRESH_TOKEN_REVOKED')
})

test('200: at the endpoint that discovery names, by a library of others', async () => {
  const { scene, refreshToken } = await given.tokens()
  const issuer = `${service.baseUrl}/t/${scene.org_domain}`
  const metadata: { issuer: string; revocation_endpoint: string } = await (
    await fetch(`${issuer}/.well-known/openid-configuration`)
  ).json()
  const application = { client_id: scene.application.client_id }

  const answer = await revocationRequest(metadata, application, None(), refreshToken, {
    [allowInsecureRequests]: true,
  })
  await processRevocationResponse(answer)

  expect((await given.refresh(scene, refreshToken)).body).toEqual(refusedRefresh)
})

test('200: whatever the hint says, also one that there is not', async () => {
  for (const token_type_hint of ['access_token', 'no_such_type']) {
    const { scene, refreshToken } = await given.tokens()

    const { status } = await revoke({
      token: refreshToken,
      token_type_hint,
      client_id: scene.application.client_id,
    })

    expect([status, (await given.refresh(scene, refreshToken)).status]).toEqual([200, 400])
  }
})

test('200: a token that is not known, or was given back already (RFC 7009 section 2.2)', async () => {
  const { scene, refreshToken } = await given.tokens()
  const { client_id } = scene.application
  await revoke({ token: refreshToken, client_id })

  for (const token of [refreshToken, 'nonsense', unknownToken])
    expect(await revoke({ token, client_id })).toMatchObject({ status: 200, body: {} })
})

test('200: a token that another took the place of ends the family all the more', async () => {
  const { scene, refreshToken } = await given.tokens()
  const second = await given.refresh(scene, refreshToken)
  const third = await given.refresh(scene, second.refreshToken)

  await revoke({ token: refreshToken, client_id: scene.application.client_id })

  expect((await given.refresh(scene, third.refreshToken)).body).toEqual(refusedRefresh)
})

test('200: a text that says it is an access token, whatever its claims are', async () => {
  const { application } = await codes.scene()
  const { client_id } = application
  const partOf = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  for (const org of ['a\0', '\ud800', 'no-such-organization', 'x'.repeat(5000), 17]) {
    const claims = partOf({ jtt: 'access_token', dbs: 'sandbox', fid: 'f', org })
    const answer = await revoke({
      token: `${partOf({ alg: 'ES256', typ: 'at+jwt' })}.${claims}.AAAA`,
      client_id,
    })
    expect([org, answer.status, answer.body]).toEqual([org, 200, {}])
  }
})

test('400: an ID token and a token of the API cannot be revoked', async () => {
  const { scene, idToken } = await given.tokens()
  const { client_id } = scene.application

  for (const token of [idToken, await service.token()]) {
    const answer = await revoke({ token, token_type_hint: 'access_token', client_id })
    expect([answer.status, answer.body['error']]).toEqual([400, 'unsupported_token_type'])
  }
})

test('an authorization code is not one of its tokens, and stays what it is', async () => {
  const scene = await codes.scene()
  const code = await codes.code(scene)

  expect((await revoke({ token: code, client_id: scene.application.client_id })).status).toBe(200)
  expect((await exchange(service, { code })).status).toBe(200)
})

test('200: a token that was issued to another client is as one that is not known, and stays good', async () => {
  const scene = await codes.scene()
  const other = await codes.scene()
  const { refreshToken } = await given.tokens(scene)
  const foreign = await service.apiKey({ account: await service.createAccount() })
  const { client_id } = scene.application
  const attempts: [Record<string, string>, Parameters<typeof revoke>[1]?][] = [
    [{ client_id: other.application.client_id }],
    [{ client_id: foreign.client_id, client_secret: foreign.client_secret }],
    [{ client_id }, { path: `/t/${other.org_domain}/oauth/revoke` }],
    [{ client_id }, { path: '/t/no-such-organization/oauth/revoke' }],
  ]

  for (const [parameters, at] of attempts)
    for (const token of [refreshToken, unknownToken]) {
      const answer = await revoke({ ...parameters, token }, at)
      expect([parameters, answer.status, answer.body]).toEqual([parameters, 200, {}])
    }
  expect((await given.refresh(scene, refreshToken)).status).toBe(200)
})

test('401: credentials that open no API key, whatever the token (RFC 7009 section 2.1)', async () => {
  const { scene, refreshToken, accessToken } = await given.tokens()
  const { client_id } = await service.apiKey({})
  const basic = { authorization: `Basic ${btoa(`${client_id}:x`)}` }

  for (const token of [refreshToken, unknownToken, 'nonsense', accessToken])
    for (const answer of [
      await revoke({ token, client_id, client_secret: 'x' }),
      await revoke({ token, client_id: scene.application.client_id, client_secret: 'x' }),
      await revoke({ token }, { headers: basic }),
    ])
      expect([answer.status, answer.body['error'], answer.headers.get('www-authenticate')]).toEqual([
        401,
        'invalid_client',
        'Basic realm="portico"',
      ])
  expect((await given.refresh(scene, refreshToken)).status).toBe(200)
})

test('400: a request without a token, or without client_id', async () => {
  const { application } = await codes.scene()
  const { client_id } = application

  const attempts: Record<string, string>[] = [
    { token: unknownToken },
    { client_id },
    { token: '', client_id },
    { token: unknownToken, client_id: '' },
  ]
  for (const parameters of attempts) {
    const answer = await revoke(parameters)
    expect([parameters, answer.status, answer.body['error']]).toEqual([parameters, 400, 'invalid_request'])
  }
})

test('an application that demands an API key demands it here as well: without it nothing ends', async () => {
  const scene = await codes.scene({ code_exchange: 'api_key' })
  const { client_id, client_secret } = await service.apiKey({})
  const key = { client_id, client_secret }
  const code = await codes.code(scene, { scope: 'offline_access' })
  const { body } = await exchange(service, { code, ...key })
  const token = String(body['refresh_token'])

  const without = await revoke({ token, client_id: scene.application.client_id })
  const stillGood = await given.refresh(scene, token, key)
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  const withKey = await revoke({ token }, { headers: { authorization: `Basic ${basic}` } })

  expect([without.status, stillGood.status, withKey.status]).toEqual([200, 200, 200])
  expect((await given.refresh(scene, token, key)).body).toEqual(refusedRefresh)
})
