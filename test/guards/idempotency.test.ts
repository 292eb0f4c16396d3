import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { untilWaiting } from '../given/waiting.js'

const service = await startService()

interface Attempt {
  readonly status: number
  readonly code: string | undefined
  readonly domain: string | undefined
}

/** Creates organizations with one Idempotency-Key and one API key. */
async function givenRepeater() {
  const token = await service.token()
  const idempotencyKey = anything()
  return async (name: string): Promise<Attempt> => {
    const response = await fetch(`${service.baseUrl}/api/v2/organizations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ name }),
    })
    const body = (await response.json()) as { error?: { code: string }; domain?: string }
    return { status: response.status, code: body.error?.code, domain: body.domain }
  }
}

async function countNamed(name: string): Promise<number> {
  const client = await service.client()
  const { total } = await client.organizations.list({ filter: name })
  return total
}

test('a request that is made twice has one effect and one answer', async () => {
  const create = await givenRepeater()
  const name = `Twice ${anything()}`

  const [first, second] = [await create(name), await create(name)]

  expect(second).toEqual(first)
  expect(await countNamed(name)).toBe(1)
})

test('a request in flight holds its key: the same request is refused meanwhile', async () => {
  const create = await givenRepeater()
  const name = `Held ${anything()}`

  const fate = await whileEventsAreLocked(async (underWay) => {
    void underWay(create(name))
    await untilWaiting(service, 1)
    return fateOf(underWay(create(name)))
  })

  expect(fate).toBe('idempotency_in_flight')
})

test('a request that takes longer than its lease keeps its key', async () => {
  const create = await givenRepeater()
  const name = `Long ${anything()}`

  const fate = await whileEventsAreLocked(async (underWay) => {
    void underWay(create(name))
    await untilWaiting(service, 1)
    await service.clock.advance(6)
    const at = service.clock.now()
    const held = () => service.query('select from idempotency_keys where lease_until > $1', [at])
    await vi.waitFor(async () => expect(await held()).toHaveLength(1), { timeout: 10_000, interval: 10 })
    return fateOf(underWay(create(name)))
  })

  expect(fate).toBe('idempotency_in_flight')
})

test('a lease that a clock has written which was an hour ahead is taken over', async () => {
  const create = await givenRepeater()
  const name = `Ahead ${anything()}`
  await create(name)
  await service.query(`update idempotency_keys set answer_sealed = null, lease = $1, lease_until = $2`, [
    randomUUID(),
    new Date(service.clock.now().getTime() + 3_600_000),
  ])

  expect((await create(name)).status).toBe(201)
})

test('of two requests, the second of which took over the lease of the first, one has its effect', async () => {
  const create = await givenRepeater()
  const name = `Leased ${anything()}`
  const attempts: Promise<Attempt>[] = []

  await whileEventsAreLocked(async (underWay) => {
    attempts.push(underWay(create(name)))
    await untilWaiting(service, 1)
    await service.clock.advance(6)
    attempts.push(underWay(create(name)))
    await untilWaiting(service, 2)
  })

  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([201, 409])
  expect(await countNamed(name)).toBe(1)
})

test('a lease that has run out is not another request’s to take', async () => {
  const create = await givenRepeater()

  const fate = await whileEventsAreLocked(async (underWay) => {
    void underWay(create(`Lost ${anything()}`))
    await untilWaiting(service, 1)
    await service.clock.advance(6)
    return fateOf(underWay(create(`Other ${anything()}`)))
  })

  expect(fate).toBe('idempotency_key_reused')
})

/** The outcome of a request concurrent with a blocked one: an error code, or undefined if it proceeds and is blocked, too. */
async function fateOf(request: Promise<Attempt>): Promise<string | undefined> {
  const settled = new AbortController()
  const refused = request.then(({ code }) => code).finally(() => settled.abort())
  return Promise.race([refused, untilWaiting(service, 2, settled.signal).then(() => 'worked on')])
}

/** Locks the events table, so that every change waits before its end; then unlocks it, and awaits pending requests. */
async function whileEventsAreLocked<Result>(
  work: (underWay: (request: Promise<Attempt>) => Promise<Attempt>) => Promise<Result>,
): Promise<Result> {
  const requests: Promise<Attempt>[] = []
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  await holder.query('begin; lock table events in exclusive mode')
  try {
    return await work((request) => {
      requests.push(request)
      return request
    })
  } finally {
    await holder.query('rollback')
    await holder.end()
    await Promise.all(requests)
  }
}
