import { expect, test } from 'vitest'
import { newKey, publicPartOf, sign as signWith } from './tokens.given.js'
import { createVerifier, type OrganizationVerifierOptions } from './verify-access-token.js'

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
async function given(options: Partial<OrganizationVerifierOptions> = {}) {
  const key = await newKey('k1')
  const keys = [await publicPartOf(key)]
  const state = { seconds: startSeconds, isDown: false }
  const verifier = createVerifier({
    baseUrl: 'https://auth.example/',
    domain: 'awesome-company',
    audience,
    environment: 'sandbox',
    now: () => state.seconds * 1000,
    fetch: () =>
      state.isDown ? Promise.reject(new TypeError('fetch failed')) : Promise.resolve(Response.json({ keys })),
    ...options,
  })
  const sign = (changed: object = {}, header: object = {}) =>
    signWith(key, { ...claims, ...changed }, { typ: 'logout+jwt', ...header })
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
