import { readConfig } from '@portico/server/config'
import { startService } from '@portico/server/processes'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { freePort } from '../given/free-port.js'
import { samplesIn } from '../given/scrape.js'
import { longTest } from '../sampled.js'
import { givenFolder, portico, porticoJson } from './portico.js'
import { given, tokenOf, withPostgres, type Variables } from './portico-given.js'

/** A database that lacks one migration, which creates a table and builds an index of another. */
async function withoutFigures(): Promise<Variables & { readonly DATABASE_URL: string }> {
  const variables = await given.database({ template: inject('templateName') })
  await withPostgres(variables.DATABASE_URL, (client) =>
    client.query(`
      drop table log_event_counts;
      delete from kysely_migration where name = '0047-figures'`),
  )
  return variables
}

function isMigrated(url: string): Promise<boolean> {
  return withPostgres(url, async (client) => {
    const { rows } = await client.query<{ table: string | null; rows: string }>(
      `select to_regclass('log_event_counts')::text as "table",
        (select count(*) from kysely_migration where name = '0047-figures')::text as rows`,
    )
    expect(rows[0]?.rows).toBe(rows[0]?.table === null ? '0' : '1')
    return rows[0]?.table !== null
  })
}

describe('a migration behind a lock', () => {
  test('gives up in time, names the session that has it, and applies nothing of it', async () => {
    const variables = await withoutFigures()
    const holder = new pg.Client({
      connectionString: variables.DATABASE_URL,
      application_name: 'yearly report',
    })
    await holder.connect()
    onTestFinished(() => holder.end())
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = rows[0]?.pid
    await holder.query('begin; update accounts set domain = domain')

    const refused = await portico(['migrate', '--wait', '0s'], variables)

    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      new RegExp(
        `^portico: Migration 0047-figures waits for the lock of accounts, which session ${pid} ` +
          `\\(yearly report, idle in transaction, in a transaction since 20\\d\\d-\\S+Z\\) has\\. Nothing of it was applied`,
      ),
    )
    expect(refused.stderr).toContain(`select pg_terminate_backend(${pid});`)
    expect(await isMigrated(variables.DATABASE_URL)).toBe(false)

    await holder.query('rollback')
    expect(await portico(['migrate'], variables)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Applied 0047-figures.\n'),
    })
    expect(await isMigrated(variables.DATABASE_URL)).toBe(true)
  })

  longTest('is begun again until the lock is free', async () => {
    const variables = await withoutFigures()
    const holder = new pg.Client({ connectionString: variables.DATABASE_URL })
    await holder.connect()
    await holder.query('begin; update accounts set domain = domain')

    const migrating = portico(['migrate'], variables)
    await withPostgres(variables.DATABASE_URL, async (client) => {
      const isWaiting = async () =>
        (await client.query(`select from pg_locks where not granted and relation = 'accounts'::regclass`))
          .rows.length > 0
      // Waits, gives up, and waits again.
      for (const expected of [true, false, true])
        await expect.poll(isWaiting, { interval: 20, timeout: 20_000 }).toBe(expected)
    })
    await holder.end()

    expect(await migrating).toMatchObject({ code: 0 })
    expect(await isMigrated(variables.DATABASE_URL)).toBe(true)
  })
})

test('in a database with accounts, a new table is analyzed without a lock of the tables that it refers to', async () => {
  const variables = await given.database({ template: inject('templateName') })
  await porticoJson(['account', 'create', 'acme'], variables)
  await withPostgres(variables.DATABASE_URL, (client) =>
    withPostgres(variables.DATABASE_URL, async (holder) => {
      await client.query('create table fresh (account_id uuid not null references accounts)')
      await holder.query('begin; update accounts set domain = domain')

      expect(await portico(['migrate', '--wait', '0s'], variables)).toMatchObject({ code: 0, stderr: '' })

      const { rows } = await client.query(
        `select attoptions, pg_stat_force_next_flush()::text as flushed, analyze_count::integer
         from pg_attribute join pg_stat_user_tables on relid = attrelid
         where attrelid = 'fresh'::regclass and attname = 'account_id'`,
      )
      expect(rows).toMatchObject([{ attoptions: ['n_distinct=1'], analyze_count: 1 }])
    }),
  )
})

test('an index whose build was interrupted is built anew, and one that is whole is kept', async () => {
  const variables = await withoutFigures()
  const indexOf = (client: pg.Client) =>
    client.query<{ oid: string; indisvalid: boolean }>(
      `select indexrelid::text as oid, indisvalid from pg_index
       where indexrelid = 'webhook_deliveries_undelivered'::regclass`,
    )
  await withPostgres(variables.DATABASE_URL, async (client) => {
    await withPostgres(variables.DATABASE_URL, async (reader) => {
      await reader.query('begin isolation level repeatable read; select from accounts')
      await client.query("drop index webhook_deliveries_undelivered; set lock_timeout = '10ms'")
      const build =
        'create index concurrently webhook_deliveries_undelivered on webhook_deliveries (account_id)'
      await expect(client.query(build)).rejects.toThrow('lock timeout')
    })
    const left = (await indexOf(client)).rows[0]
    expect(left?.indisvalid).toBe(false)

    expect(await portico(['migrate'], variables)).toMatchObject({ code: 0 })
    const built = (await indexOf(client)).rows[0]
    expect([built?.indisvalid, built?.oid === left?.oid]).toEqual([true, false])

    await client.query(
      `drop table log_event_counts; delete from kysely_migration where name = '0047-figures'`,
    )
    expect(await portico(['migrate'], variables)).toMatchObject({ code: 0 })
    expect((await indexOf(client)).rows).toEqual([built])
  })
})

test('a plan says of each table which lock is taken, whom that stops, and whether all rows are read', async () => {
  const variables = await given.database({ template: inject('templateName') })
  await withPostgres(variables.DATABASE_URL, (client) =>
    client.query(`
      drop table log_event_counts;
      delete from kysely_migration where name in ('0042-filtered-lists', '0047-figures')`),
  )

  const { pending } = await porticoJson<{ pending: { locks: object[] }[] }>(['migrate', '--plan'], variables)

  const build = { during: 'index build', lock: 'SHARE UPDATE EXCLUSIVE', stops: 'nobody', work: 'scans' }
  expect(pending).toMatchObject([
    {
      name: '0042-filtered-lists',
      onlyAdds: false,
      locks: [
        { ...build, table: 'users' },
        { ...build, table: 'applications' },
        { ...build, table: 'applications' },
        {
          table: 'users',
          during: 'migration',
          lock: 'ACCESS EXCLUSIVE',
          stops: 'reads and writes',
          work: 'none',
        },
      ],
    },
    { name: '0047-figures', onlyAdds: true },
  ])
  expect(pending[1]?.locks).toContainEqual({
    table: 'accounts',
    during: 'migration',
    lock: 'SHARE ROW EXCLUSIVE',
    stops: 'writes',
    work: 'none',
    estimatedRows: expect.any(Number),
  })
  const { stdout } = await portico(['migrate', '--plan'], variables)
  expect(stdout).toMatch(/^ {2}users +\S.* migration +ACCESS EXCLUSIVE +reads and writes +no$/m)
  expect(await isMigrated(variables.DATABASE_URL)).toBe(false)
})

test('on the database of a newer version says so, and changes nothing', async () => {
  const variables = await given.database({ template: inject('templateName') })
  await withPostgres(variables.DATABASE_URL, (client) =>
    client.query(`insert into kysely_migration (name, timestamp) values ('9999-newer', '2999-01-01')`),
  )

  expect(await portico(['migrate'], variables)).toEqual({
    code: 0,
    stdout: 'The database has every migration, and 1 of a newer version.\n',
    stderr: '',
  })
})

describe('a process that is started before the migrations', () => {
  async function started(variables: Variables) {
    const port = await freePort()
    const config = readConfig({ ...variables, PORT: String(port), METRICS_PORT: '0', LOG_LEVEL: 'silent' })
    const service = await startService(config, { worker: true })
    onTestFinished(() => service.close())
    const ready = async () => {
      const { status, body } = await ask('/readyz')
      return [status, (body as { reason?: string }).reason]
    }
    const ask = async (path: string) => {
      const answer = await fetch(service.address + path)
      return { status: answer.status, body: (await answer.json()) as unknown }
    }
    const metric = async (name: string) => {
      const text = await (await fetch(`${service.metricsAddress}/metrics`)).text()
      const samples = [...samplesIn(text)].filter(([sample]) => sample.startsWith(name))
      return samples.reduce((sum, [, value]) => sum + value, 0)
    }
    return { address: service.address, ready, metric }
  }

  test('takes part once they are there, with its worker, and asks for them rarely', async () => {
    const variables = await withoutFigures()
    const { address, ready, metric } = await started(variables)
    const nobody = { client_id: 'nobody', client_secret: 'none' }
    const before = await metric('portico_db_round_trips_total')
    for (let probe = 0; probe < 30; probe++)
      expect(await ready()).toEqual([503, '1 pending migrations: run portico migrate'])
    expect((await metric('portico_db_round_trips_total')) - before).toBeLessThan(30)
    expect((await tokenOf(address, 'acme', nobody)).status).toBe(503)
    expect(await metric('portico_loop_last_look_timestamp_seconds')).toBe(0)

    expect(await portico(['migrate'], variables)).toMatchObject({ code: 0 })

    await expect.poll(ready, { interval: 50, timeout: 10_000 }).toEqual([200, undefined])
    expect((await tokenOf(address, 'acme', nobody)).status).toBe(401)
    const lookedAt = () => metric('portico_loop_last_look_timestamp_seconds')
    await expect.poll(lookedAt, { interval: 50, timeout: 10_000 }).toBeGreaterThan(0)
  })

  longTest('takes no part with other master keys than those of the database', async () => {
    const variables = await withoutFigures()
    const others = { ...variables, MASTER_KEYS: `v1:${Buffer.alloc(32, 7).toString('base64')}` }
    const { ready } = await started(others)
    await portico(['migrate'], variables)
    expect(await portico(['account', 'list'], variables)).toMatchObject({ code: 0 })

    await expect
      .poll(ready, { interval: 50, timeout: 10_000 })
      .toEqual([503, 'the process cannot begin: see its log'])
  })
})

longTest('says where it makes a database', async () => {
  const folder = givenFolder()
  const { code, stdout } = await portico(['migrate'], { DATA_DIR: folder })
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(`^Made a database in ${folder}, because DATABASE_URL is not set.\n`),
  ])
})
