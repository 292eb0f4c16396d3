import { attemptSignIn, forgetAttempts, type SignInAttempt as Attempt } from '@portico/server/attempts'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startDatabaseProxy } from '../given/database-proxy.js'
import { anyEmail, anything } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'

const minute = 60

/** Resets the limits that the harness raises to their defaults. */
const shipped = {
  SIGN_IN_ATTEMPTS_PER_ADDRESS: '',
  SIGN_IN_RATE_PER_MINUTE: '',
}

let service: Service

beforeAll(async () => {
  service = await startService({ variables: shipped })
})

type Address = Parameters<typeof attemptSignIn>[1]

/** An unused address of an organization. */
function someAddress(members: Partial<Address> = {}): Address {
  const { account } = service
  return {
    accountId: account.id,
    environment: 'sandbox',
    domain: `org-${anything()}`,
    address: anyEmail(),
    ...members,
  }
}

function attempt(at: Address, by = service): Promise<Attempt> {
  return attemptSignIn(by.deps, at)
}

async function attempts(count: number, at: Address, by = service): Promise<Attempt[]> {
  const made: Attempt[] = []
  for (let number = 0; number < count; number++) made.push(await attempt(at, by))
  return made
}

/** Whether each attempt is refused, even with the correct password. */
function locked(made: readonly Attempt[]): boolean[] {
  return made.map(({ isLocked }) => isLocked)
}

const [open, shut] = [false, true] as const

/** Exhausts the attempts at an address, and returns the duration of its lock. */
async function lockOf(at: Address): Promise<number | undefined> {
  const made = await attempts(5, at)
  expect(locked(made)).toEqual([open, open, open, open, open])
  return made.at(-1)?.state.retryAfterSeconds
}

describe('an attempt to sign in', () => {
  test('is looked at five times within 15 minutes at an address; the fifth locks it', async () => {
    const made = await attempts(7, someAddress())

    expect(locked(made)).toEqual([open, open, open, open, open, shut, shut])
    const fifteenMinutes = expect.toSatisfy((seconds: number) => seconds > 890 && seconds <= 900)
    expect(made.map(({ state }) => state)).toEqual(
      [4, 3, 2, 1, 0, 0, 0].map((remaining) => ({
        name: 'sign-in',
        limit: 5,
        windowSeconds: 900,
        remaining,
        resetSeconds: fifteenMinutes,
        ...(remaining === 0 && { retryAfterSeconds: fifteenMinutes }),
      })),
    )
  })

  test('is forgotten after 15 minutes', async () => {
    const at = someAddress()
    await attempts(4, at)

    await service.clock.advance(15 * minute)

    expect((await attempt(at)).state.remaining).toBe(4)
  })

  test('is locked out for twice as long each time within a day, and for four hours at most', async () => {
    const at = someAddress()
    const minutes: number[] = []
    for (let lock = 0; lock < 6; lock++) {
      const seconds = (await lockOf(at)) ?? 0
      minutes.push(seconds / minute)
      await service.clock.advance(seconds - minute)
      expect((await attempt(at)).isLocked).toBe(true)
      await service.clock.advance(minute)
    }

    expect(minutes).toEqual([15, 30, 60, 120, 240, 240])
  })

  test('is locked out for 15 minutes again, once the first lock is a day old', async () => {
    const at = someAddress()
    await lockOf(at)

    await service.clock.advance(24 * 60 * minute)

    expect(await lockOf(at)).toBe(15 * minute)
  })

  test('does not make a lock longer', async () => {
    const at = someAddress()
    await lockOf(at)
    await service.clock.advance(10 * minute)

    const [first, ...others] = await attempts(20, at)

    expect(first?.state.retryAfterSeconds).toBeLessThanOrEqual(5 * minute)
    expect(locked(others)).not.toContain(open)
    await service.clock.advance(5 * minute)
    expect((await attempt(at)).isLocked).toBe(false)
  })

  test('that is right makes the ones before forgotten, and the locks', async () => {
    const at = someAddress()
    await lockOf(at)
    await service.clock.advance(15 * minute)
    const [right] = (await attempts(5, at)).slice(-1)

    await right?.succeed()

    expect(right?.state).toMatchObject({ remaining: 5 })
    expect(right?.state).not.toHaveProperty('retryAfterSeconds')
    expect(await lockOf(at)).toBe(15 * minute)
  })

  test('that is right does not open what is locked', async () => {
    const at = someAddress()
    await lockOf(at)

    await (await attempt(at)).succeed()

    expect((await attempt(at)).isLocked).toBe(true)
  })

  test('is forgotten when the owner of the address shows up in another way', async () => {
    const at = someAddress()
    await lockOf(at)

    await forgetAttempts(service.deps, at)

    expect(await lockOf(at)).toBe(15 * minute)
  })

  test.each([
    ['address', { address: 'else@people.example' }],
    ['organization', { domain: 'else' }],
    ['environment', { environment: 'production' }],
    ['account', { accountId: '0190c8c2-0000-7000-8000-000000000000' }],
  ])('is counted apart from those of another %s', async (_what, other) => {
    const at = someAddress()
    await lockOf(at)

    expect((await attempt({ ...at, ...other })).state.remaining).toBe(4)
  })

  test.each([50, 200])('of %i at once is one of exactly five that are looked at', async (count) => {
    const at = someAddress()

    const made = await Promise.all(Array.from({ length: count }, () => attempt(at)))

    expect(locked(made).filter((isLocked) => !isLocked)).toHaveLength(5)
    // Only the fifth attempt locked the address, not each later one.
    await service.clock.advance(15 * minute)
    expect(await lockOf(at)).toBe(30 * minute)
  })

  longTest('is counted by all processes together', async () => {
    const { databaseUrl } = service
    const one = await startService({ databaseUrl, variables: shipped })
    const other = await startService({ databaseUrl, variables: shipped })
    const at = someAddress()

    const made = [...(await attempts(3, at, one)), ...(await attempts(3, at, other))]

    expect(locked(made)).toEqual([open, open, open, open, open, shut])
    expect((await attempt(at, one)).isLocked).toBe(true)
  })

  test('is one of 600 a minute at an organization; more are refused, and count at no address', async () => {
    // Starts a new minute, so that it does not end during the test.
    await service.clock.advance(minute)
    const { domain } = someAddress()
    const made = await Promise.allSettled(
      Array.from({ length: 620 }, (_, number) => attempt(someAddress({ domain, address: `${number}` }))),
    )

    const refused = made.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    )
    expect(refused).toHaveLength(20)
    expect(refused[0]).toMatchObject({
      code: 'rate_limited',
      limit: { name: 'organization-sign-in', limit: 600, windowSeconds: 60, remaining: 0 },
    })
    const address = anyEmail()
    for (let number = 0; number < 6; number++)
      await expect(attempt(someAddress({ domain, address }))).rejects.toThrow()
    await service.clock.advance(minute)
    expect((await attempt(someAddress({ domain, address }))).state.remaining).toBe(4)
  })

  test('is counted by each process for itself while the database is away', async () => {
    const proxy = await startDatabaseProxy(service.databaseUrl)
    const severed = await startService({ databaseUrl: proxy.url, variables: shipped })
    const at = someAddress()

    const made = await proxy.during('reset', () => attempts(7, at, severed))

    expect(locked(made)).toEqual([open, open, open, open, open, shut, shut])
    expect(made.at(-1)?.state.retryAfterSeconds).toBe(15 * minute)
    expect(severed.logLines.join()).toContain('limits are counted in memory')
  })
})

describe('what is counted', () => {
  test('does not tell at whose address', async () => {
    const at = someAddress()
    await lockOf(at)

    const keys = await service.query<{ key: string }>('select key from rate_limits')

    const names = ['organization-sign-in', 'sign-in', 'sign-in-lock', 'mail', 'sms', 'organization-sms']
    expect(keys.length).toBeGreaterThan(2)
    for (const { key } of keys) {
      const [, name] = /^([a-z-]+):[\w-]{43}$/.exec(key) ?? []
      expect(names).toContain(name)
    }
  })

  test('is deleted when it counts no more', async () => {
    await lockOf(someAddress())

    await service.clock.advance(25 * 60 * minute)
    await service.runJobs()

    expect(await service.query('select key from rate_limits')).toEqual([])
  })
})
