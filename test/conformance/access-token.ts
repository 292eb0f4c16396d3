import assert from 'node:assert/strict'
import { decodeProtectedHeader, type JWTPayload } from 'jose'
import * as oauth from 'oauth4webapi'
import { bearer } from './ask.js'
import { assertScope, tokensFor, userInfo, verified, type Tokens } from './authorize.js'
import type { Check, Group } from './check.js'
import { accepts, type Fault } from './fault.js'
import { optionsOf, serverOf } from './judge.js'
import type { Json } from './json.js'
import type { Scene } from './provider.js'

const checks: readonly Check[] = [
  about('2.1-typ', '2.1', header({ typ: 'JWT' }), ({ accessToken }) => {
    assert.match(decodeProtectedHeader(accessToken).typ ?? '', /^(application\/)?at\+jwt$/)
  }),
  about(
    '2.1-signed',
    '2.1',
    { at: 'token', token: { name: 'access_token', isForged: true } },
    ({ accessToken }) => {
      const { alg, kid } = decodeProtectedHeader(accessToken)
      assert.ok(alg !== undefined && alg !== 'none' && !alg.startsWith('HS'), `alg ${alg}`)
      assert.ok(kid, 'it names no key')
    },
  ),
  about('2.2-required-claims', '2.2', claimed({ jti: undefined }), (_, claims) => {
    for (const name of ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'])
      assert.ok(claims[name] !== undefined, `${name} is missing`)
  }),
  about('2.2-client-id', '2.2', claimed({ client_id: 'planted' }), (_, claims, at) => {
    assert.equal(claims['client_id'], at.client.clientId)
  }),
  about('2.2-sub', '2.2', claimed({ sub: 'planted' }), (_, claims, at) => {
    assert.equal(claims.sub, at.user.sub)
  }),
  about('2.2.1-authentication', '2.2.1', claimed({ auth_time: '1' }), (_, claims) => {
    assert.equal(typeof claims['auth_time'], 'number')
    assert.equal(typeof claims['acr'], 'string')
    assert.ok(Array.isArray(claims['amr']))
  }),
  about('2.2.3-scope', '2.2.3', claimed({ scope: undefined }), (_, claims) => {
    assertScope(claims['scope'], ['openid', 'email'])
  }),
  {
    id: 'rfc9068-4-validation',
    source: 'RFC 9068 4',
    level: 'must',
    needs: 'user',
    async run(at) {
      // The judge: a resource server that keeps every step of the section.
      const request = new Request(at.issuer, { headers: bearer((await tokensFor(at)).accessToken) })
      const server = await serverOf(at)
      const claims = await oauth.validateJwtAccessToken(server, request, at.client.clientId, optionsOf(at))
      assert.equal(claims.sub, at.user.sub)
    },
    fault: claimed({ client_id: undefined }),
  },
  {
    id: 'rfc9068-4-id-token-is-no-access-token',
    source: 'RFC 9068 4',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { idToken } = await tokensFor(at)
      assert.equal((await userInfo(at, idToken)).status, 401)
    },
    fault: accepts('userinfo'),
  },
]

export const accessToken: Group = { title: 'RFC 9068', checks, least: 4 }

function header(members: Json): Fault {
  return { at: 'token', token: { name: 'access_token', header: members } }
}

function claimed(claims: Json): Fault {
  return { at: 'token', token: { name: 'access_token', claims } }
}

/** A rule about an access token, which jose verifies first. */
function about(
  name: string,
  section: string,
  fault: Fault,
  assertToken: (tokens: Tokens, claims: JWTPayload, at: Scene) => void,
): Check {
  return {
    id: `rfc9068-${name}`,
    source: `RFC 9068 ${section}`,
    level: section === '2.2.1' ? 'may' : section === '2.2.3' ? 'should' : 'must',
    needs: 'user',
    run: async (at: Scene) => {
      const tokens = await tokensFor(at, { scope: 'openid email' })
      assertToken(tokens, await verified(at, tokens.accessToken, undefined), at)
    },
    fault,
  }
}
