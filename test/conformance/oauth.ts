import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import { ask, assertRefused, basic, bearer, endpointOf, metadataOf, post, postAs } from './ask.js'
import {
  assertError,
  authorize,
  codeIn,
  exchangeOf,
  requestOf,
  tokensFor,
  userInfo,
  arrivalOf,
} from './authorize.js'
import type { Check, Group } from './check.js'
import { accepts, answersCode } from './fault.js'
import { serverOf } from './judge.js'
import { textOf } from './json.js'

/** OAuth 2.0 itself. */
const framework: readonly Check[] = [
  {
    id: 'rfc6749-3.1-repeated-parameter',
    source: 'RFC 6749 3.1',
    level: 'must',
    needs: 'client',
    async run(at) {
      const asked = await requestOf(at)
      const seen = await at.browser().visit(`${asked.url}&scope=openid`)
      assertError(arrivalOf(at, asked, seen), 'invalid_request')
    },
    fault: answersCode,
  },
  {
    id: 'rfc6749-3.1-empty-parameter',
    source: 'RFC 6749 3.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at, { prompt: '', max_age: '' })
      assert.notEqual(accessToken, '')
    },
    fault: { at: 'authorization', redirect: { code: null, error: 'invalid_request' } },
  },
  {
    id: 'rfc6749-3.1.1-unsupported-response-type',
    source: 'RFC 6749 3.1.1',
    level: 'must',
    needs: 'client',
    async run(at) {
      assertError(
        await authorize(at, { response_type: 'planted' }),
        'unsupported_response_type',
        'invalid_request',
      )
    },
    fault: answersCode,
  },
  {
    id: 'rfc6749-3.2-post-only',
    source: 'RFC 6749 3.2',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const url = `${await endpointOf(at, 'token')}?grant_type=authorization_code&code=1`
      const { status } = await ask(at, url)
      assert.ok([400, 404, 405].includes(status), `status ${status}`)
    },
    fault: { at: 'token', status: 200 },
  },
  {
    id: 'rfc6749-4.1.2-state',
    source: 'RFC 6749 4.1.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      // Every kind of VSCHAR that a query encodes (appendix A.5).
      const state = `a b+c&d=e#f%20"'<>\\~${'x'.repeat(100)}`
      codeIn(await authorize(at, { state }, { browser: at.signedIn() }))
    },
    fault: { at: 'authorization', redirect: { state: 'a b c' } },
  },
  {
    id: 'rfc6749-4.1.2-code-is-bound-to-its-client',
    source: 'RFC 6749 4.1.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const arrival = await authorize(at, {}, { browser: at.signedIn() })
      const answer = await postAs(at, at.second, 'token', exchangeOf(at, arrival, codeIn(arrival)))
      assertRefused(answer, 400, 'invalid_grant')
    },
    fault: accepts('token'),
  },
  {
    id: 'rfc6749-4.1.3-redirect-uri',
    source: 'RFC 6749 4.1.3',
    level: 'must',
    needs: 'user',
    async run(at) {
      const arrival = await authorize(at, {}, { browser: at.signedIn() })
      const grant = {
        ...exchangeOf(at, arrival, codeIn(arrival)),
        redirect_uri: 'https://store.example/other',
      }
      assertRefused(await postAs(at, at.client, 'token', grant), 400, 'invalid_grant')
    },
    fault: accepts('token'),
  },
  {
    id: 'rfc6749-4.1.3-client-id',
    source: 'RFC 6749 4.1.3',
    level: 'should',
    allowed:
      'A code of an application of the account itself is exchanged without client_id, as the interface specification promises; PKCE binds it to the program that asked.',
    needs: 'user',
    async run(at) {
      const arrival = await authorize(at, {}, { browser: at.signedIn(), client: at.publicClient })
      const answer = await post(at, 'token', exchangeOf(at, arrival, codeIn(arrival)))
      assert.notEqual(answer.status, 200, 'tokens for a code without client_id')
    },
    fault: { at: 'token', status: 400 },
  },
  {
    id: 'rfc6749-5.1-no-store',
    source: 'RFC 6749 5.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { headers } = (await tokensFor(at)).answer
      assert.match(headers.get('cache-control') ?? '', /no-store/)
    },
    fault: { at: 'token', headers: { 'cache-control': 'private' } },
  },
  {
    id: 'rfc6749-5.1-token-type',
    source: 'RFC 6749 5.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { headers, json } = (await tokensFor(at)).answer
      assert.match(headers.get('content-type') ?? '', /^application\/json/)
      assert.match(textOf(json, 'token_type'), /^bearer$/i)
      assert.notEqual(textOf(json, 'access_token'), '')
    },
    fault: { at: 'token', json: { token_type: undefined } },
  },
  {
    id: 'rfc6749-5.2-unsupported-grant-type',
    source: 'RFC 6749 5.2',
    level: 'must',
    needs: 'client',
    async run(at) {
      const answer = await postAs(at, at.client, 'token', { grant_type: 'urn:planted:grant' })
      assertRefused(answer, 400, 'unsupported_grant_type')
    },
    fault: { at: 'token', json: { error: 'server_error' } },
  },
  {
    id: 'rfc6749-5.2-error-answer',
    source: 'RFC 6749 5.2',
    level: 'must',
    needs: 'client',
    async run(at) {
      const answer = await postAs(at, at.client, 'token', { grant_type: 'authorization_code', code: 'x"\\é' })
      assertRefused(answer, 400, 'invalid_grant', 'invalid_request')
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
      assert.match(textOf(answer.json, 'error_description'), /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/)
    },
    fault: { at: 'token', json: { error_description: 'a "quoted" text' } },
  },
  {
    id: 'rfc6749-5.2-invalid-client',
    source: 'RFC 6749 5.2',
    level: 'must',
    needs: 'client',
    async run(at) {
      const grant = { grant_type: 'authorization_code', code: 'unknown', redirect_uri: at.redirectUri }
      const answer = await post(at, 'token', grant, basic(at.client.clientId, 'wrong'))
      assertRefused(answer, 401, 'invalid_client')
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic\b/i)
    },
    fault: { at: 'token', headers: { 'www-authenticate': null } },
  },
  {
    id: 'rfc6749-2.3-one-method',
    source: 'RFC 6749 2.3',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { authentication, clientId } = at.client
      assert.ok(authentication.method === 'client_secret_basic', 'no client has a secret')
      const { secret } = authentication
      const arrival = await authorize(at, {}, { browser: at.signedIn() })
      const grant = {
        ...exchangeOf(at, arrival, codeIn(arrival)),
        client_id: clientId,
        client_secret: secret,
      }
      assertRefused(await post(at, 'token', grant, basic(clientId, secret)), 400, 'invalid_request')
    },
    fault: accepts('token'),
  },
  {
    id: 'rfc6749-6-scope-does-not-grow',
    source: 'RFC 6749 6',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { refreshToken } = await tokensFor(at, { scope: 'openid offline_access' })
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken, scope: 'openid email' }
      const answer = await postAs(at, at.client, 'token', grant)
      assertRefused(answer, 400, 'invalid_scope')
    },
    fault: { at: 'token', when: 400, status: 200 },
  },
]

/** Bearer tokens, at the one resource that a provider has. */
const bearerTokens: readonly Check[] = [
  {
    id: 'rfc6750-3-challenge',
    source: 'RFC 6750 3',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { status, headers } = await ask(at, await endpointOf(at, 'userinfo'))
      assert.equal(status, 401)
      const challenge = headers.get('www-authenticate') ?? ''
      assert.match(challenge, /^Bearer\b/)
    },
    fault: { at: 'userinfo', headers: { 'www-authenticate': null } },
  },
  {
    id: 'rfc6750-3.1-no-error-without-token',
    source: 'RFC 6750 3.1',
    level: 'should',
    needs: 'issuer',
    async run(at) {
      const { headers } = await ask(at, await endpointOf(at, 'userinfo'))
      assert.doesNotMatch(headers.get('www-authenticate') ?? '', /error/)
    },
    fault: { at: 'userinfo', headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
  },
  {
    id: 'rfc6750-2.1-scheme-in-any-case',
    source: 'RFC 9110 11.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const headers = { authorization: `bearer ${accessToken}` }
      assert.equal((await userInfo(at, accessToken, { headers })).status, 200)
    },
    fault: { at: 'userinfo', status: 401 },
  },
  {
    id: 'rfc6750-2-one-method',
    source: 'RFC 6750 2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const answer = await post(at, 'userinfo', { access_token: accessToken }, bearer(accessToken))
      assert.equal(answer.status, 400, answer.text)
    },
    fault: accepts('userinfo'),
  },
  {
    id: 'rfc6750-5.2-modified-token',
    source: 'RFC 6750 5.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const [header = '', payload = '', signature = ''] = (await tokensFor(at)).accessToken.split('.')
      const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
      assert.equal((await userInfo(at, `${header}.${payload}.${other}`)).status, 401)
    },
    fault: accepts('userinfo'),
  },
]

/** The issuer in answers. */
const issuerIdentification: readonly Check[] = [
  {
    id: 'rfc9207-2-iss-beside-code',
    source: 'RFC 9207 2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const arrival = await authorize(at, {}, { browser: at.signedIn() })
      codeIn(arrival)
      // The judge, which knows from the metadata that the parameter must be there.
      const answer = oauth.validateAuthResponse(
        await serverOf(at),
        { client_id: at.client.clientId },
        arrival.answer ?? new URLSearchParams(),
        arrival.asked.state,
      )
      assert.equal(answer.get('iss'), at.issuer)
    },
    fault: { at: 'authorization', redirect: { iss: 'https://planted.example' } },
  },
  {
    id: 'rfc9207-2-iss-beside-error',
    source: 'RFC 9207 2',
    level: 'must',
    needs: 'client',
    async run(at) {
      const arrival = await authorize(at, { prompt: 'none' })
      assert.equal(arrival.answer?.get('iss'), at.issuer)
    },
    fault: { at: 'authorization', redirect: { iss: null } },
  },
  {
    id: 'rfc9207-3-metadata',
    source: 'RFC 9207 3',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { authorization_response_iss_parameter_supported } = await metadataOf(at)
      assert.equal(authorization_response_iss_parameter_supported, true)
    },
    fault: { at: 'metadata', json: { authorization_response_iss_parameter_supported: undefined } },
  },
]

export const oauthFramework: Group = {
  title: 'RFC 6749, RFC 6750 and RFC 9207',
  checks: [...framework, ...bearerTokens, ...issuerIdentification],
  least: 12,
}
