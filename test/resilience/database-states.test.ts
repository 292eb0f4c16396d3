import { connect } from 'node:net'
import { startBackground } from '@portico/server/worker'
import { describe, expect, test } from 'vitest'
import { longDescribe } from '../sampled.js'
import { anyEmail } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { startReceiver } from '../given/receiver.js'
import { samplesIn } from '../given/scrape.js'

async function readiness({ port }: Service) {
  const answer = await fetch(`http://localhost:${port}/readyz`)
  return { status: answer.status, body: (await answer.json()) as unknown }
}

async function metric({ deps }: Service, name: string): Promise<number> {
  const { values } = (await deps.metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] }
  return values.reduce((sum, { value }) => sum + value, 0)
}

test('a database that answers without its tables, as a cluster whose worker is stopped, is not ready', async () => {
  const service = await startService()
  expect((await readiness(service)).status).toBe(200)

  await service.query('alter table kysely_migration rename to elsewhere')
  expect(await readiness(service)).toEqual({
    status: 503,
    body: { status: 'down', reason: 'the database cannot be reached' },
  })

  await service.query('alter table elsewhere rename to kysely_migration')
  expect((await readiness(service)).status).toBe(200)
})

describe('a database that only takes reads', () => {
  test('answers reads, has writes told to come back, and is not ready', async () => {
    const service = await startService()
    const client = await service.client()
    const { domain: org_domain } = await service.given.organization()
    const { email } = await client.users.create({ org_domain, email: anyEmail() })
    expect(await readiness(service)).toEqual({ status: 200, body: { status: 'up' } })
    const database = new URL(service.databaseUrl).pathname.slice(1)
    // An emulator has those of earlier tests, too.
    const earlier = service.logLines.length

    await service.query(`alter database ${database} set default_transaction_read_only = on`)
    await newSessions(service)

    expect((await client.users.list({ org_domain })).data.map((user) => user.email)).toEqual([email])
    await expect(client.users.create({ org_domain, email: anyEmail() })).rejects.toMatchObject({
      status: 503,
      code: 'unavailable',
      retryAfterSeconds: 5,
    })
    expect(await readiness(service)).toEqual({
      status: 503,
      body: { status: 'down', reason: 'the database takes no writes' },
    })
    // Expected failures are logged without a stack trace.
    expect(service.logLines.slice(earlier).filter((line) => line.includes('"stack"'))).toEqual([])

    await service.query('set default_transaction_read_only = off')
    await service.query(`alter database ${database} reset default_transaction_read_only`)
    await newSessions(service)
    expect(await readiness(service)).toEqual({ status: 200, body: { status: 'up' } })
    await client.users.create({ org_domain, email: anyEmail() })
  })

  /** Ends the database sessions of the service, so that new ones use the current settings. */
  async function newSessions({ query }: Service): Promise<void> {
    await query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and application_name = 'portico'`,
    )
  }
})

longDescribe('a replica', () => {
  test('that cannot be reached has its statements answered by the primary, counted', async () => {
    const service = await startService({
      variables: { DATABASE_READ_URL: `postgres://portico@127.0.0.1:${await closedPort()}/none` },
    })
    const client = await service.client()
    const { domain: org_domain } = await service.given.organization()
    const { email } = await client.users.create({ org_domain, email: anyEmail() })

    expect((await client.users.list({ org_domain })).data.map((user) => user.email)).toEqual([email])
    expect(await metric(service, 'portico_db_replica_fallbacks_total')).toBeGreaterThan(0)
  })

  test('that takes writes itself is none: the primary answers, and changes tell their position', async () => {
    const primary = await startService()
    const service = await startService({
      databaseUrl: primary.databaseUrl,
      variables: { DATABASE_READ_URL: primary.databaseUrl },
    })
    const token = await service.token()
    const ask = (init: RequestInit = {}) =>
      fetch(`${service.baseUrl}/api/v2/organizations`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      })

    const created = await ask({ method: 'POST', body: JSON.stringify({ name: 'Told' }) })
    expect(created.headers.get('portico-position')).toMatch(/^[\w-]{64}$/)
    // The first only begins to measure.
    for (let asked = 0; asked < 3; asked++) {
      const listed = await ask()
      expect([listed.status, listed.headers.get('portico-position')]).toEqual([200, null])
    }
    const samples = samplesIn(await service.deps.metrics.registry.metrics())
    expect(samples.get('portico_db_replica_fallbacks_total{reason="not_replica"}')).toBeGreaterThan(0)
    expect(samples.get('portico_db_replica_reads_total')).toBe(0)
  })
})

/** A loopback port without a listener. */
async function closedPort(): Promise<number> {
  const { freePort } = await import('../given/free-port.js')
  const port = await freePort()
  await new Promise((resolve) => connect(port, '127.0.0.1').once('error', resolve))
  return port
}

longDescribe('a clock', () => {
  test('that was an hour ahead leaves no delivery waiting for an hour', async () => {
    const service = await startService()
    const client = await service.client()
    const { domain: org_domain } = await service.given.organization()
    const receiver = await startReceiver()
    await client.webhooks.create({ name: 'Receiver', target_url: receiver.url, event_codes: ['user.all'] })

    await service.clock.advance(3600)
    // The validity of a token depends on the clock, too.
    const ahead = await service.client()
    await ahead.users.create({ org_domain, email: anyEmail() })
    await service.clock.advance(-3600)

    const background = startBackground(service.deps)
    try {
      await receiver.arrived(1)
    } finally {
      await background.stop()
    }
    expect(receiver.received).toHaveLength(1)
  })
})
