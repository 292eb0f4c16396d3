import { migrateDatabase } from '@portico/server/migrate'
import { createClient, type Client, type ClientOptions } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { portico } from '../cli/portico.js'
import { anyEmail, givenOf } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { samplesIn } from '../given/scrape.js'
import {
  createDatabase15,
  postgres15,
  startPostgres15,
  startReplicaOf,
  type DebianPostgres,
} from './debian-postgres.js'
import { serviceProcess, type ServiceProcess } from './service-process.js'
import { until } from './until.js'

const maxLagMs = 1000
const pairs = 300

describe.skipIf(postgres15 === undefined)('two processes with a streaming replica', () => {
  let primary: DebianPostgres
  let replica: DebianPostgres
  /** An in-process service on the same database, to create the account. */
  let service: Service
  /** Changes go to the first, reads to the second. */
  let processes: { readonly changing: ServiceProcess; readonly reading: ServiceProcess }
  let variables: Record<string, string>
  let client: Client
  /** One of the same key that has changed nothing. */
  let others: Client
  let org_domain: string

  beforeAll(async () => {
    primary = await startPostgres15()
    const url = await createDatabase15(primary)
    await migrateDatabase(url)
    replica = await startReplicaOf(primary)
    service = await startService({ databaseUrl: url })
    const readUrl = new URL(replica.url)
    readUrl.pathname = new URL(url).pathname
    variables = {
      DATABASE_URL: url,
      DATABASE_READ_URL: readUrl.href,
      READ_MAX_LAG_MS: String(maxLagMs),
      MASTER_KEYS: service.masterKeys,
      BASE_URL: service.baseUrl,
    }
    processes = { changing: await serviceProcess(variables), reading: await serviceProcess(variables) }
    await Promise.all([processes.changing.start(), processes.reading.start()])
    const credentials = await service.apiKey()
    const settings: ClientOptions = {
      baseUrl: service.baseUrl,
      domain: service.account.domain,
      clientId: credentials.client_id,
      clientSecret: credentials.client_secret,
      fetch: (input, init) => fetch(placeOf(String(input), init?.method), init),
    }
    client = createClient(settings)
    others = createClient(settings)
    org_domain = (await client.organizations.create({ name: 'Copied' })).domain
  }, 120_000)

  function placeOf(url: string, method = 'GET'): string {
    const { baseUrl } = method === 'GET' ? processes.reading : processes.changing
    return url.replace(service.baseUrl, baseUrl)
  }

  /** The newest user of a list. */
  async function newestFor(reader: Client): Promise<string | undefined> {
    return (await reader.users.list({ org_domain })).data[0]?.email
  }

  /** How many statements the replica has answered, and the primary in its place, by reason. */
  async function reads(): Promise<{ byReplica: number; fallbacks: Record<string, number>; all: number }> {
    const samples = samplesIn(await (await fetch(processes.reading.metricsUrl)).text())
    const byReplica = samples.get('portico_db_replica_reads_total') ?? 0
    const fallbacks: Record<string, number> = {}
    for (const [name, count] of samples) {
      const [, reason] = /^portico_db_replica_fallbacks_total\{reason="(\w+)"\}$/.exec(name) ?? []
      if (reason !== undefined) fallbacks[reason] = count
    }
    return {
      byReplica,
      fallbacks,
      all: Object.values(fallbacks).reduce((sum, count) => sum + count, byReplica),
    }
  }

  const fallbacks = async () => (await reads()).fallbacks

  /** The share of the statements of some work that the replica has answered. */
  async function shareOfReplica(work: () => Promise<unknown>): Promise<number> {
    const before = await reads()
    await work()
    const after = await reads()
    return (after.byReplica - before.byReplica) / (after.all - before.all)
  }

  /** Lists come from the replica again: it has caught up, or its rest is over. */
  const takesReads = () =>
    until(async () => (await shareOfReplica(() => newestFor(others))) > 0, { withinMs: 30_000, everyMs: 100 })

  test.each(['on', 'off'])(
    'with synchronous_commit %s: of the lists that follow a creation none misses the record',
    async (mode) => {
      await primary.query(`alter system set synchronous_commit = ${mode}`)
      await primary.query('select pg_reload_conf()')
      let missed = 0
      let missedByOthers = 0
      for (let pair = 0; pair < pairs; pair++) {
        const { email } = await client.users.create({ org_domain, email: anyEmail() })
        const isForOthers = pair % 3 === 0
        if (isForOthers && (await newestFor(others)) !== email) missedByOthers++
        if ((await newestFor(client)) !== email) missed++
      }
      const { fallbacks: first } = await reads()
      await takesReads()
      const share = await shareOfReplica(async () => {
        let isOver = false
        const changing = (async () => {
          while (!isOver) await client.users.create({ org_domain, email: anyEmail() })
        })()
        for (let list = 0; list < 200; list++) await newestFor(others)
        isOver = true
        await changing
      })
      process.stdout.write(
        `synchronous_commit ${mode}: of ${pairs} lists ${missed} missed the record, of ${pairs / 3} without a position ${missedByOthers}; ` +
          `by then ${JSON.stringify(first)}; the replica answers ${Math.round(share * 100)} % of 200 lists of a caller that changes nothing, while another one does\n`,
      )
      expect(missed).toBe(0)
      expect(share).toBeGreaterThan(0.9)
      // Otherwise nothing has been proved: the replica is never so fast there.
      if (mode === 'off') expect(missedByOthers).toBeGreaterThan(0)
    },
    240_000,
  )

  test('while its replay is paused callers see their changes, and others all that is a second old', async () => {
    await takesReads()
    const before = await fallbacks()
    await replica.query('select pg_wal_replay_pause()')
    try {
      const { email } = await client.users.create({ org_domain, email: anyEmail() })
      const createdAt = performance.now()
      expect(await newestFor(client)).toBe(email)
      const late: (string | undefined)[] = []
      let sentAt = createdAt
      while (sentAt - createdAt < 2 * maxLagMs) {
        sentAt = performance.now()
        const seen = await newestFor(others)
        if (sentAt - createdAt > maxLagMs) late.push(seen)
      }
      expect(late.length).toBeGreaterThan(0)
      expect(new Set(late)).toEqual(new Set([email]))
      const { position = 0, lag = 0 } = await fallbacks()
      expect(position).toBeGreaterThan(before['position'] ?? 0)
      expect(lag).toBeGreaterThan(before['lag'] ?? 0)
    } finally {
      await replica.query('select pg_wal_replay_resume()')
    }
    await takesReads()
  }, 60_000)

  test('while its replay is paused everybody sees what gives access as it is: secrets and impersonations', async () => {
    const given = givenOf(client)
    const { domain } = await client.organizations.create({ name: 'Accessed' })
    const { id: application_id, client_id } = await given.application({
      org_domain: domain,
      application_type: 'regular_web',
      client_authentication: 'secret',
      initiate_login_uri: 'https://store.example/sign-in',
    })
    const { id: user_id } = await given.user({ org_domain: domain })
    await takesReads()
    await replica.query('select pg_wal_replay_pause()')
    try {
      const secret = await client.applicationSecrets.create({ org_domain: domain, client_id })
      const secrets = await others.applicationSecrets.list({ org_domain: domain, client_id })
      expect(secrets.data.map(({ id }) => id)).toContain(secret.id)
      const impersonation = await client.impersonations.create({
        ...{ org_domain: domain, user_id, application_id },
        ...{ actor: { id: 'staff-7' }, reason: 'Ticket 4711' },
      })
      const impersonations = await others.impersonations.list({ org_domain: domain, user_id })
      expect(impersonations.data.map(({ id }) => id)).toEqual([impersonation.id])
    } finally {
      await replica.query('select pg_wal_replay_resume()')
    }
    await takesReads()
  }, 60_000)

  test('while it is stopped the primary answers, counted, and it takes lists again afterwards', async () => {
    await takesReads()
    const { unreachable: before = 0 } = await fallbacks()
    await replica.whileStopped(async () => {
      for (let pair = 0; pair < 20; pair++) {
        const { email } = await client.users.create({ org_domain, email: anyEmail() })
        expect(await newestFor(client)).toBe(email)
      }
      const { unreachable = 0 } = await fallbacks()
      expect(unreachable).toBeGreaterThan(before)
    })
    await takesReads()
  }, 90_000)

  test('what is no position sends lists to the primary, which answers them, and those of others stay on the replica', async () => {
    const token = await service.token()
    await takesReads()
    const { position: before = 0 } = await fallbacks()
    for (const forged of [
      'FFFFFFFF/FFFFFFFF',
      'no position',
      "00000000/00000000' or true --",
      'x'.repeat(10_000),
    ]) {
      const answer = await fetch(`${processes.reading.baseUrl}/api/v2/org/${org_domain}/users`, {
        headers: { authorization: `Bearer ${token}`, 'portico-position': forged },
      })
      expect(answer.status).toBe(200)
    }
    expect(await shareOfReplica(() => newestFor(others))).toBe(1)
    const { position = 0 } = await fallbacks()
    expect(position).toBeGreaterThanOrEqual(before + 4)
  }, 60_000)

  test('portico doctor says how much it lacks', async () => {
    expect(await replicaFinding()).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^lacks \d+ byte/) as unknown,
    })
  }, 30_000)

  describe('that is another one', () => {
    /** How a process answers whose DATABASE_READ_URL is this, and what portico doctor says of it. */
    async function readingFrom(readUrl: string) {
      const { email } = await client.users.create({ org_domain, email: anyEmail() })
      const reader = await serviceProcess({ ...variables, DATABASE_READ_URL: readUrl })
      await reader.start()
      const token = await service.token()
      const newest: unknown[] = []
      for (let asked = 0; asked < 5; asked++) {
        const answer = await fetch(`${reader.baseUrl}/api/v2/org/${org_domain}/users`, {
          headers: { authorization: `Bearer ${token}` },
        })
        // The test asserts the form of the answer.
        newest.push(((await answer.json()) as { data: { email: string }[] }).data[0]?.email)
      }
      const samples = samplesIn(await (await fetch(reader.metricsUrl)).text())
      await reader.terminate()
      return {
        isRight: newest.every((each) => each === email),
        byReplica: samples.get('portico_db_replica_reads_total'),
        finding: await replicaFinding({ DATABASE_READ_URL: readUrl }),
      }
    }

    test('another database of the replica answers nothing, and portico doctor says so', async () => {
      const copy = await createDatabase15(primary)
      await migrateDatabase(copy)
      const readUrl = new URL(replica.url)
      readUrl.pathname = new URL(copy).pathname
      await takesReads()

      expect(await readingFrom(readUrl.href)).toMatchObject({
        isRight: true,
        byReplica: 0,
        finding: { ok: false, detail: expect.stringContaining('another database of the replica') as unknown },
      })
    }, 90_000)

    test('a replica of another server with a longer log answers nothing, and portico doctor says so', async () => {
      const other = await startPostgres15()
      const url = await createDatabase15(other)
      await migrateDatabase(url)
      for (let turn = 0; turn < 10; turn++) await other.query('select pg_switch_wal()')
      const replicaOfOther = await startReplicaOf(other)
      const readUrl = new URL(replicaOfOther.url)
      readUrl.pathname = new URL(url).pathname

      expect(await readingFrom(readUrl.href)).toMatchObject({
        isRight: true,
        byReplica: 0,
        finding: { ok: false, detail: expect.stringContaining('a replica of another server') as unknown },
      })
    }, 120_000)
  })

  test('a replica that was promoted is asked no more, and portico doctor says so', async () => {
    await takesReads()
    await replica.query('select pg_promote()')
    const { email } = await client.users.create({ org_domain, email: anyEmail() })
    expect(await newestFor(client)).toBe(email)
    const { not_replica = 0 } = await fallbacks()
    expect(not_replica).toBeGreaterThan(0)
    expect(await replicaFinding()).toMatchObject({
      ok: false,
      detail: expect.stringContaining('takes writes') as unknown,
    })
  }, 60_000)

  async function replicaFinding(others: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const settings = { ...variables, ...others }
    const { stdout } = await portico(['doctor', '--before-start', '--json'], settings)
    // The test asserts the form of the output.
    const findings = JSON.parse(stdout) as { check: string }[]
    return findings.find(({ check }) => check === 'Replica')
  }
})
