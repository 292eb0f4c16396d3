import { expect, test } from 'vitest'
import { base64urlOf } from './base64url.js'
import { encode, newKey, publicPartOf, sign } from './tokens.given.js'
import { createVerifier, type OrganizationVerifierOptions } from './verify-access-token.js'

const audience = '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4'
const issuer = 'https://auth.example/t/awesome-company'
const startSeconds = 1_773_480_413

const accessClaims = {
  iss: issuer,
  sub: 'u1',
  uid: 'u1',
  aud: audience,
  dbs: 'sandbox',
  jtt: 'access_token',
  scp: ['magic_link'],
  iat: startSeconds,
  nbf: startSeconds,
  exp: startSeconds + 3600,
}
const idClaims = { ...accessClaims, jtt: 'id_token', nonce: 'n1', scp: undefined }
const idHeader = { typ: 'JWT' }

/** A verifier whose clock and key set the test controls. */
async function given(options: Partial<OrganizationVerifierOptions> = {}) {
  const key = await newKey('k1')
  const state = { seconds: startSeconds, published: [key], requests: [] as string[], isDown: false }
  const verifier = createVerifier({
    baseUrl: 'https://auth.example/',
    domain: 'awesome-company',
    audience,
    environment: 'sandbox',
    now: () => state.seconds * 1000,
    fetch: async (input) => {
      state.requests.push(new Request(input).url)
      if (state.isDown) throw new TypeError('fetch failed')
      return Response.json({ keys: await Promise.all(state.published.map(publicPartOf)) })
    },
    ...options,
  })
  return { verifier, key, state }
}

test.each(['ES256', 'RS256'] as const)('an access token signed with %s is accepted', async (alg) => {
  const { verifier, state } = await given()
  const key = await newKey('k2', alg)
  state.published.push(key)

  const claims = await verifier.verifyAccessToken(await sign(key, accessClaims))

  expect(claims).toMatchObject({ sub: 'u1', dbs: 'sandbox', scp: ['magic_link'] })
  expect(state.requests).toEqual([`${issuer}/.well-known/jwks.json`])
})

test.each([
  ['an ID token', {}, idHeader, 'type_rejected'],
  ['no type', {}, { typ: undefined }, 'type_rejected'],
  ['alg none', {}, { alg: 'none' }, 'algorithm_rejected'],
  ['alg HS256', {}, { alg: 'HS256' }, 'algorithm_rejected'],
  ['the algorithm of another key type', {}, { alg: 'RS256' }, 'algorithm_rejected'],
  ['no kid', {}, { kid: undefined }, 'key_unknown'],
  ['a critical extension', {}, { crit: ['b64'], b64: false }, 'token_malformed'],
  ['another organization', { iss: 'https://auth.example/t/other' }, {}, 'issuer_mismatch'],
  ['another service', { iss: 'https://evil.example/t/awesome-company' }, {}, 'issuer_mismatch'],
  ['another application', { aud: 'other' }, {}, 'audience_mismatch'],
  ['no audience', { aud: undefined }, {}, 'audience_mismatch'],
  ['an empty audience', { aud: [] }, {}, 'audience_mismatch'],
  ['the other environment', { dbs: 'production' }, {}, 'environment_mismatch'],
  ['no environment', { dbs: undefined }, {}, 'environment_mismatch'],
  ['another use', { jtt: 'id_token' }, {}, 'use_mismatch'],
  ['the use of an API token', { jtt: 'api_key' }, {}, 'use_mismatch'],
  ['no expiry', { exp: undefined }, {}, 'claims_malformed'],
  ['an expiry that is text', { exp: '9999999999' }, {}, 'claims_malformed'],
  ['no scopes', { scp: undefined }, {}, 'claims_malformed'],
  ['an expiry in the past', { exp: startSeconds - 30 }, {}, 'token_expired'],
  ['a beginning in the future', { nbf: startSeconds + 31 }, {}, 'token_not_yet_valid'],
  ['an issue in the future', { iat: startSeconds + 31 }, {}, 'token_not_yet_valid'],
])('a token with %s is refused', async (_, claims, header, code) => {
  const { verifier, key } = await given()
  const token = await sign(key, { ...accessClaims, ...claims }, header)

  await expect(verifier.verifyAccessToken(token)).rejects.toMatchObject({ name: 'TokenError', code })
})

test('an unsigned token is refused', async () => {
  const { verifier } = await given()
  const token = `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(accessClaims)}.`

  await expect(verifier.verifyAccessToken(token)).rejects.toMatchObject({ code: 'algorithm_rejected' })
})

test('a token whose claims were altered is refused', async () => {
  const { verifier, key } = await given()
  const [header, , signature] = (await sign(key, accessClaims)).split('.')
  const token = [header, encode({ ...accessClaims, sub: 'u2' }), signature].join('.')

  await expect(verifier.verifyAccessToken(token)).rejects.toMatchObject({ code: 'signature_invalid' })
})

test('a token of another organization’s key is refused, also under a key id that this one has', async () => {
  const { verifier } = await given()
  const foreign = await newKey('k1')

  const attempt = verifier.verifyAccessToken(await sign(foreign, accessClaims))

  await expect(attempt).rejects.toMatchObject({ code: 'signature_invalid' })
})

test.each([
  '',
  'a',
  'a.b',
  'a.b.c',
  'e30.e30',
  'e30.e30.e30.e30',
  'W10.W10.AA',
  'bnVsbA.e30.AA',
  '_w.e30.AA',
  'e30=.e30.AA',
  `e30.${'a'.repeat(17_000)}.AA`,
])('text that is no token is refused without a look at the keys: %.20s', async (token) => {
  const { verifier, state } = await given()

  await expect(verifier.verifyAccessToken(token)).rejects.toMatchObject({ code: 'token_malformed' })
  expect(state.requests).toHaveLength(0)
})

test('a signature in a second spelling is refused', async () => {
  const { verifier, key } = await given()
  const token = await sign(key, accessClaims)
  const last = token.at(-1) ?? ''
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const respelled = token.slice(0, -1) + (alphabet[alphabet.indexOf(last) + 1] ?? '')

  await expect(verifier.verifyAccessToken(respelled)).rejects.toMatchObject({ code: 'token_malformed' })
})

test('an unknown key id makes the key set be read again, at most every 30 seconds', async () => {
  const { verifier, key, state } = await given()
  await verifier.verifyAccessToken(await sign(key, accessClaims))
  const rotated = await newKey('k2')
  const token = await sign(rotated, accessClaims)

  await expect(verifier.verifyAccessToken(token)).rejects.toMatchObject({ code: 'key_unknown' })
  expect(state.requests).toHaveLength(1)

  state.published.push(rotated)
  state.seconds += 30
  await Promise.all([verifier.verifyAccessToken(token), verifier.verifyAccessToken(token)])
  expect(state.requests).toHaveLength(2)
})

test('one request for the keys serves all who wait for it, and the quarter of an hour after', async () => {
  const { verifier, key, state } = await given()
  const token = await sign(key, accessClaims)

  await Promise.all([verifier.verifyAccessToken(token), verifier.verifyAccessToken(token)])
  state.seconds += 899
  await verifier.verifyAccessToken(token)
  expect(state.requests).toHaveLength(1)

  state.seconds += 1
  await verifier.verifyAccessToken(token)
  expect(state.requests).toHaveLength(2)
})

test('keys outlive a service that is away, by a day', async () => {
  const { verifier, key, state } = await given()
  const token = await sign(key, { ...accessClaims, exp: startSeconds + 200_000 })
  await verifier.verifyAccessToken(token)
  state.isDown = true

  state.seconds += 80_000
  await expect(verifier.verifyAccessToken(token)).resolves.toMatchObject({ sub: 'u1' })

  state.seconds += 20_000
  await expect(verifier.verifyAccessToken(token)).rejects.toMatchObject({ code: 'keys_unavailable' })
})

test('without any keys yet, a service that is away is told from a bad token', async () => {
  const { verifier, key, state } = await given()
  const token = await sign(key, accessClaims)
  state.isDown = true

  await expect(verifier.verifyAccessToken(token)).rejects.toMatchObject({ code: 'keys_unavailable' })

  state.isDown = false
  state.seconds += 1
  await expect(verifier.verifyAccessToken(token)).resolves.toMatchObject({ sub: 'u1' })
})

test('a key that was withdrawn is not accepted any more', async () => {
  const { verifier, key, state } = await given()
  const token = await sign(key, accessClaims)
  await verifier.verifyAccessToken(token)

  state.published.splice(0, 1, await newKey('k2'))
  state.seconds += 900

  await expect(verifier.verifyAccessToken(token)).rejects.toMatchObject({ code: 'key_unknown' })
})

test('an ID token is accepted with its nonce, access token and code', async () => {
  const { verifier, key } = await given()
  const hashes = { at_hash: await halfHashOf('the access token'), c_hash: await halfHashOf('the code') }
  const token = await sign(key, { ...idClaims, ...hashes }, idHeader)

  const claims = await verifier.verifyIdToken(token, {
    nonce: 'n1',
    accessToken: 'the access token',
    code: 'the code',
  })

  expect(claims).toMatchObject({ sub: 'u1', jtt: 'id_token' })
})

test.each([
  [{ nonce: 'n2' }, 'nonce_mismatch'],
  [{ accessToken: 'another' }, 'access_token_mismatch'],
  [{ code: 'another' }, 'code_mismatch'],
])('an ID token that does not fit %j is refused', async (expected, code) => {
  const { verifier, key } = await given()
  const token = await sign(key, { ...idClaims, at_hash: 'x', c_hash: 'x' }, idHeader)

  await expect(verifier.verifyIdToken(token, expected)).rejects.toMatchObject({ code })
})

test('an access token in place of an ID token is refused', async () => {
  const { verifier, key } = await given()

  const attempt = verifier.verifyIdToken(await sign(key, accessClaims))

  await expect(attempt).rejects.toMatchObject({ code: 'type_rejected' })
})

test.each([
  { audience: '' },
  { audience: [] },
  { audience: ['x', ''] },
  { domain: '' },
  { domain: '../other' },
  { clockToleranceSeconds: Number.NaN },
  { clockToleranceSeconds: 301 },
])('the option %j is refused when the verifier is made', async (options) => {
  await expect(given(options)).rejects.toThrow(TypeError)
})

test('an environment that is not set is refused when the verifier is made', async () => {
  // @ts-expect-error Simulates an unset variable in an untyped program.
  await expect(given({ environment: '' })).rejects.toThrow(TypeError)
})

async function halfHashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return base64urlOf(new Uint8Array(hash, 0, 16))
}
