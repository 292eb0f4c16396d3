import { join } from 'node:path'
import { migrateDatabase } from '@portico/server/migrate'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { givenFolder, portico, porticoJson } from '../cli/portico.js'
import { withPostgres } from '../cli/portico-given.js'
import { anyEmail, anything } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { cloneTemplate, emptyDatabase, plainDatabase } from '../given/own-service.js'
import { addToWorkers, cellSchema, prepareCommand } from './test-cell.js'

// `npm run test:citus` has started the cluster.
const workers = inject('citusWorkers')

interface Place {
  readonly host: string
  readonly port: number
}

/** The server that has the tables of a schema, and the other one. */
async function placesOf(url: string, schema = cellSchema): Promise<{ at: string; other: Place }> {
  return withPostgres(url, async (client) => {
    const { rows } = await client.query<{ at: string }>(
      `select distinct nodename || ':' || nodeport as at from pg_dist_shard
       join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
       where logicalrelid = ($1 || '.accounts')::regclass`,
      [schema],
    )
    const at = rows[0]?.at ?? ''
    const [host = '', port = ''] = (workers.find((worker) => worker !== at) ?? '').split(':')
    return { at, other: { host, port: Number(port) } }
  })
}

/** What `portico doctor` finds wrong with the schema and the totals. */
async function faultsOf(variables: Record<string, string>): Promise<unknown[]> {
  const { stdout } = await portico(['doctor', '--json'], variables)
  // The test asserts the form of the output.
  const findings = JSON.parse(stdout) as { check: string; ok: boolean }[]
  expect(findings.length).toBeGreaterThan(5)
  return findings.filter(({ ok, check }) => !ok && ['Schema', 'Counts', 'Missing parents'].includes(check))
}

describe.skipIf(workers.length === 0)('a schema of a Citus cluster', () => {
  let service: Service
  let org_domain = ''
  let variables: Record<string, string> = {}
  beforeAll(async () => {
    service = await startService({ databaseUrl: await cloneTemplate() })
    variables = { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys }
    org_domain = (await service.given.organization()).domain
  }, 120_000)

  async function totalIsExact(): Promise<number> {
    const client = await service.client()
    const { total } = await client.users.list({ org_domain })
    const [row] = await service.query<{ count: number }>(
      `select count(*)::integer as count from users
       join organizations on organizations.account_id = users.account_id and organizations.id = users.organization_id
       where organizations.domain = $1 and users.deleted_at is null`,
      [org_domain],
    )
    expect(total).toBe(row?.count)
    return total
  }

  test('has the tables on a worker, as the migrations make them but for the triggers of totals', async () => {
    expect(workers).toContain((await placesOf(service.databaseUrl)).at)
    expect(await faultsOf(variables)).toEqual([])
    expect(await totalIsExact()).toBe(0)
  })

  test('has totals that follow creations and deletions, also those of several rows', async () => {
    const client = await service.client()
    const { id: user_id } = await service.given.user({ org_domain })
    for (let more = 0; more < 4; more++) await service.given.user({ org_domain })
    await client.users.delete({ org_domain, user_id })
    expect(await totalIsExact()).toBe(4)

    const setDeletedAt = 'update users set deleted_at = $2 where id = any($1::uuid[]) returning id'
    const { data } = await client.users.list({ org_domain })
    const ids = data.map(({ id }) => id)
    expect(await service.query(setDeletedAt, [ids, service.clock.now()])).toHaveLength(4)
    expect(await totalIsExact()).toBe(0)
    await service.query(setDeletedAt, [ids, null])
    expect(await totalIsExact()).toBe(4)
  })

  // Where this fails, Citus has become right: a rule of decision 65 and of test/cluster-statements.ts is superfluous then.
  test('gets no row of an insert whose parameters leave it no table to read', async () => {
    const at = `'2026-01-01'::timestamptz`
    const insert = (selected: string) =>
      service.query(`insert into slugs (slug, inserted_at) select ${selected} returning slug`, [
        anything(),
        service.account.id,
      ])
    const isKnown = '($2::uuid is not null or exists (select 1 from organizations))'
    expect(await insert(`$1::text, ${at} where ${isKnown}`)).toEqual([])
    const found = '(select domain from organizations where account_id = $2::uuid)'
    expect(await insert(`coalesce($1::text, ${found}), ${at}`)).toEqual([])
    const ofAccount = 'from accounts where accounts.id = $2::uuid'
    expect(await insert(`coalesce($1::text, ${found}), ${at} ${ofAccount} and ${isKnown}`)).toHaveLength(1)
  })

  test('is moved to another worker while three callers write, and none of them fails', async () => {
    const client = await service.client()
    const before = await totalIsExact()
    const { at, other } = await placesOf(service.databaseUrl)
    const state = { isOver: false, slowestMs: 0, created: 0 }
    const writers = [1, 2, 3].map(async () => {
      while (!state.isOver) {
        const begun = performance.now()
        await client.users.create({ org_domain, email: anyEmail() })
        state.created += 1
        state.slowestMs = Math.max(state.slowestMs, performance.now() - begun)
      }
    })
    const begun = performance.now()
    try {
      await withPostgres(service.databaseUrl, (admin) =>
        admin.query('select citus_schema_move($1::regnamespace, $2, $3::integer)', [
          cellSchema,
          other.host,
          other.port,
        ]),
      )
    } finally {
      state.isOver = true
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    await Promise.all(writers)
    process.stdout.write(
      `moved in ${seconds} s beside ${state.created} creations, of which the slowest took ${Math.round(state.slowestMs)} ms\n`,
    )
    expect((await placesOf(service.databaseUrl)).at).not.toBe(at)
    expect(state.created).toBeGreaterThan(0)
    expect(await totalIsExact()).toBe(before + state.created)
    expect(await faultsOf(variables)).toEqual([])
  }, 120_000)

  test('gets the months of its log ahead of time, and loses them when they are over', async () => {
    const partitions = async () => {
      const rows = await service.query<{ name: string }>(
        `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
         where inhparent = 'log_events'::regclass`,
      )
      return rows.map(({ name }) => name)
    }
    const months = (names: readonly string[]) => names.filter((name) => /_\d{4}_\d\d$/.test(name))
    const days = 24 * 60 * 60
    await service.clock.advance(31 * days)
    await service.runJobs()
    const before = months(await partitions())
    expect(before.length).toBeGreaterThan(3)
    // A run that does not get its locks leaves them to the next one, a day later.
    const left = async () => (await partitions()).filter((name) => before.includes(name))
    await service.clock.advance(500 * days)
    await service.runJobs()
    for (let day = 0; day < 5 && (await left()).length > 0; day++) {
      await service.clock.advance(days)
      await service.runJobs()
    }
    expect(await left()).toEqual([])
    expect(months(await partitions()).length).toBeGreaterThan(3)
    await service.clock.advance(-540 * days)
    await service.token()
    await totalIsExact()
  })

  test('is backed up, and restored into a single Postgres with every row', async () => {
    const file = join(givenFolder(), 'backup')
    const { rows } = await porticoJson<{ rows: Record<string, number> }>(['backup', file], variables)
    const single = { DATABASE_URL: await emptyDatabase(), MASTER_KEYS: service.masterKeys }
    const restored = await porticoJson<{ rows: Record<string, number> }>(['restore', file], single)
    expect(restored.rows).toEqual(rows)
    expect(rows['users']).toBeGreaterThan(3)
    expect(await faultsOf(single)).toEqual([])
  })

  test('is prepared once: a second run changes nothing, also while the service runs', async () => {
    const state = () =>
      service.query(
        `select (select count(*)::integer from users) as users, (select array_agg(nodename || ':' || nodeport order by nodeid)
           from pg_dist_node) as nodes`,
      )
    const before = await state()
    const { steps } = await porticoJson<{ steps: string[] }>(prepareCommand(workers), variables)
    expect(steps).toEqual([])
    expect(await state()).toEqual(before)
    expect(await faultsOf(variables)).toEqual([])
  })
})

describe.skipIf(workers.length === 0)('a database that becomes a schema of a cluster', () => {
  test('takes its rows along, after a run that has stopped halfway', async () => {
    const DATABASE_URL = await plainDatabase()
    const service = await startService({ databaseUrl: DATABASE_URL })
    const { domain: org_domain } = await service.given.organization()
    for (let user = 0; user < 3; user++) await service.given.user({ org_domain })
    const file = join(givenFolder(), 'backup')
    const settings = { DATABASE_URL, MASTER_KEYS: service.masterKeys }

    const refused = await portico(prepareCommand(workers), settings)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/connected as postgres.*stop/)])

    await porticoJson(['backup', file], settings)
    const copy = { ...settings, DATABASE_URL: await emptyDatabase() }
    // The service's own role is no superuser; who prepares the cluster is one.
    const own = new URL(copy.DATABASE_URL)
    own.username = `service_${anything()}`
    await withPostgres(copy.DATABASE_URL, async (admin) => {
      await admin.query(`create role ${own.username} login`)
      await admin.query(`alter database ${own.pathname.slice(1)} owner to ${own.username}`)
    })
    await porticoJson(['restore', file], { ...copy, DATABASE_URL: own.href })
    await addToWorkers(copy.DATABASE_URL, workers)
    const notAllowed = await portico(prepareCommand(workers), { ...copy, DATABASE_URL: own.href })
    expect([notAllowed.code, notAllowed.stderr]).toEqual([1, expect.stringContaining('superuser')])
    const halfway = await portico(prepareCommand(['127.0.0.1:1']), copy)
    expect(halfway.code).toBe(1)
    expect(halfway.stderr).toContain('The extension citus is there.')
    expect(halfway.stderr).toContain('The coordinator cannot add the worker 127.0.0.1:1')
    const { tables, node } = await porticoJson<{ tables: number; node: string }>(
      prepareCommand(workers),
      copy,
    )
    expect(tables).toBeGreaterThan(60)
    expect(workers).toContain(node)
    expect(await faultsOf({ ...copy, DATABASE_URL: own.href })).toEqual([])
    const prepared = await startService({
      databaseUrl: own.href,
      variables: { MASTER_KEYS: service.masterKeys },
    })
    expect(await prepared.query('select id from users where deleted_at is null')).toHaveLength(3)
    const unnumbered = 'select event_id from unnumbered_events'
    expect(await prepared.query(unnumbered)).toEqual(await service.query(unnumbered))
  }, 120_000)

  test('stands beside another one in its database, and a rebalance gives each a worker', async () => {
    const url = await cloneTemplate()
    const role = `two_${anything()}`
    const second = new URL(url)
    second.username = role
    await withPostgres(url, async (admin) => {
      await admin.query(`create role ${role} login`)
      await admin.query(`create schema cell_2 authorization ${role}`)
      await admin.query(`alter role ${role} in database ${second.pathname.slice(1)} set search_path = cell_2`)
    })
    await migrateDatabase(second.href)
    await porticoJson(['cells', 'prepare', 'cell_2'], { DATABASE_URL: second.href })
    const { at } = await placesOf(url)
    const [host = '', port = ''] = at.split(':')
    await withPostgres(url, async (admin) => {
      if ((await placesOf(url, 'cell_2')).at !== at)
        await admin.query('select citus_schema_move($1::regnamespace, $2, $3::integer)', [
          'cell_2',
          host,
          Number(port),
        ])
      expect((await placesOf(url, 'cell_2')).at).toBe(at)
      await admin.query(`select citus_rebalance_start(rebalance_strategy := 'by_shard_count')`)
      await admin.query('select citus_rebalance_wait()')
    })
    expect((await placesOf(url, 'cell_2')).at).not.toBe((await placesOf(url)).at)
    const service = await startService({ databaseUrl: second.href })
    const { domain: org_domain } = await service.given.organization()
    await service.given.user({ org_domain })
    expect(await service.query('select id from users')).toHaveLength(1)
    await expect(service.query(`select id from ${cellSchema}.users`)).rejects.toThrow('permission denied')
    await withPostgres(url, async (admin) => {
      expect((await admin.query('select id from users')).rows).toHaveLength(0)
    })
  }, 120_000)
})
