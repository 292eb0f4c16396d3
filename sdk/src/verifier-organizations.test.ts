import { describe, expect, test } from 'vitest'
import { TokenError } from './token-error.js'
import { encode, newKey, publicPartOf, sign, type SigningKey } from './tokens.given.js'
import { createVerifier, verifyAccessToken, type AccountVerifierOptions } from './verify-access-token.js'

const audience = '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4'
const base = 'https://auth.example'
const ofAccount = `${base}/a/acme`
const startSeconds = 1_773_480_413

const issuerOf = (domain: string) => `${base}/t/${domain}`
const keysOf = (issuer: string) => `${issuer}/.well-known/jwks.json`

/** The claims of an access token; by default its issuer is its organization. */
function claimsOf(org: string, changed: object = {}) {
  const times = { iat: startSeconds, nbf: startSeconds, exp: startSeconds + 3600 }
  return {
    ...{ iss: issuerOf(org), sub: 'u1', aud: audience, dbs: 'sandbox', jtt: 'access_token', org, tnt: org },
    ...{ scp: ['magic_link'], ...times },
    ...changed,
  }
}

/** A token with a signature of nobody. */
function unsigned(claims: object, header: object = {}): string {
  return `${encode({ alg: 'ES256', kid: 'k1', typ: 'at+jwt', ...header })}.${encode(claims)}.AAAA`
}

/** A service with issuers, whose clock and answers the test controls, and a verifier of its account. */
async function given(domains: readonly string[], options: Partial<AccountVerifierOptions> = {}) {
  const state = { seconds: startSeconds, requests: [] as string[], isDown: false, status: 404 }
  const keys = new Map<string, SigningKey>()
  const published = new Map<string, object>()
  for (const issuer of [ofAccount, ...domains.map(issuerOf)]) {
    const key = await newKey('k1')
    keys.set(issuer, key)
    published.set(keysOf(issuer), { keys: [await publicPartOf(key)] })
  }
  const all: AccountVerifierOptions = {
    baseUrl: base,
    account: 'acme',
    audience,
    environment: 'sandbox',
    now: () => state.seconds * 1000,
    fetch: (input, init) => {
      const { url } = new Request(input, init)
      state.requests.push(url)
      const body = published.get(url)
      if (state.isDown || init?.redirect !== 'manual') return Promise.reject(new TypeError('fetch failed'))
      return Promise.resolve(
        body === undefined ? new Response(null, { status: state.status }) : Response.json(body),
      )
    },
    ...options,
  }
  const verifier = createVerifier(all)
  const keyOf = (issuer: string) => {
    const key = keys.get(issuer)
    if (key === undefined) throw new Error(`no key of ${issuer}`)
    return key
  }
  return {
    verifier,
    state,
    published,
    options: all,
    keyOf,
    /** An access token of an organization, signed by its key. */
    token: (org: string, changed: object = {}, header: object = {}) =>
      sign(keyOf(issuerOf(org)), claimsOf(org, changed), header),
    /** One of the account's issuer. */
    ofAccount: (org: string, changed: object = {}, header: object = {}) =>
      sign(keyOf(ofAccount), claimsOf(org, { iss: ofAccount, ...changed }), header),
    async outcomeOf(token: string): Promise<string> {
      try {
        await verifier.verifyAccessToken(token)
        return 'accepted'
      } catch (error) {
        if (error instanceof TokenError) return error.code
        throw error
      }
    },
  }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `organization-${index}`)

test('tokens of fifty organizations are accepted, and one request for the keys of each', async () => {
  const domains = numbered(50)
  const { verifier, state, token } = await given(domains)

  for (const domain of domains) {
    // The bucket fills while they arrive.
    state.seconds += 1
    expect(await verifier.verifyAccessToken(await token(domain))).toMatchObject({ org: domain, sub: 'u1' })
    expect(await verifier.verifyAccessToken(await token(domain))).toMatchObject({ org: domain })
  }

  expect(state.requests).toEqual(domains.map((domain) => keysOf(issuerOf(domain))))
})

test('tokens of the account’s own issuer are accepted, whichever organization they name', async () => {
  const { verifier, state, ofAccount: sample } = await given([])

  for (const domain of ['one', 'two'])
    expect(await verifier.verifyAccessToken(await sample(domain))).toMatchObject({ org: domain })

  expect(state.requests).toEqual([keysOf(ofAccount)])
})

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

test('an ID token can be demanded of one issuer, and is refused of the others before their keys are asked for', async () => {
  const { verifier, state, token, ofAccount: sample } = await given(['one'])
  const idToken = { jtt: 'id_token', nonce: 'n1', scp: undefined }
  const [own, organizations] = [
    await sample('one', idToken, { typ: 'JWT' }),
    await token('one', idToken, { typ: 'JWT' }),
  ]

  const attempt = verifier.verifyIdToken(organizations, { issuer: ofAccount })

  await expect(attempt).rejects.toMatchObject({ code: 'issuer_mismatch' })
  expect(state.requests).toEqual([])
  expect(await verifier.verifyIdToken(own, { issuer: ofAccount, nonce: 'n1' })).toMatchObject({ org: 'one' })
  expect(await verifier.verifyIdToken(organizations, { issuer: issuerOf('one') })).toMatchObject({
    iss: issuerOf('one'),
  })
  expect(await verifier.verifyIdToken(organizations)).toMatchObject({ sub: 'u1' })
})

/** What a logout token has otherwise than an access token: its issuer alone names the organization. */
const loggedOut = {
  ...{ jtt: undefined, org: undefined, tnt: undefined, nbf: undefined },
  ...{ jti: 'j1', sid: 's1', events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
}

test('a logout token of an organization is accepted, once', async () => {
  const { verifier, keyOf } = await given(['one'])
  const token = await sign(keyOf(issuerOf('one')), claimsOf('one', loggedOut), { typ: 'logout+jwt' })

  expect(await verifier.verifyLogoutToken(token)).toEqual({ sub: 'u1', sid: 's1' })
  await expect(verifier.verifyLogoutToken(token)).rejects.toMatchObject({ code: 'token_replayed' })
})

test('a logout token of no other issuer is accepted, and none causes a request', async () => {
  const { state, verifier, keyOf } = await given(['one'])

  for (const iss of hostile) {
    const claims = claimsOf('one', { ...loggedOut, iss })
    const token = await sign(keyOf(issuerOf('one')), claims, { typ: 'logout+jwt' })
    await expect(verifier.verifyLogoutToken(token), String(iss)).rejects.toMatchObject({
      code: 'issuer_mismatch',
    })
  }
  expect(state.requests).toEqual([])
})

test('verifyAccessToken() takes an account, too', async () => {
  const { options, token } = await given(['one'])

  expect(await verifyAccessToken(await token('one'), options)).toMatchObject({ org: 'one' })
})

describe('an organization that the service does not have', () => {
  test('is not asked for again for a minute', async () => {
    const { state, published, outcomeOf, token } = await given(['one'])
    const listed = published.get(keysOf(issuerOf('one')))
    published.delete(keysOf(issuerOf('one')))
    const unknown = await token('one')

    expect(await outcomeOf(unknown)).toBe('issuer_unknown')
    state.seconds += 59
    expect(await outcomeOf(unknown)).toBe('issuer_unknown')
    expect(state.requests).toHaveLength(1)

    published.set(keysOf(issuerOf('one')), listed ?? {})
    state.seconds += 1
    expect(await outcomeOf(unknown)).toBe('accepted')
  })

  test('is kept, once its keys are, for as long as those of a service that is away', async () => {
    const { state, published, outcomeOf, token } = await given(['one'])
    const long = await token('one', { exp: startSeconds + 200_000 })
    expect(await outcomeOf(long)).toBe('accepted')
    published.delete(keysOf(issuerOf('one')))

    state.seconds += 80_000
    expect(await outcomeOf(long)).toBe('accepted')
    state.seconds += 20_000
    expect(await outcomeOf(long)).toBe('issuer_unknown')
  })
})

describe('made-up organizations', () => {
  const madeUp = (index: number) => unsigned(claimsOf(`made-up-${index}`))

  test('cause twenty requests at once, and then two a second; those whose keys are held notice nothing', async () => {
    const { state, outcomeOf, token } = await given(['one', 'new'])
    const [held, fresh] = [await token('one'), await token('new')]
    await outcomeOf(held)
    state.seconds += 10
    const before = state.requests.length

    const codes = new Set<string>()
    for (let index = 0; index < 2_000; index += 1) {
      codes.add(await outcomeOf(madeUp(index)))
      state.seconds += 0.005
      if (index === 30) {
        expect(state.requests.length - before).toBe(20)
        expect(await outcomeOf(held)).toBe('accepted')
        expect(await outcomeOf(fresh)).toBe('keys_unavailable')
      }
    }

    expect([...codes].toSorted()).toEqual(['issuer_unknown', 'keys_unavailable'])
    expect(state.requests.length - before).toBeLessThanOrEqual(40)
    expect(state.requests.every((url) => url.startsWith(`${base}/t/`))).toBe(true)
    state.seconds += 1
    expect(await outcomeOf(fresh)).toBe('accepted')
  })

  test('push out no organization whose keys are held', async () => {
    const { state, outcomeOf, token } = await given(['one'], { maxOrganizations: 1 })
    const held = await token('one')
    await outcomeOf(held)
    for (let index = 0; index < 10; index += 1) await outcomeOf(madeUp(index))
    const before = state.requests.length

    expect(await outcomeOf(held)).toBe('accepted')
    expect(state.requests).toHaveLength(before)
  })
})

test('the keys that were used last stay, and the others are asked for again', async () => {
  const { state, outcomeOf, token } = await given(['one', 'two', 'three'], { maxOrganizations: 2 })
  const [one, two, three] = [await token('one'), await token('two'), await token('three')]

  for (const each of [one, two, one, three, one]) expect(await outcomeOf(each)).toBe('accepted')
  expect(state.requests).toHaveLength(3)
  expect(await outcomeOf(two)).toBe('accepted')
  expect(state.requests).toHaveLength(4)
})

test('one request for the keys serves all who wait for it, of the bucket as well', async () => {
  const { state, outcomeOf, token } = await given(['one', ...numbered(19)])
  const wanted = await token('one')
  const others = await Promise.all(numbered(19).map((domain) => token(domain)))

  const outcomes = await Promise.all([...Array<string>(50).fill(wanted), ...others].map(outcomeOf))

  expect(new Set(outcomes)).toEqual(new Set(['accepted']))
  expect(state.requests).toHaveLength(20)
})

test('while the service is away, held keys stay good, and new organizations are refused until a second later', async () => {
  const { state, outcomeOf, token } = await given(['held', 'new'])
  const [held, fresh] = [await token('held', { exp: startSeconds + 90_000 }), await token('new')]
  await outcomeOf(held)
  state.isDown = true

  expect(await outcomeOf(fresh)).toBe('keys_unavailable')
  expect(await outcomeOf(fresh)).toBe('keys_unavailable')
  expect(state.requests).toHaveLength(2)
  state.isDown = false
  state.seconds += 1
  expect(await outcomeOf(fresh)).toBe('accepted')
  state.isDown = true
  state.seconds += 80_000
  expect(await outcomeOf(held)).toBe('accepted')
})

test('an answer other than 404 says nothing about the organization', async () => {
  const { state, outcomeOf } = await given([])
  state.status = 500

  expect(await outcomeOf(unsigned(claimsOf('one')))).toBe('keys_unavailable')
})

describe('preload', () => {
  test('reads the keys of all organizations at once, and tells whose it could not read', async () => {
    const domains = numbered(60)
    const { verifier, state, outcomeOf, token } = await given(domains)

    const failed = await verifier.preload([...domains, ...domains, 'unknown'])

    expect(failed).toEqual(['unknown'])
    expect(state.requests).toHaveLength(61)
    for (const domain of domains) expect(await outcomeOf(await token(domain))).toBe('accepted')
    expect(state.requests).toHaveLength(61)
  })

  test.each([[['One']], [['../a']], [['one', '']], [['one', 'two', 'three']]])(
    '%j is refused',
    async (domains) => {
      const { verifier, state } = await given(['one'], { maxOrganizations: 2 })

      await expect(verifier.preload(domains)).rejects.toThrow(TypeError)
      expect(state.requests).toEqual([])
    },
  )
})

test.each([
  {},
  { account: 'acme', domain: 'awesome-company' },
  { account: '' },
  { account: 'Acme' },
  { account: '../acme' },
  { account: 'acme', maxOrganizations: 0 },
  { account: 'acme', maxOrganizations: 50_001 },
  { account: 'acme', maxOrganizations: Number.NaN },
])('the options %j are refused when the verifier is made', (options) => {
  const common = { baseUrl: base, audience, environment: 'sandbox' }

  expect(() => Reflect.apply(createVerifier, undefined, [{ ...common, ...options }])).toThrow(TypeError)
})
