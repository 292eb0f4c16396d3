import { UserInfo } from '@portico/contract/oidc'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { openMagicLink } from '@portico/sdk'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as openid from 'openid-client'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'

const service = await startService()

async function givenProvider() {
  const { domain: org_domain } = await service.given.organization()
  const application = await service.given.application({
    org_domain,
    organization_domain_scope: org_domain,
    allowed_redirect_urls: ['https://store.example/callback'],
  })
  const issuer = `${service.baseUrl}/t/${org_domain}`
  return { org_domain, application, issuer }
}

function discover(issuer: string, clientId: string): Promise<openid.Configuration> {
  return openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
    // The service under test uses http on this machine.
    execute: [openid.allowInsecureRequests],
  })
}

describe('openid-client, which knows nothing of us', () => {
  longTest('discovers the organization, and signs in with PKCE, nonce, state and issuer', async () => {
    const { org_domain, application, issuer } = await givenProvider()
    const user = await service.given.user({ org_domain })
    const configuration = await discover(issuer, application.client_id)
    const [verifier, nonce, state] = [
      openid.randomPKCECodeVerifier(),
      openid.randomNonce(),
      openid.randomState(),
    ]
    const client = await service.client()
    const { magic_link: link } = await client.magicLink.createChallenge({
      org_domain,
      user_email: user.email,
      send_email: false,
      nonce,
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    })
    const { redirectedTo } = await openMagicLink(link ?? '')

    const tokens = await openid.authorizationCodeGrant(configuration, redirectedTo, {
      pkceCodeVerifier: verifier,
      expectedNonce: nonce,
      expectedState: state,
      idTokenExpected: true,
    })

    expect(tokens.claims()).toMatchObject({ sub: user.id, iss: issuer, aud: application.client_id })
    const replay = openid.authorizationCodeGrant(configuration, redirectedTo, {
      pkceCodeVerifier: verifier,
      expectedNonce: nonce,
      expectedState: state,
    })
    await expect(replay).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
  })

  test('refuses the answer of another issuer', async () => {
    const [ours, other] = [await givenProvider(), await givenProvider()]
    const user = await service.given.user({ org_domain: ours.org_domain })
    const client = await service.client()
    const { magic_link: link } = await client.magicLink.createChallenge({
      org_domain: ours.org_domain,
      user_email: user.email,
      send_email: false,
    })
    const { redirectedTo } = await openMagicLink(link ?? '')
    const configuration = await discover(other.issuer, other.application.client_id)

    await expect(openid.authorizationCodeGrant(configuration, redirectedTo)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('iss') },
    })
  })
})

describe('discovery', () => {
  test('200: names addresses that answer, and claims that an ID token or UserInfo has', async () => {
    const { org_domain, issuer, application } = await givenProvider()

    const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
    const metadata: Record<string, unknown> = await answer.json()

    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(metadata).toMatchObject({
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      token_endpoint: `${issuer}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
    })
    expect((await fetch(String(metadata['jwks_uri']))).status).toBe(200)
    const user = await service.given.user({ org_domain })
    const client = await service.client()
    const { magic_link: link } = await client.magicLink.createChallenge({
      org_domain,
      user_email: user.email,
      send_email: false,
      nonce: 'n',
      state: 's',
    })
    const { code } = await openMagicLink(link ?? '')
    const tokens = await client.oauth.organizationToken({
      org_domain,
      grant_type: 'authorization_code',
      code,
    })
    const keys = createRemoteJWKSet(new URL(String(metadata['jwks_uri'])))
    const { payload } = await jwtVerify(tokens.id_token, keys, { issuer, audience: application.client_id })
    // act only exists after a relay, groups only for members of a directory's groups.
    const claims = new Set([...Object.keys(payload), 'act', 'groups', ...Object.keys(UserInfo.shape)])
    expect([...claims].sort()).toEqual([...(metadata['claims_supported'] as string[])].sort())
  })

  test('200: the same document at each well-known address, for scripts of any origin, with a tag that saves sending it again', async () => {
    const { org_domain, issuer } = await givenProvider()
    const addresses = [
      `${issuer}/.well-known/openid-configuration`,
      `${issuer}/.well-known/oauth-authorization-server`,
      `${service.baseUrl}/.well-known/openid-configuration/t/${org_domain}`,
      `${service.baseUrl}/.well-known/oauth-authorization-server/t/${org_domain}`,
    ]

    const answers = await Promise.all(addresses.map((address) => fetch(address)))
    const texts = await Promise.all(answers.map((answer) => answer.text()))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(texts).size).toBe(1)
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ issuer })
    for (const [index, { headers }] of answers.entries()) {
      expect(headers.get('access-control-allow-origin')).toBe('*')
      const tag = { 'if-none-match': headers.get('etag') ?? '' }
      expect(await statusOf(addresses[index] ?? '', tag)).toBe(304)
      expect((await fetch(addresses[index] ?? '', { method: 'HEAD' })).status).toBe(200)
    }
  })

  test('an OAuth client that knows RFC 8414 alone finds the organization by its issuer', async () => {
    const { issuer, application } = await givenProvider()
    const configuration = await openid.discovery(
      new URL(issuer),
      application.client_id,
      undefined,
      openid.None(),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    )
    expect(configuration.serverMetadata()).toMatchObject({ issuer, token_endpoint: `${issuer}/oauth/token` })
  })

  test.each(['openid-configuration', 'oauth-authorization-server', 'jwks.json'])(
    '404: %s of an organization that is not there, or not any more',
    async (document) => {
      const { org_domain, issuer } = await givenProvider()
      const client = await service.client()
      await client.organizations.delete({ org_domain })

      for (const gone of [issuer, `${service.baseUrl}/t/no-such-organization`, `${service.baseUrl}/t/%00`]) {
        const answer = await fetch(`${gone}/.well-known/${document}`)
        expect([answer.status, await answer.text()]).toEqual([
          404,
          expect.stringContaining('organization_not_found'),
        ])
      }
    },
  )
})

describe('the key set', () => {
  test('200: has the keys of both environments, and the next ones, no private part, and a tag that saves sending it again', async () => {
    const { issuer } = await givenProvider()

    const answer = await fetch(`${issuer}/.well-known/jwks.json`)
    const { keys }: { keys: Record<string, string>[] } = await answer.json()

    expect(keys).toHaveLength(4)
    for (const key of keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
      expect(key).toMatchObject({ kty: 'EC', alg: 'ES256', use: 'sig' })
    }
    expect(answer.headers.get('cache-control')).toBe('public, max-age=900')
    const etag = answer.headers.get('etag') ?? ''
    expect(await statusOf(`${issuer}/.well-known/jwks.json`, { 'if-none-match': etag })).toBe(304)
  })

  test('404: of an unknown organization, which may be remembered for a minute', async () => {
    const answer = await fetch(`${service.baseUrl}/t/no-such-organization/.well-known/jwks.json`)

    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'public, max-age=60'])
  })

  test('a token of one organization does not verify with the keys of another', async () => {
    const [ours, other] = [await givenProvider(), await givenProvider()]
    const user = await service.given.user({ org_domain: ours.org_domain })
    const client = await service.client()
    const { magic_link: link } = await client.magicLink.createChallenge({
      org_domain: ours.org_domain,
      user_email: user.email,
      send_email: false,
    })
    const { code } = await openMagicLink(link ?? '')
    const tokens = await client.oauth.organizationToken({
      org_domain: ours.org_domain,
      grant_type: 'authorization_code',
      code,
    })

    const keys = createRemoteJWKSet(new URL(`${other.issuer}/.well-known/jwks.json`))

    await expect(jwtVerify(tokens.id_token, keys)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
  })
})

/** Without fetch(), which adds no-cache to conditional requests. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const [answer] = (await once(get(url, { headers }), 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}
