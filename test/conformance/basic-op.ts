import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import * as openid from 'openid-client'
import { assertRefused, basic, metadataOf, post, postAs, type Members } from './ask.js'
import {
  authorize,
  codeIn,
  exchange,
  exchangeOf,
  freshTokens,
  idTokenOf,
  tokensFor,
  userInfo,
  verified,
} from './authorize.js'
import type { Check } from './check.js'
import type { Fault } from './fault.js'
import { judgeOf } from './judge.js'
import { isJson, listOf, textOf, type Json } from './json.js'
import type { Scene } from './provider.js'

const core = (section: string) => `OpenID Connect Core ${section}`

/** The modules of the Basic OP plan about tokens and UserInfo. */
export const basicOpTokens: readonly Check[] = [
  {
    id: 'oidcc-server',
    source: core('3.1'),
    level: 'must',
    needs: 'user',
    async run(at) {
      // The judge checks state, nonce, issuer, audience, times, at_hash and signature, and compares sub with UserInfo's.
      const { config, tokens } = await throughJudge(at)
      const claims = tokens.claims()
      assert.equal(claims?.sub, at.user.sub)
      const person = await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
      assert.equal(person.sub, at.user.sub)
    },
    fault: { at: 'token', token: { name: 'id_token', claims: { aud: 'planted' } } },
  },
  {
    id: 'oidcc-server/ValidateIdToken',
    source: core('3.1.3.7'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const claims = await idTokenOf(at, await tokensFor(at))
      assert.equal(claims.sub, at.user.sub)
      assert.ok(typeof claims.iat === 'number' && typeof claims.exp === 'number' && claims.exp > claims.iat)
    },
    fault: { at: 'token', token: { name: 'id_token', claims: { iss: 'https://planted.example' } } },
  },
  {
    id: 'oidcc-server/ValidateIdTokenNonce',
    source: core('2'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const tokens = await tokensFor(at)
      assert.equal((await idTokenOf(at, tokens))['nonce'], tokens.asked.nonce)
    },
    fault: { at: 'token', token: { name: 'id_token', claims: { nonce: 'planted' } } },
  },
  {
    id: 'oidcc-server/ValidateAtHash',
    source: core('3.1.3.6'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const tokens = await tokensFor(at)
      const { at_hash } = await idTokenOf(at, tokens)
      if (at_hash !== undefined) assert.equal(at_hash, halfHashOf(tokens.accessToken))
    },
    fault: { at: 'token', token: { name: 'id_token', claims: { at_hash: 'planted' } } },
  },
  {
    id: 'oidcc-server/EnsureMinimumAuthorizationCodeLength',
    source: 'RFC 6749 10.10',
    level: 'must',
    needs: 'user',
    async run(at) {
      const codes = await Promise.all(
        [1, 2].map(async () => codeIn(await authorize(at, {}, { browser: at.signedIn() }))),
      )
      assert.notEqual(codes[0], codes[1])
      // 128 bits in the densest alphabet of a query.
      for (const code of codes) assert.ok(code.length >= 22, `a code of ${code.length} characters`)
    },
    fault: { at: 'authorization', redirect: { code: '123456' } },
  },
  {
    id: 'oidcc-server/ExtractExpiresInFromTokenEndpointResponse',
    source: 'RFC 6749 5.1',
    level: 'should',
    needs: 'user',
    async run(at) {
      const { answer } = await tokensFor(at)
      const { expires_in } = answer.json
      assert.ok(typeof expires_in === 'number' && expires_in > 0, `expires_in is ${String(expires_in)}`)
    },
    fault: { at: 'token', json: { expires_in: '3600' } },
  },
  {
    id: 'oidcc-server/EnsureIdTokenDoesNotContainName',
    source: core('5.5'),
    level: 'should',
    needs: 'user',
    async run(at) {
      assert.equal((await idTokenOf(at, await tokensFor(at)))['name'], undefined)
    },
    fault: { at: 'token', token: { name: 'id_token', claims: { name: 'Ada' } } },
  },
  {
    id: 'oidcc-idtoken-signature',
    source: core('3.1.3.7'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const { idToken } = await tokensFor(at)
      const { alg, kid } = decodeProtectedHeader(idToken)
      assert.equal(alg, 'RS256')
      assert.ok(kid, 'the ID token names no key')
      await verified(at, idToken, at.client.clientId)
    },
    fault: { at: 'token', token: { name: 'id_token', isForged: true } },
  },
  {
    id: 'oidcc-idtoken-unsigned',
    source: core('2'),
    level: 'must',
    needs: 'user',
    async run(at) {
      // Optional for a provider, which must then say so; this one never leaves a token unsigned.
      const offered = listOf(await metadataOf(at), 'id_token_signing_alg_values_supported')
      assert.ok(!offered.includes('none'), 'none is offered')
      const { alg } = decodeProtectedHeader((await tokensFor(at)).idToken)
      assert.notEqual(alg, 'none')
    },
    fault: { at: 'metadata', json: { id_token_signing_alg_values_supported: ['RS256', 'none'] } },
  },
  {
    id: 'oidcc-userinfo-get',
    source: core('5.3.1'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const tokens = await tokensFor(at)
      const { status, headers, json } = await userInfo(at, tokens.accessToken)
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(json['sub'], (await idTokenOf(at, tokens)).sub)
    },
    fault: { at: 'userinfo', json: { sub: 'planted' } },
  },
  {
    id: 'oidcc-userinfo-post-header',
    source: core('5.3.1'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const { status, json } = await userInfo(at, accessToken, { method: 'POST' })
      assert.deepEqual([status, json['sub']], [200, at.user.sub])
    },
    fault: { at: 'userinfo', status: 405 },
  },
  {
    id: 'oidcc-userinfo-post-body',
    source: core('5.3.1'),
    level: 'should',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const { status, json, text } = await post(at, 'userinfo', { access_token: accessToken })
      assert.equal(status, 200, text)
      assert.equal(json['sub'], at.user.sub)
    },
    fault: { at: 'userinfo', status: 400 },
  },
  {
    id: 'core-5.3.3-userinfo-error',
    source: core('5.3.3'),
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { status, headers } = await userInfo(at, 'not-a-token')
      assert.equal(status, 401)
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer\b.*error="invalid_token"/)
    },
    fault: { at: 'userinfo', headers: { 'www-authenticate': 'Bearer' } },
  },
  scope('oidcc-scope-profile', 'profile', (claims) => {
    for (const name of profileClaims) assert.equal(typeof claims[name], 'string', `${name} is missing`)
    assert.equal(typeof claims['updated_at'], 'number')
  }),
  scope('oidcc-scope-email', 'email', (claims, at) => {
    assert.deepEqual([claims['email'], typeof claims['email_verified']], [at.user.email, 'boolean'])
  }),
  scope('oidcc-scope-address', 'address', ({ address }) => {
    assert.ok(
      isJson(address) && typeof address['country'] === 'string',
      `address is ${JSON.stringify(address)}`,
    )
  }),
  scope('oidcc-scope-phone', 'phone', (claims) => {
    assert.deepEqual(
      [typeof claims['phone_number'], typeof claims['phone_number_verified']],
      ['string', 'boolean'],
    )
  }),
  scope('oidcc-scope-all', 'profile email address phone', (claims) => {
    for (const name of ['name', 'email', 'address', 'phone_number'])
      assert.ok(name in claims, `${name} is missing`)
  }),
  {
    id: 'core-5.4-scopes-limit-claims',
    source: core('5.4'),
    level: 'should',
    needs: 'user',
    async run(at) {
      const { json } = await userInfo(at, (await tokensFor(at)).accessToken)
      assert.deepEqual(Object.keys(json), ['sub'])
    },
    fault: { at: 'userinfo', json: { email: 'ada@planted.example' } },
  },
  {
    id: 'oidcc-claims-essential',
    source: core('5.5.1'),
    level: 'should',
    needs: 'user',
    async run(at) {
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
      const tokens = await tokensFor(at, { claims })
      const { json } = await userInfo(at, tokens.accessToken)
      assert.equal(json['name'], 'Ada Lovelace')
      assert.equal((await idTokenOf(at, tokens))['name'], undefined)
    },
    fault: { at: 'userinfo', json: { name: undefined } },
  },
  {
    id: 'oidcc-refresh-token',
    source: core('12'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const tokens = await tokensFor(at, { scope: 'openid offline_access' })
      assert.match(tokens.refreshToken, /^[\x20-\x7e]+$/)
      const grant = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken }
      assertRefused(await postAs(at, at.second, 'token', grant), 400, 'invalid_grant')
      const refreshed = await postAs(at, at.client, 'token', grant)
      assert.equal(refreshed.status, 200, refreshed.text)
      assert.equal((await userInfo(at, textOf(refreshed.json, 'access_token'))).status, 200)
    },
    fault: { at: 'token', when: 400, status: 200 },
  },
  {
    id: 'oidcc-refresh-token/CompareIdTokenClaims',
    source: core('12.2'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const tokens = await tokensFor(at, { scope: 'openid offline_access' })
      const first = await idTokenOf(at, tokens)
      const grant = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken }
      const { json } = await postAs(at, at.client, 'token', grant)
      const second = await verified(at, textOf(json, 'id_token'), at.client.clientId)
      for (const name of ['iss', 'sub', 'aud', 'auth_time', 'azp'])
        assert.deepEqual(second[name], first[name], name)
      assert.ok(second['nonce'] === undefined || second['nonce'] === first['nonce'])
    },
    fault: { at: 'token', nth: 2, token: { name: 'id_token', claims: { auth_time: 1 } } },
  },
  {
    id: 'core-11-offline-access',
    source: core('11'),
    level: 'should',
    allowed:
      'An application of the account itself gets a refresh token without a consent page: the account has agreed for its users (Core 11, “other conditions”).',
    needs: 'user',
    async run(at) {
      const { refreshToken } = await tokensFor(at, { scope: 'openid offline_access' })
      assert.equal(refreshToken, '', 'a refresh token, although nobody was asked')
    },
    fault: { at: 'token', json: { refresh_token: undefined } },
  },
  {
    id: 'oidcc-codereuse',
    source: 'RFC 6749 4.1.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const arrival = await authorize(at, {}, { browser: at.signedIn() })
      const { code } = await exchange(at, arrival)
      assertRefused(await postAs(at, at.client, 'token', exchangeOf(at, arrival, code)), 400, 'invalid_grant')
    },
    fault: { at: 'token', nth: 2, status: 200 },
  },
  {
    id: 'oidcc-codereuse-30seconds',
    source: 'RFC 6749 4.1.2',
    level: 'should',
    isAlone: true,
    needs: 'user',
    async run(at) {
      const { browser } = await freshTokens(at)
      const arrival = await authorize(at, {}, { browser })
      const { code, accessToken } = await exchange(at, arrival)
      await at.advance(30)
      assertRefused(await postAs(at, at.client, 'token', exchangeOf(at, arrival, code)), 400, 'invalid_grant')
      const { status } = await userInfo(at, accessToken)
      assert.equal(status, 401, 'the access token of the reused code still works')
    },
    fault: { at: 'userinfo', status: 200 },
  },
  {
    id: 'oidcc-server-client-secret-post',
    source: core('9'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const { authentication } = at.second
      assert.ok(authentication.method === 'client_secret_post', 'no client has a secret')
      const arrival = await authorize(at, {}, { browser: at.signedIn(), client: at.second })
      await idTokenOf(at, await exchange(at, arrival))
    },
    fault: { at: 'token', status: 401 },
  },
  {
    id: 'core-9-client-secret-basic',
    source: core('9'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const { authentication, clientId } = at.client
      assert.ok(authentication.method === 'client_secret_basic', 'no client has a secret')
      const arrival = await authorize(at, {}, { browser: at.signedIn() })
      const grant: Members = exchangeOf(at, arrival, codeIn(arrival))
      assertRefused(await post(at, 'token', grant, basic(clientId, 'wrong')), 401, 'invalid_client')
      // The refusal has not consumed the code.
      assert.equal((await postAs(at, at.client, 'token', grant)).status, 200)
    },
    fault: { at: 'token', when: 401, status: 200 },
  },
]

/** A sign-in as openid-client makes it. */
async function throughJudge(at: Scene) {
  const config = await judgeOf(at, at.client)
  const arrival = await authorize(at, {}, { browser: at.signedIn() })
  const { asked, seen } = arrival
  const tokens = await openid.authorizationCodeGrant(config, new URL(seen.location ?? ''), {
    ...(asked.parameters.has('code_challenge') && { pkceCodeVerifier: asked.verifier }),
    expectedNonce: asked.nonce,
    expectedState: asked.state,
    idTokenExpected: true,
  })
  return { config, tokens }
}

/** The left half of a digest, for tokens signed with SHA-256. */
function halfHashOf(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')
}

const profileClaims = [
  ...['name', 'family_name', 'given_name', 'nickname', 'preferred_username', 'profile', 'picture', 'website'],
  ...['gender', 'birthdate', 'zoneinfo', 'locale'],
]

/** A module about the claims that a scope gives at the UserInfo endpoint. */
function scope(id: string, scopes: string, assertClaims: (claims: Json, at: Scene) => void): Check {
  const fault: Fault = {
    at: 'userinfo',
    json: { name: undefined, email: undefined, address: 'Lyon', phone_number: undefined },
  }
  return {
    id,
    source: core('5.4'),
    level: 'should',
    needs: 'user',
    run: async (at: Scene) => {
      const { accessToken } = await tokensFor(at, { scope: `openid ${scopes}` })
      const { status, json } = await userInfo(at, accessToken)
      assert.equal(status, 200)
      assertClaims(json, at)
    },
    fault,
  }
}
