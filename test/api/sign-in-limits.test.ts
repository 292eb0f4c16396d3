import { EventEmitter, once } from 'node:events'
import { followMagicLink, type Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { callback, linkGivenOf } from './magic-link-given.js'
import { verifiedPasswords } from '../given/counted.js'

const minute = 60
const right = 'correct horse battery staple'
const wrong = 'wrong horse battery staple'

/** Resets the limits that the harness raises to their defaults. */
const shipped = { SIGN_IN_ATTEMPTS_PER_ADDRESS: '', SIGN_IN_RATE_PER_MINUTE: '' }

let service: Service
let client: Client

beforeAll(async () => {
  service = await startService({ variables: shipped })
  client = await service.client()
})

/** A second service on the same database, with the same time. */
async function startBeside(variables: Record<string, string> = {}): Promise<Service> {
  const { databaseUrl, clock } = service
  const beside = await startService({ databaseUrl, variables: { ...shipped, ...variables } })
  await beside.clock.advance((clock.now().getTime() - beside.clock.now().getTime()) / 1000)
  return beside
}

interface Owner {
  readonly org_domain: string
  readonly user_email: string
}

/** An organization with passwords, and a user who has one. */
async function givenPassword(): Promise<Owner> {
  const { org_domain, user } = await linkGivenOf(service, client).scene()
  await client.password.createConnection({ org_domain })
  const owner = { org_domain, user_email: user.email }
  const { request_id } = await client.password.createRequest({ ...owner, redirect_uri: callback })
  const link = await client.magicLink.createChallenge({ ...owner, request_id, send_email: false })
  const { redirectedTo } = await followMagicLink(link.magic_link ?? '')
  const password_code = redirectedTo.searchParams.get('password_code') ?? ''
  await client.password.set({ ...owner, password_code, plain_text: right })
  return owner
}

interface Answered {
  readonly status: number
  /** The body without the ids that differ between answers. */
  readonly text: string
  readonly isValid: boolean
  /** Remaining quota of the sign-in limit. */
  readonly remaining: number | undefined
  readonly retryAfter: number | undefined
  readonly headerNames: readonly string[]
}

async function challenge(owner: Owner, plain_text: string, at = service): Promise<Answered> {
  // A key without permission to list users must not learn which addresses exist.
  const token = await tokenAt(at)
  const answer = await fetch(`${at.baseUrl}/api/v2/password-challenge`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...owner, plain_text }),
  })
  const text = await answer.text()
  const [, remaining] = /"sign-in";r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '') ?? []
  const retryAfter = answer.headers.get('Retry-After')
  return {
    status: answer.status,
    text: text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":"…"'),
    isValid: text.includes('"valid?":true'),
    remaining: remaining === undefined ? undefined : Number(remaining),
    retryAfter: retryAfter === null ? undefined : Number(retryAfter),
    headerNames: [...answer.headers.keys()].sort(),
  }
}

/** A token less than ten minutes old by the service's clock. */
async function tokenAt(at: Service): Promise<string> {
  const known = tokens.get(at)
  const now = at.clock.now().getTime()
  if (known !== undefined && now - known.since < 10 * minute * 1000) return known.token
  const token = await at.token({ account: service.account, scopes: ['write:passwords'] })
  tokens.set(at, { token, since: now })
  return token
}

const tokens = new WeakMap<Service, { readonly token: string; readonly since: number }>()

async function challenges(count: number, owner: Owner, plainText: string): Promise<Answered[]> {
  const answers: Answered[] = []
  for (let number = 0; number < count; number++) answers.push(await challenge(owner, plainText))
  return answers
}

/** An answer without the seconds, which depend on the time. */
function withoutSeconds({ retryAfter, ...answer }: Answered) {
  return { ...answer, isAskedToWait: retryAfter !== undefined }
}

describe('a password challenge', () => {
  test('201: after five wrong ones the right password is answered as wrong, byte for byte', async () => {
    const owner = await givenPassword()
    await challenges(5, owner, wrong)

    const answered = await challenge(owner, right)

    expect(answered).toMatchObject({ status: 201, isValid: false, remaining: 0 })
    expect(withoutSeconds(answered)).toEqual(withoutSeconds(await challenge(owner, wrong)))
    expect(answered.retryAfter).toBeGreaterThan(14 * minute)
  })

  test('201: a quarter of an hour later the right one signs in; locked again, it takes half an hour', async () => {
    const owner = await givenPassword()
    await challenges(5, owner, wrong)
    await service.clock.advance(15 * minute)
    const again = await challenges(5, owner, wrong)

    expect(again.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0])
    expect(again.at(-1)?.retryAfter).toBe(30 * minute)
    await service.clock.advance(29 * minute)
    expect((await challenge(owner, right)).isValid).toBe(false)
    await service.clock.advance(minute)
    expect((await challenge(owner, right)).isValid).toBe(true)
  })

  test('201: the right one makes the wrong ones before forgotten', async () => {
    const owner = await givenPassword()

    for (let round = 0; round < 3; round++) {
      const [, , , last] = await challenges(4, owner, wrong)
      expect(last?.remaining).toBe(1)
      expect(await challenge(owner, right)).toMatchObject({ isValid: true, remaining: 5 })
    }
  })

  test('201: an address without a user is answered and locked like one with', async () => {
    const owner = await givenPassword()
    const nobody = { ...owner, user_email: anyEmail() }

    const known = await challenges(7, owner, wrong)
    const unknown = await challenges(7, nobody, wrong)

    expect(unknown.map(withoutSeconds)).toEqual(known.map(withoutSeconds))
    expect(unknown.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0])
  })

  test('201: costs one verification, also of nobody, and while the address is locked', async () => {
    const owner = await givenPassword()
    const before = await verifiedPasswords(service)

    await challenges(7, owner, wrong)
    await challenge(owner, right)
    await challenges(7, { ...owner, user_email: anyEmail() }, wrong)

    expect((await verifiedPasswords(service)) - before).toBe(15)
  })

  test('201: of 60 at once five count down, and then the address is locked', async () => {
    const owner = await givenPassword()

    const answers = await Promise.all(Array.from({ length: 60 }, () => challenge(owner, wrong)))

    // Some requests are refused before they count: on an overloaded machine without a free connection (503), and on
    // a fast one that exceeds the burst of the key (429).
    const counted = answers.filter(({ status }) => status === 201)
    expect([201, 429, 503]).toEqual(expect.arrayContaining(answers.map(({ status }) => status)))
    expect(counted.length).toBeGreaterThan(30)
    const remaining = counted.map((answer) => answer.remaining).sort((a = 0, b = 0) => b - a)
    expect(remaining).toEqual([4, 3, 2, 1, ...counted.slice(4).map(() => 0)])
    expect((await challenge(owner, right)).isValid).toBe(false)
  })

  longTest('201: what one process has counted, another one knows', async () => {
    const [one, other] = [await startBeside(), await startBeside()]
    const owner = await givenPassword()

    for (let number = 0; number < 5; number++) await challenge(owner, wrong, one)

    expect(await challenge(owner, right, other)).toMatchObject({ isValid: false, remaining: 0 })
  })

  test('201: other users of the organization sign in meanwhile', async () => {
    const owner = await givenPassword()
    await challenges(6, { ...owner, user_email: anyEmail() }, wrong)

    expect((await challenge(owner, right)).isValid).toBe(true)
  })

  test('429: an organization with too many in a minute is told so, and nobody is locked by it', async () => {
    const few = await startBeside({ SIGN_IN_RATE_PER_MINUTE: '3' })
    const owner = await givenPassword()
    for (let number = 0; number < 3; number++) await challenge(owner, wrong, few)

    const refused = await challenge(owner, right, few)

    expect(refused).toMatchObject({ status: 429, remaining: undefined })
    expect(refused.retryAfter).toBeLessThanOrEqual(minute)
    expect(await challenge(owner, wrong)).toMatchObject({ remaining: 1 })
  })
})

describe('while there is no room for another hash', () => {
  test('429: who is sent away has made no attempt, and signs in when there is', async () => {
    const owner = await givenPassword()
    const signals = new EventEmitter()
    const end = once(signals, 'end')
    // Requests of the same organization that stay busy until the test ends them.
    const inside = Array.from({ length: 200 }, () =>
      service.deps.passwords.admit(owner.org_domain, () => end),
    )
    const ended = Promise.allSettled(inside)

    for (let attempt = 0; attempt < 6; attempt++)
      expect(await challenge(owner, right)).toMatchObject({
        status: 429,
        retryAfter: 1,
        remaining: undefined,
      })
    signals.emit('end')
    await ended

    expect(await challenge(owner, right)).toMatchObject({ status: 201, isValid: true })
  })
})
