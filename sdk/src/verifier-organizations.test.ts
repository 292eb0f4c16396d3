import { describe, expect, test } from 'vitest'
import { sign } from './tokens.given.js'
import {
  audience,
  base,
  claimsOf,
  given,
  issuerOf,
  keysOf,
  loggedOut,
  ofAccount,
  startSeconds,
  unsigned,
} from './verifier-organizations.given.js'
import { createVerifier, verifyAccessToken } from './verify-access-token.js'

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

test('a logout token of an organization is accepted, once', async () => {
  const { verifier, keyOf } = await given(['one'])
  const token = await sign(keyOf(issuerOf('one')), claimsOf('one', loggedOut), { typ: 'logout+jwt' })

  expect(await verifier.verifyLogoutToken(token)).toEqual({ sub: 'u1', sid: 's1' })
  await expect(verifier.verifyLogoutToken(token)).rejects.toMatchObject({ code: 'token_replayed' })
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
