import { expect, test } from 'vitest'
import { base64urlOf } from './base64url.js'
import { createVerifier, type VerifierOptions } from './verify-access-token.js'

const audience = '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4'
const issuer = 'https://auth.example/t/awesome-company'
const startSeconds = 1_773_480_413
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

const claims = {
  iss: issuer,
  aud: audience,
  iat: startSeconds,
  exp: startSeconds + 120,
  jti: 'j1',
  sub: 'u1',
  sid: 's1',
  events: { [logoutEvent]: {} },
  dbs: 'sandbox',
}

/** A verifier whose clock and key set the test controls, and signed logout tokens. */
async function given(options: Partial<VerifierOptions> = {}) {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])
  if (!('privateKey' in pair)) throw new Error('expected a pair of keys')
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  const state = { seconds: startSeconds, isDown: false }
  const verifier = createVerifier({
    baseUrl: 'https://auth.example/',
    domain: 'awesome-company',
    audience,
    environment: 'sandbox',
    now: () => state.seconds * 1000,
    fetch: () =>
      state.isDown
        ? Promise.reject(new TypeError('fetch failed'))
        : Promise.resolve(Response.json({ keys: [{ kid: 'k1', alg: 'ES256', use: 'sig', kty, crv, x, y }] })),
    ...options,
  })
  async function sign(changed: object = {}, header: object = {}): Promise<string> {
    const signed = [
      { alg: 'ES256', kid: 'k1', typ: 'logout+jwt', ...header },
      { ...claims, ...changed },
    ]
      .map((part) => base64urlOf(new TextEncoder().encode(JSON.stringify(part))))
      .join('.')
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
    const data = new TextEncoder().encode(signed)
    const signature = await crypto.subtle.sign(algorithm, pair.privateKey, data)
    return `${signed}.${base64urlOf(new Uint8Array(signature))}`
  }
  return { verifier, state, sign }
}

test('a logout token tells the user and the session that has ended, and nothing else', async () => {
  const { verifier, sign } = await given()

  expect(await verifier.verifyLogoutToken(await sign())).toEqual({ sub: 'u1', sid: 's1' })
})

test.each([
  ['that is an ID token', {}, { typ: 'JWT' }, 'type_rejected'],
  ['that is an access token', {}, { typ: 'at+jwt' }, 'type_rejected'],
  ['without a type', {}, { typ: undefined }, 'type_rejected'],
  ['signed by nobody', {}, { alg: 'none' }, 'algorithm_rejected'],
  ['of an unknown key', {}, { kid: 'k2' }, 'key_unknown'],
  ['of another organization', { iss: 'https://auth.example/t/other' }, {}, 'issuer_mismatch'],
  ['of another application', { aud: 'other' }, {}, 'audience_mismatch'],
  ['of the other environment', { dbs: 'production' }, {}, 'environment_mismatch'],
  ['with the use of another token', { jtt: 'id_token' }, {}, 'use_mismatch'],
  ['without an expiry', { exp: undefined }, {}, 'claims_malformed'],
  ['without a time of issue', { iat: undefined }, {}, 'claims_malformed'],
  ['that has expired', { exp: startSeconds - 31 }, {}, 'token_expired'],
  ['of the future', { iat: startSeconds + 31 }, {}, 'token_not_yet_valid'],
  ['without events', { events: undefined }, {}, 'event_missing'],
  ['with events that are a list', { events: [logoutEvent] }, {}, 'event_missing'],
  ['of another event', { events: { 'https://schemas.openid.net/secevent/risc': {} } }, {}, 'event_missing'],
  ['whose event is no object', { events: { [logoutEvent]: true } }, {}, 'event_missing'],
  ['with a nonce', { nonce: 'n1' }, {}, 'nonce_present'],
  ['with an empty nonce', { nonce: null }, {}, 'nonce_present'],
  ['without a user', { sub: undefined }, {}, 'claims_malformed'],
  ['without a session', { sid: undefined }, {}, 'claims_malformed'],
  ['with an empty session', { sid: '' }, {}, 'claims_malformed'],
  ['without an id', { jti: undefined }, {}, 'claims_malformed'],
  ['with an empty id', { jti: '' }, {}, 'claims_malformed'],
])('a logout token %s is refused', async (_, changed, header, code) => {
  const { verifier, sign } = await given()

  const attempt = verifier.verifyLogoutToken(await sign(changed, header))

  await expect(attempt).rejects.toMatchObject({ name: 'TokenError', code })
})

test('a logout token is accepted once, also by two at the same time, and another attempt with another id', async () => {
  const { verifier, sign } = await given()
  const token = await sign()

  const outcomes = await Promise.allSettled([
    verifier.verifyLogoutToken(token),
    verifier.verifyLogoutToken(token),
  ])

  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(verifier.verifyLogoutToken(token)).rejects.toMatchObject({ code: 'token_replayed' })
  expect(await verifier.verifyLogoutToken(await sign({ jti: 'j2' }))).toMatchObject({ sid: 's1' })
})

test('a token that is refused is not remembered', async () => {
  const { verifier, state, sign } = await given()
  state.isDown = true
  const token = await sign()
  await expect(verifier.verifyLogoutToken(token)).rejects.toMatchObject({ code: 'keys_unavailable' })
  await expect(verifier.verifyLogoutToken(await sign({ nonce: 'n1' }))).rejects.toBeDefined()

  state.isDown = false
  state.seconds += 1
  expect(await verifier.verifyLogoutToken(token)).toMatchObject({ sid: 's1' })
})

test('the memory of a process forgets a token once it would be refused as expired, and not before', async () => {
  const { verifier, state, sign } = await given()
  const token = await sign()
  await verifier.verifyLogoutToken(token)

  state.seconds += 149
  await expect(verifier.verifyLogoutToken(token)).rejects.toMatchObject({ code: 'token_replayed' })
  state.seconds += 1
  await expect(verifier.verifyLogoutToken(token)).rejects.toMatchObject({ code: 'token_expired' })
  await verifier.verifyLogoutToken(await sign({ iat: state.seconds, exp: state.seconds + 120 }))
})

test('another memory can take the place of that of the process', async () => {
  const asked: [jti: string, expiresAt: number][] = []
  const logoutTokens = {
    remember: (jti: string, expiresAt: number) => {
      asked.push([jti, expiresAt])
      return Promise.resolve(asked.length === 1)
    },
  }
  const [one, other] = [await given({ logoutTokens }), await given({ logoutTokens })]

  await one.verifier.verifyLogoutToken(await one.sign())
  const again = other.verifier.verifyLogoutToken(await other.sign())

  await expect(again).rejects.toMatchObject({ code: 'token_replayed' })
  expect(asked).toEqual(Array(2).fill(['j1', (startSeconds + 150) * 1000]))
})
