import { exportJWK, generateKeyPair } from 'jose'
import * as openid from 'openid-client'
import type { Client } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { answerOf, callback, flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

/** A scene whose application authenticates. */
type Settings = Omit<Parameters<Client['applications']['update']>[0], 'org_domain' | 'client_id'>

async function sceneWith(members: Settings): Promise<FlowScene> {
  const scene = await given.scene()
  const at = { org_domain: scene.org_domain, client_id: scene.application.client_id }
  const application = await client.applications.update({
    ...at,
    application_type: 'regular_web',
    ...members,
  })
  return { ...scene, application }
}

async function secretOf({ org_domain, application }: FlowScene): Promise<string> {
  const { client_id } = application
  return (await client.applicationSecrets.create({ org_domain, client_id })).value ?? ''
}

/** Signs in on the pages, from the authorization URL of a library to the redirect that it parses. */
async function throughThePages(scene: FlowScene, url: URL): Promise<URL> {
  const visitor = given.visitorOf()
  const asked = await visitor.press(await visitor.visit(url.href), 'identify', { email: scene.user.email })
  const { location } = await visitor.press(asked, 'password', { password: goodPassword })
  return new URL(location ?? '')
}

describe('openid-client, with its defaults of a server', () => {
  /** Signs in, refreshes and revokes, with a nonce of the library and PKCE or not. */
  async function journey(scene: FlowScene, authentication: openid.ClientAuth, hasPkce: boolean) {
    const issuer = new URL(`${service.baseUrl}/t/${scene.org_domain}`)
    const config = await openid.discovery(issuer, scene.application.client_id, undefined, authentication, {
      // The service under test uses http on this machine.
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    })
    const verifier = openid.randomPKCECodeVerifier()
    const checks = {
      expectedNonce: openid.randomNonce(),
      expectedState: openid.randomState(),
      idTokenExpected: true,
      ...(hasPkce && { pkceCodeVerifier: verifier }),
    }
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid offline_access',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      ...(hasPkce && {
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    })
    const tokens = await openid.authorizationCodeGrant(config, await throughThePages(scene, url), checks)
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '')
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    return tokens.claims()?.sub
  }

  test.each([true, false])('client_secret_basic and client_secret_post (PKCE: %s)', async (hasPkce) => {
    const scene = await sceneWith({
      client_authentication: 'secret',
      token_signing_alg: hasPkce ? 'ES256' : 'RS256',
    })
    const secret = await secretOf(scene)

    for (const authentication of [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)])
      expect(await journey(scene, authentication, hasPkce)).toBe(scene.user.id)
  })

  test('private_key_jwt', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' } as never] }
    const scene = await sceneWith({ client_authentication: 'private_key_jwt', jwks })

    const authentication = openid.PrivateKeyJwt({ key: privateKey, kid: 'one' })

    expect(await journey(scene, authentication, false)).toBe(scene.user.id)
  })
})

describe('the authorization endpoint, for an application that authenticates', () => {
  const without = { code_challenge: undefined, code_challenge_method: undefined }
  const longNonce = 'n-0123456789abcdef'

  async function answerTo(scene: FlowScene, members: Record<string, string | undefined>) {
    const seen = await given.visitorOf().request(given.authorizeUrl(scene, members))
    return { error: answerOf(seen).get('error'), description: answerOf(seen).get('error_description') }
  }

  test.each([
    ['required', { nonce: longNonce }, 'code_challenge is required'],
    ['or_nonce', { nonce: 'n-0123456789abc' }, 'nonce of 16 characters'],
    ['or_nonce', { nonce: undefined }, 'send code_challenge'],
    ['or_nonce', { nonce: undefined }, 'optional'],
  ] as const)('%s: %j redirects with invalid_request, which says %s', async (pkce, members, text) => {
    const scene = await sceneWith({ client_authentication: 'secret', pkce })

    expect(await answerTo(scene, { ...without, ...members })).toEqual({
      error: 'invalid_request',
      description: expect.stringContaining(text),
    })
  })

  test.each([
    ['without its method', { code_challenge_method: undefined }],
    ['in the clear', { code_challenge_method: 'plain' }],
    ['that is a method alone', { code_challenge: undefined }],
  ])('a challenge %s is refused under every policy', async (_, members) => {
    for (const pkce of ['required', 'or_nonce', 'optional'] as const) {
      const scene = await sceneWith({ client_authentication: 'secret', pkce })
      expect(await answerTo(scene, { nonce: longNonce, ...members })).toMatchObject({
        error: 'invalid_request',
      })
    }
  })

  test('optional: neither challenge nor nonce, and its code needs the secret', async () => {
    const scene = await sceneWith({ client_authentication: 'secret', pkce: 'optional' })
    const { landed } = await given.signIn(scene, { ...without, nonce: undefined })
    const code = answerOf(landed).get('code') ?? ''
    const client_id = scene.application.client_id

    const alone = await exchange(service, { code, client_id })
    const withSecret = await exchange(service, { code, client_id, client_secret: await secretOf(scene) })

    expect([alone.status, withSecret.status]).toEqual([401, 200])
  })

  test('without authentication a challenge is demanded, whatever the nonce', async () => {
    const scene = await given.scene()

    expect(await answerTo(scene, { ...without, nonce: longNonce })).toEqual({
      error: 'invalid_request',
      description: 'code_challenge is required',
    })
  })
})
