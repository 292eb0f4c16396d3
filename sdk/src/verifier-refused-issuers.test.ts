import { expect, test } from 'vitest'
import { sign } from './tokens.given.js'
import {
  base,
  claimsOf,
  given,
  issuerOf,
  loggedOut,
  ofAccount,
  startSeconds,
  unsigned,
} from './verifier-organizations.given.js'

const hostile: readonly unknown[] = [
  // Another host, scheme, port or user.
  'http://auth.example/t/one',
  'HTTPS://auth.example/t/one',
  'https://AUTH.example/t/one',
  'https://auth.example:443/t/one',
  'https://auth.example:8443/t/one',
  'https://user@auth.example/t/one',
  'https://auth.example@evil.example/t/one',
  'https://auth.example\\@evil.example/t/one',
  'https://auth.example.evil.example/t/one',
  'https://evil.example/t/one',
  'https://evil.example/https://auth.example/t/one',
  'https://auth.exаmple/t/one',
  'https://xn--auth-9na.example/t/one',
  'https://[::1]/t/one',
  '//auth.example/t/one',
  'ftp://auth.example/t/one',
  'file:///t/one',
  'data:text/plain,https://auth.example/t/one',
  ' https://auth.example/t/one',
  // Another path.
  `${base}//t/one`,
  `${base}/t//one`,
  `${base}/t/one/`,
  `${base}/t/one/two`,
  `${base}/t/../t/one`,
  `${base}/t/one/..`,
  `${base}/t/./one`,
  `${base}/t/..`,
  `${base}/t/%2e%2e`,
  `${base}/t/%6fne`,
  `${base}/t/one%00`,
  `${base}/t/one?x=1`,
  `${base}/t/one?`,
  `${base}/t/one#`,
  `${base}/t/one;x`,
  `${base}/t/one:443`,
  `${base}/t/one@evil.example`,
  `${base}/t/one\\`,
  `${base}/t/`,
  `${base}/t`,
  `${base}/T/one`,
  `${base}/x/one`,
  base,
  // Text that is no domain.
  `${base}/t/One`,
  `${base}/t/one\n`,
  `${base}/t/one `,
  `${base}/t/one\u0000`,
  `${base}/t/-one`,
  `${base}/t/one-`,
  `${base}/t/o--ne`,
  `${base}/t/one_two`,
  `${base}/t/ｏne`,
  `${base}/t/оne`,
  `${base}/t/one\u200b`,
  `${base}/t/${'a'.repeat(121)}`,
  // Another account, and its spelling.
  `${base}/a/other`,
  `${base}/a/Acme`,
  `${base}/a/acme/`,
  `${base}/a/acme/t/one`,
  `${base}/a/`,
  // No text.
  '',
  'one',
  '/t/one',
  null,
  7,
  true,
  {},
  [issuerOf('one')],
]

test('no other issuer is accepted, and none causes a request', async () => {
  const { state, outcomeOf, keyOf } = await given(['one'])

  for (const iss of hostile) {
    const token = await sign(keyOf(issuerOf('one')), claimsOf('one', { iss }))
    expect([iss, await outcomeOf(token)]).toEqual([iss, 'issuer_mismatch'])
  }
  const long = unsigned(claimsOf('one', { iss: issuerOf('a'.repeat(200_000)) }))
  expect(await outcomeOf(long)).toBe('token_malformed')
  expect(state.requests).toEqual([])
})

test.each([
  [
    'for an application of another account',
    { aud: '0190c8b0-0000-7d5c-b6a7-98f0e1d2c3b4' },
    {},
    'audience_mismatch',
  ],
  ['without an audience', { aud: undefined }, {}, 'audience_mismatch'],
  ['of the other environment', { dbs: 'production' }, {}, 'environment_mismatch'],
  ['of another use', { jtt: 'id_token' }, {}, 'use_mismatch'],
  ['whose org is another organization', { org: 'two' }, {}, 'issuer_mismatch'],
  ['whose tnt is another organization', { tnt: 'two' }, {}, 'issuer_mismatch'],
  ['whose org and tnt are another organization', { org: 'two', tnt: 'two' }, {}, 'issuer_mismatch'],
  ['without org', { org: undefined }, {}, 'issuer_mismatch'],
  ['that has expired', { exp: startSeconds - 31 }, {}, 'token_expired'],
  ['of the future', { nbf: startSeconds + 31 }, {}, 'token_not_yet_valid'],
  ['without an expiry', { exp: undefined }, {}, 'claims_malformed'],
  ['without a user', { sub: undefined }, {}, 'claims_malformed'],
  ['that is an ID token', {}, { typ: 'JWT' }, 'type_rejected'],
  ['that nobody signed', {}, { alg: 'none' }, 'algorithm_rejected'],
  ['with HS256', {}, { alg: 'HS256' }, 'algorithm_rejected'],
])('a token %s is refused before its keys are asked for', async (_, changed, header, code) => {
  const { state, outcomeOf, token, ofAccount: sample } = await given(['one'])

  expect(await outcomeOf(await token('one', changed, header))).toBe(code)
  // That its org is another one is all that a token of the account's issuer may differ in.
  if (code !== 'issuer_mismatch') expect(await outcomeOf(await sample('one', changed, header))).toBe(code)
  expect(state.requests).toEqual([])
})

test.each([
  { org: undefined, tnt: undefined },
  { org: 'One', tnt: 'One' },
  { org: 'one', tnt: 'two' },
  { tnt: undefined },
])('a token of the account’s issuer with %j is refused', async (changed) => {
  const { state, outcomeOf, ofAccount: sample } = await given([])

  expect(await outcomeOf(await sample('one', changed))).toBe('issuer_mismatch')
  expect(state.requests).toEqual([])
})

test('a token that another issuer’s key has signed is refused: another organization’s, or the account’s', async () => {
  const { outcomeOf, keyOf } = await given(['one', 'two'])
  const [one, two] = [issuerOf('one'), issuerOf('two')]

  for (const [named, signer] of [
    [one, two],
    [one, ofAccount],
    [ofAccount, one],
  ] as const) {
    const token = await sign(keyOf(signer), claimsOf('one', { iss: named }))
    expect([named, await outcomeOf(token)]).toEqual([named, 'signature_invalid'])
  }
  expect(await outcomeOf(await sign(keyOf(one), claimsOf('one'), { kid: 'k2' }))).toBe('key_unknown')
})

test('a logout token of no other issuer is accepted, and none causes a request', async () => {
  const { state, verifier, keyOf } = await given(['one'])

  for (const iss of hostile) {
    const claims = claimsOf('one', { ...loggedOut, iss })
    const token = await sign(keyOf(issuerOf('one')), claims, { typ: 'logout+jwt' })
    const outcome = verifier.verifyLogoutToken(token).catch((error: unknown) => error)
    expect(await outcome, String(iss)).toMatchObject({ code: 'issuer_mismatch' })
  }
  expect(state.requests).toEqual([])
})
