import assert from 'node:assert/strict'
import { ask, assertRefused, basic, bearer, endpointOf, post, type Answer } from './ask.js'
import { assertScope, freshTokens, idTokenOf, tokensFor } from './authorize.js'
import type { Check, Group } from './check.js'
import { accepts } from './fault.js'
import { endSession } from './logout.js'
import type { Scene } from './provider.js'

const checks: readonly Check[] = [
  {
    id: 'rfc7662-2.2-access-token',
    source: 'RFC 7662 2.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const { status, headers, json } = await introspect(at, accessToken)
      assert.deepEqual([status, json['active']], [200, true])
      assert.match(headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual([json['sub'], json['client_id']], [at.user.sub, at.client.clientId])
    },
    fault: { at: 'introspection', json: { active: 'true' } },
  },
  {
    id: 'rfc7662-2.2-members-agree-with-the-token',
    source: 'RFC 7662 2.2',
    level: 'should',
    needs: 'user',
    async run(at) {
      const tokens = await tokensFor(at, { scope: 'openid email' })
      const { json } = await introspect(at, tokens.accessToken)
      const id = await idTokenOf(at, tokens)
      assert.deepEqual([json['iss'], json['sub']], [at.issuer, id.sub])
      assertScope(json['scope'], ['openid', 'email'])
      assert.ok(typeof json['exp'] === 'number' && json['exp'] * 1000 > at.now().getTime())
    },
    fault: { at: 'introspection', json: { scope: ['openid', 'email'] } },
  },
  {
    id: 'rfc7662-2.2-refresh-token',
    source: 'RFC 7662 2.1',
    level: 'should',
    needs: 'user',
    async run(at) {
      const { refreshToken } = await tokensFor(at, { scope: 'openid offline_access' })
      assert.equal((await introspect(at, refreshToken)).json['active'], true)
    },
    fault: { at: 'introspection', json: { active: false } },
  },
  {
    id: 'rfc7662-2.2-unknown-token',
    source: 'RFC 7662 2.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { status, json } = await introspect(at, 'unknown')
      // Nothing beside it may be told of an inactive token.
      assert.deepEqual([status, json], [200, { active: false }])
    },
    fault: { at: 'introspection', json: { sub: 'planted' } },
  },
  {
    id: 'rfc7662-4-modified-token',
    source: 'RFC 7662 4',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const [header, , signature] = accessToken.split('.')
      const claims = JSON.stringify({ sub: at.user.sub, dbs: 'sandbox', exp: 4_000_000_000, iss: at.issuer })
      const forged = [header, Buffer.from(claims).toString('base64url'), signature].join('.')
      assert.deepEqual((await introspect(at, forged)).json, { active: false })
    },
    fault: { at: 'introspection', json: { active: true } },
  },
  {
    id: 'rfc7662-4-expired-token',
    source: 'RFC 7662 4',
    level: 'must',
    isAlone: true,
    needs: 'user',
    async run(at) {
      const { accessToken, answer } = await freshTokens(at)
      await at.advance(Number(answer.json['expires_in']) + 1)
      assert.deepEqual((await introspect(at, accessToken)).json, { active: false })
    },
    fault: { at: 'introspection', json: { active: true } },
  },
  {
    id: 'rfc7662-4-ended-session',
    source: 'RFC 7662 4',
    level: 'must',
    needs: 'user',
    async run(at) {
      const signedIn = await freshTokens(at)
      await endSession(at, signedIn, {
        id_token_hint: signedIn.idToken,
        post_logout_redirect_uri: at.postLogoutRedirectUri,
      })
      assert.deepEqual((await introspect(at, signedIn.accessToken)).json, { active: false })
    },
    fault: { at: 'introspection', json: { active: true } },
  },
  {
    id: 'rfc7662-2.1-authorization-demanded',
    source: 'RFC 7662 2.1',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      assertRefused(await post(at, 'introspection', { token: 'unknown' }), 401, 'invalid_client')
    },
    fault: accepts('introspection', { active: false }),
  },
  {
    id: 'rfc7662-2.3-wrong-credentials',
    source: 'RFC 7662 2.3',
    level: 'must',
    needs: 'user',
    async run(at) {
      const wrong = basic(at.introspector.id, 'wrong')
      const answer = await post(at, 'introspection', { token: 'unknown' }, wrong)
      assertRefused(answer, 401, 'invalid_client')
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic\b/i)
    },
    fault: { at: 'introspection', headers: { 'www-authenticate': null } },
  },
  {
    id: 'rfc7662-2.3-wrong-bearer-token',
    source: 'RFC 7662 2.3',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const { status } = await post(at, 'introspection', { token: accessToken }, bearer(accessToken))
      assert.equal(status, 401, 'a user’s token may not introspect')
    },
    fault: accepts('introspection', { active: true }),
  },
  {
    id: 'rfc7662-2.1-post-only',
    source: 'RFC 7662 2.1',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { status } = await ask(at, `${await endpointOf(at, 'introspection')}?token=unknown`)
      assert.ok([400, 401, 404, 405].includes(status), `status ${status}`)
    },
    fault: accepts('introspection', { active: false }),
  },
]

export const introspection: Group = { title: 'RFC 7662', checks, least: 6 }

function introspect(at: Scene, token: string): Promise<Answer> {
  const { id, secret } = at.introspector
  return post(at, 'introspection', { token }, basic(id, secret))
}
