import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { basicOf } from '../../protocols/confidential-given.js'
import { claimsOf } from '../../given/claims.js'
import { answerOf, flowGivenOf, goodPassword } from '../../given/flow-given.js'
import { startService } from '../../given/harness.js'

/**
 * The requests of tools in Go, which no package registry of the tests has, as their sources write them: oauth2-proxy 7 with
 * the provider `oidc`, and the generic OAuth of Grafana 11. Both leave the token request to golang.org/x/oauth2, which sends
 * the secret by Basic first, and form-encodes both parts.
 */
const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

interface Tool {
  /** Beside client_id, redirect_uri, response_type, scope and state. */
  readonly authorization: Readonly<Record<string, string>>
  readonly callbackPath: string
}

const tools: Readonly<Record<string, Tool>> = {
  'oauth2-proxy': { authorization: { approval_prompt: 'force' }, callbackPath: '/oauth2/callback' },
  Grafana: { authorization: { access_type: 'online' }, callbackPath: '/login/generic_oauth' },
}

const cases = Object.keys(tools).flatMap((name) => [
  { name, pkce: 'or_nonce', how: 'with its switch for PKCE' },
  { name, pkce: 'optional', how: 'as it comes, where pkce is optional' },
])

test.each(cases)('$name signs in, reads userinfo and refreshes, $how', async ({ name, pkce }) => {
  const { application, scene, as } = await register(name, pkce)
  const { authorization = {} } = tools[name] ?? {}
  const verifier = pkce === 'optional' ? undefined : randomBytes(72).toString('base64url')
  const visitor = given.visitorOf()
  const asked = new URLSearchParams({
    redirect_uri: as.redirectUri,
    scope: 'openid email profile offline_access',
    client_id: application.client_id,
    response_type: 'code',
    state: randomBytes(32).toString('base64url'),
    ...authorization,
    ...(verifier !== undefined && { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }),
  })

  const start = await visitor.visit(`${as.issuer}/authorize?${asked.toString()}`)
  const page = await visitor.press(start, 'identify', { email: scene.user.email })
  const landed = await visitor.press(page, 'password', { password: goodPassword })
  const answer = answerOf(landed)
  const tokens = await as.post({
    code: answer.get('code') ?? '',
    grant_type: 'authorization_code',
    redirect_uri: as.redirectUri,
    ...(verifier !== undefined && { code_verifier: verifier }),
  })
  const refreshed = await as.post({
    grant_type: 'refresh_token',
    refresh_token: String(tokens['refresh_token']),
  })
  const userinfo = await fetch(`${as.issuer}/userinfo`, {
    headers: { accept: 'application/json', authorization: `Bearer ${String(refreshed['access_token'])}` },
  })

  expect(answer.get('state')).toBe(asked.get('state'))
  expect(claimsOf(String(tokens['id_token']))).toMatchObject({ sub: scene.user.id })
  expect(await userinfo.json()).toMatchObject({ sub: scene.user.id, email: scene.user.email })
})

test.each(Object.keys(tools))(
  '%s is told what to set where it sends neither PKCE nor a nonce',
  async (name) => {
    const { application, as } = await register(name, 'or_nonce')
    const asked = new URLSearchParams({
      redirect_uri: as.redirectUri,
      scope: 'openid',
      client_id: application.client_id,
      response_type: 'code',
      state: 'state-1',
    })

    const answer = answerOf(await given.visitorOf().visit(`${as.issuer}/authorize?${asked.toString()}`))

    expect(answer.get('error')).toBe('invalid_request')
    expect(answer.get('error_description')).toMatch(/code_challenge.*nonce.*pkce/)
  },
)

async function register(name: string, pkce: string) {
  const scene = await given.scene()
  const { org_domain } = scene
  const redirectUri = `https://tool.example${tools[name]?.callbackPath ?? ''}`
  const application = await client.applications.create({
    org_domain,
    name,
    application_type: 'regular_web',
    client_authentication: 'secret',
    pkce: pkce === 'optional' ? 'optional' : 'or_nonce',
    allowed_redirect_urls: [redirectUri],
    allowed_origins_cors: [],
    allowed_logout_urls: [],
  })
  const { client_id } = application
  const { value } = await client.applicationSecrets.create({ org_domain, client_id })
  const issuer = `${service.baseUrl}/t/${org_domain}`
  async function post(parameters: Record<string, string>): Promise<Record<string, unknown>> {
    const answer = await fetch(`${issuer}/oauth/token`, {
      method: 'POST',
      headers: basicOf(client_id, value ?? ''),
      body: new URLSearchParams(parameters),
    })
    expect(answer.status).toBe(200)
    return answer.json()
  }
  return { scene, application, as: { issuer, redirectUri, post } }
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
