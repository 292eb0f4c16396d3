import assert from 'node:assert/strict'
import { decodeJwt, decodeProtectedHeader, exportSPKI, importJWK, SignJWT } from 'jose'
import { ask, assertRefused, endpointOf, formOf, metadataOf, postAs } from './ask.js'
import {
  assertErrorPage,
  assertError,
  assertPage,
  authorize,
  codeIn,
  exchangeOf,
  freshTokens,
  keysOf,
  requestOf,
  tokensFor,
  userInfo,
} from './authorize.js'
import type { Check, Group } from './check.js'
import { accepts, answersCode } from './fault.js'
import { listOf, textOf } from './json.js'
import type { Scene } from './provider.js'

/** Addresses that resemble a registered one, and belong to somebody else or lead elsewhere. */
const hostileRedirects: Readonly<Record<string, (registered: string) => string>> = {
  'other-host': () => 'https://attacker.example/callback',
  subdomain: (url) => url.replace('https://', 'https://attacker.'),
  'host-as-prefix': (url) => url.replace('store.example', 'store.example.attacker.example'),
  'user-information': (url) => url.replace('https://store.example', 'https://store.example@attacker.example'),
  'other-port': (url) => url.replace('store.example', 'store.example:8443'),
  'without-tls': (url) => url.replace('https:', 'http:'),
  'longer-path': (url) => `${url}/more`,
  'parent-folder': (url) => `${url}/../admin`,
  query: (url) => `${url}?next=https://attacker.example`,
  fragment: (url) => `${url}#fragment`,
  'other-case': (url) => url.replace('callback', 'Callback'),
  'trailing-slash': (url) => `${url}/`,
  script: () => 'javascript:alert(1)//https://store.example/callback',
}

const redirects: readonly Check[] = Object.entries(hostileRedirects).map(([name, change]) => ({
  id: `rfc9700-4.1.3-redirect-${name}`,
  source: 'RFC 9700 4.1.3',
  level: 'must',
  needs: 'client',
  run: async (at) => assertErrorPage(await authorize(at, { redirect_uri: change(at.redirectUri) })),
  fault: answersCode,
}))

const authorizationEndpoint: readonly Check[] = [
  {
    id: 'rfc9700-4.11.2-unknown-client',
    source: 'RFC 9700 4.11.2',
    level: 'must',
    needs: 'client',
    async run(at) {
      assertErrorPage(await authorize(at, { client_id: '00000000-0000-7000-8000-000000000000' }))
    },
    fault: answersCode,
  },
  {
    id: 'rfc9700-4.11.2-repeated-redirect-uri',
    source: 'RFC 9700 4.11.2',
    level: 'must',
    needs: 'client',
    async run(at) {
      const asked = await requestOf(at)
      const url = `${asked.url}&redirect_uri=${encodeURIComponent('https://attacker.example/')}`
      const seen = await at.browser().visit(url)
      assertErrorPage({ seen, asked, answer: undefined })
    },
    fault: answersCode,
  },
  ...['token', 'id_token', 'id_token token', 'code token'].map((response_type): Check => ({
    id: `rfc9700-2.1.2-response-type-${response_type.replace(' ', '-')}`,
    source: 'RFC 9700 2.1.2',
    level: 'should',
    needs: 'client',
    run: async (at) => {
      assertError(await authorize(at, { response_type }), 'unsupported_response_type', 'invalid_request')
    },
    fault: answersCode,
  })),
  {
    id: 'rfc9700-2.1.2-response-mode-fragment',
    source: 'RFC 9700 2.1.2',
    level: 'should',
    needs: 'client',
    async run(at) {
      assertError(await authorize(at, { response_mode: 'fragment' }), 'invalid_request')
    },
    fault: answersCode,
  },
  {
    id: 'rfc9700-2.6-no-cors-at-the-authorization-endpoint',
    source: 'RFC 9700 2.6',
    level: 'must',
    needs: 'client',
    async run(at) {
      const { url } = await requestOf(at, { prompt: 'none' })
      const { headers } = await ask(at, url, { headers: { origin: new URL(at.redirectUri).origin } })
      assert.equal(headers.get('access-control-allow-origin'), null)
    },
    fault: { at: 'authorization', headers: { 'access-control-allow-origin': '*' } },
  },
  {
    id: 'rfc9700-4.2.4-referrer',
    source: 'RFC 9700 4.2.4',
    level: 'should',
    needs: 'client',
    async run(at) {
      const arrival = await authorize(at)
      assertPage(arrival)
      const policy = arrival.seen.headers.get('referrer-policy') ?? ''
      assert.match(policy, /^(no-referrer|origin|same-origin|strict-origin)$/, policy)
    },
    fault: { at: 'page', headers: { 'referrer-policy': 'unsafe-url' } },
  },
  {
    id: 'rfc9700-4.16-clickjacking',
    source: 'RFC 9700 4.16',
    level: 'must',
    needs: 'client',
    async run(at) {
      const arrival = await authorize(at)
      assertPage(arrival)
      const policy = arrival.seen.headers.get('content-security-policy') ?? ''
      assert.match(policy, /frame-ancestors '(none|self)'/)
    },
    fault: { at: 'page', headers: { 'content-security-policy': "default-src 'self'" } },
  },
  {
    id: 'rfc9700-4.12-no-307',
    source: 'RFC 9700 4.12',
    level: 'must',
    needs: 'user',
    async run(at) {
      const browser = at.browser()
      const { seen } = await authorize(at, {}, { browser })
      const asked = await browser.press(seen, 'identify', { email: at.user.email })
      // 307 and 308 would repeat the password to the address they name.
      const { status } = await browser.send(asked, 'password', { password: at.user.password })
      assert.ok([302, 303].includes(status), `status ${status} after a password`)
    },
    fault: { at: 'page', when: 303, status: 307 },
  },
]

const codesAndTokens: readonly Check[] = [
  {
    id: 'rfc6749-10.5-replayed-at-once',
    source: 'RFC 6749 10.5',
    level: 'must',
    needs: 'user',
    async run(at) {
      const arrival = await authorize(at, {}, { browser: at.signedIn() })
      const grant = exchangeOf(at, arrival, codeIn(arrival))
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async () => (await postAs(at, at.client, 'token', grant)).status),
      )
      assert.ok(statuses.filter((status) => status === 200).length <= 1, statuses.join(' '))
    },
    fault: { at: 'token', status: 200 },
  },
  {
    id: 'rfc6749-4.1.2-expired-code',
    source: 'RFC 6749 4.1.2',
    level: 'should',
    isAlone: true,
    needs: 'user',
    async run(at) {
      const { browser } = await freshTokens(at)
      const arrival = await authorize(at, {}, { browser })
      await at.advance(10 * 60)
      const answer = await postAs(at, at.client, 'token', exchangeOf(at, arrival, codeIn(arrival)))
      assertRefused(answer, 400, 'invalid_grant')
    },
    fault: accepts('token'),
  },
  {
    id: 'rfc9700-4.14.2-replaced-refresh-token',
    source: 'RFC 9700 4.14.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const first = (await tokensFor(at, { scope: 'openid offline_access' })).refreshToken
      const second = await refreshed(at, first)
      const third = await refreshed(at, second)
      // A lost answer may repeat the one before; whoever sends the one before that has stolen it.
      assertRefused(await refresh(at, first), 400, 'invalid_grant')
      assertRefused(await refresh(at, third), 400, 'invalid_grant')
    },
    fault: { at: 'token', when: 400, nth: 2, status: 200 },
  },
  {
    id: 'rfc9700-2.2.2-refresh-token-of-another-client',
    source: 'RFC 9700 2.2.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { refreshToken } = await tokensFor(at, { scope: 'openid offline_access' })
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken }
      const answer = await postAs(at, at.publicClient, 'token', grant)
      // Of a client with a secret, the missing secret is noticed first.
      assertRefused(answer, answer.status === 401 ? 401 : 400, 'invalid_grant', 'invalid_client')
    },
    fault: { at: 'token', nth: 2, status: 200 },
  },
  {
    id: 'rfc6749-4.1.2-code-reuse-ends-refresh-tokens',
    source: 'RFC 6749 4.1.2',
    level: 'should',
    needs: 'user',
    async run(at) {
      const arrival = await authorize(at, { scope: 'openid offline_access' }, { browser: at.signedIn() })
      const grant = exchangeOf(at, arrival, codeIn(arrival))
      const { json } = await postAs(at, at.client, 'token', grant)
      assertRefused(await postAs(at, at.client, 'token', grant), 400, 'invalid_grant')
      assertRefused(await refresh(at, textOf(json, 'refresh_token')), 400, 'invalid_grant')
    },
    fault: { at: 'token', when: 400, nth: 2, status: 200 },
  },
  {
    id: 'rfc9700-2.4-password-grant',
    source: 'RFC 9700 2.4',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { email, password } = at.user
      const grant = { grant_type: 'password', username: email, password, scope: 'openid' }
      assertRefused(await postAs(at, at.client, 'token', grant), 400, 'unsupported_grant_type')
      assert.ok(!listOf(await metadataOf(at), 'grant_types_supported').includes('password'))
    },
    fault: accepts('token', { access_token: 'planted' }),
  },
  {
    id: 'rfc9700-4.3.2-token-in-the-query',
    source: 'RFC 9700 4.3.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const query = formOf({ access_token: accessToken }).toString()
      const { status } = await ask(at, `${await endpointOf(at, 'userinfo')}?${query}`)
      assert.equal(status, 401)
    },
    fault: accepts('userinfo'),
  },
  {
    id: 'rfc8725-3.1-algorithm',
    source: 'RFC 8725 3.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const [, payload] = accessToken.split('.')
      const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')
      const forged = [`${header}.${payload}.`, await signedWithPublicKey(at, accessToken)]
      for (const token of forged) assert.equal((await userInfo(at, token)).status, 401)
    },
    fault: accepts('userinfo'),
  },
]

export const security: Group = {
  title: 'RFC 9700',
  checks: [...redirects, ...authorizationEndpoint, ...codesAndTokens],
  least: 20,
}

function refresh(at: Scene, refreshToken: string) {
  return postAs(at, at.client, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken })
}

async function refreshed(at: Scene, refreshToken: string): Promise<string> {
  const { status, json, text } = await refresh(at, refreshToken)
  assert.equal(status, 200, text)
  return textOf(json, 'refresh_token')
}

/** The same claims under HS256, whose secret is the public key, as a verifier would use it that believes the header. */
async function signedWithPublicKey(at: Scene, token: string): Promise<string> {
  const { kid, alg, typ } = decodeProtectedHeader(token)
  const { iss: issuer = '' } = decodeJwt(token)
  const jwk = (await keysOf({ ...at, issuer })).find((key) => key['kid'] === kid) ?? {}
  const key = await importJWK({ ...jwk, kty: textOf(jwk, 'kty') }, alg, { extractable: true })
  assert.ok(!(key instanceof Uint8Array), 'a symmetric key is published')
  const secret = new TextEncoder().encode(await exportSPKI(key))
  return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'HS256', kid, typ }).sign(secret)
}
