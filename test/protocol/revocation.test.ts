import { allowInsecureRequests, processRevocationResponse, revocationRequest, None } from 'oauth4webapi'
import type { Client } from '@portico/sdk'
import { beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../harness.js'
import { codeGivenOf, exchange, type CodeGiven } from './code-given.js'
import { refreshGivenOf, refusedRefresh, type RefreshGiven } from './refresh-given.js'

let service: Service
let client: Client
let codes: CodeGiven
let given: RefreshGiven

beforeAll(async () => {
  service = await startService()
  client = await service.client()
  codes = codeGivenOf(service, client)
  given = refreshGivenOf(service, codes)
})

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
  const scene = await codes.scene()
  const { refreshToken } = await given.tokens(scene)
  const next = await given.refresh(scene, refreshToken)
  const { client_id } = scene.application

  const answer = await revoke({ token: next.refreshToken, token_type_hint: 'refresh_token', client_id })

  expect([answer.status, answer.body, answer.headers.get('cache-control')]).toEqual([200, {}, 'no-store'])
  for (const token of [refreshToken, next.refreshToken])
    expect((await given.refresh(scene, token)).body).toEqual(refusedRefresh)
  expect((await given.logged(scene.org_domain)).map(([code]) => code)).toContain('REFRESH_TOKEN_REVOKED')
})

test('200: at the endpoint that discovery names, by a library of others', async () => {
  const scene = await codes.scene()
  const { refreshToken } = await given.tokens(scene)
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
    const scene = await codes.scene()
    const { refreshToken } = await given.tokens(scene)

    const { status } = await revoke({
      token: refreshToken,
      token_type_hint,
      client_id: scene.application.client_id,
    })

    expect([status, (await given.refresh(scene, refreshToken)).status]).toEqual([200, 400])
  }
})

test('200: a token that is not known, or was given back already (RFC 7009 section 2.2)', async () => {
  const scene = await codes.scene()
  const { refreshToken } = await given.tokens(scene)
  const { client_id } = scene.application
  await revoke({ token: refreshToken, client_id })

  for (const token of [refreshToken, 'nonsense', `${'h'.repeat(22)}.${'s'.repeat(43)}`])
    expect(await revoke({ token, client_id })).toMatchObject({ status: 200, body: {} })
})

test('200: a token that another took the place of ends the family all the more', async () => {
  const scene = await codes.scene()
  const { refreshToken } = await given.tokens(scene)
  const second = await given.refresh(scene, refreshToken)
  const third = await given.refresh(scene, second.refreshToken)

  await revoke({ token: refreshToken, client_id: scene.application.client_id })

  expect((await given.refresh(scene, third.refreshToken)).body).toEqual(refusedRefresh)
})

test('400: a token that is signed cannot be recalled', async () => {
  const scene = await codes.scene()
  const { accessToken, idToken } = await given.tokens(scene)
  const { client_id } = scene.application

  for (const token of [accessToken, idToken, await service.token()]) {
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

test('400: another application’s refresh token, at another organization, or without client_id; it stays good', async () => {
  const scene = await codes.scene()
  const other = await codes.scene()
  const { refreshToken: token } = await given.tokens(scene)
  const { client_id } = scene.application
  const attempts: [string, Parameters<typeof revoke>][] = [
    ['invalid_grant', [{ token, client_id: other.application.client_id }]],
    ['invalid_grant', [{ token, client_id: '' }]],
    ['invalid_grant', [{ token, client_id, client_secret: 'x' }]],
    ['invalid_grant', [{ token, client_id }, { path: `/t/${other.org_domain}/oauth/revoke` }]],
    ['invalid_request', [{ token }]],
    ['invalid_request', [{ client_id }]],
    ['invalid_request', [{ token: '', client_id }]],
  ]

  for (const [error, attempt] of attempts) {
    const answer = await revoke(...attempt)
    expect([attempt, answer.status, answer.body['error']]).toEqual([attempt, 400, error])
  }
  expect((await given.refresh(scene, token)).status).toBe(200)
})

test('an application that demands an API key demands it here as well', async () => {
  const scene = await codes.scene({ code_exchange: 'api_key' })
  const { client_id, client_secret } = await service.apiKey({})
  const key = { client_id, client_secret }
  const code = await codes.code(scene, { scope: 'offline_access' })
  const { body } = await exchange(service, { code, ...key })
  const token = String(body['refresh_token'])

  const without = await revoke({ token, client_id: scene.application.client_id })
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  const withKey = await revoke({ token }, { headers: { authorization: `Basic ${basic}` } })

  expect([without.status, without.body['error'], withKey.status]).toEqual([400, 'invalid_grant', 200])
  expect((await given.refresh(scene, token, key)).body).toEqual(refusedRefresh)
})
