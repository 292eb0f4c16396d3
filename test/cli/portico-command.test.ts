import { randomBytes } from 'node:crypto'
import { copyFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { longDescribe } from '../sampled.js'
import { startService } from '../given/harness.js'
import { givenFolder, portico, porticoJson } from './portico.js'
import { given, masterKeys, tokenOf, withPostgres, type Key, type Variables } from './portico-given.js'

/** A migrated database with the account acme, 12 organizations and 1,000 users, which tests copy. */
const template = `cli_template_${randomBytes(6).toString('hex')}`

beforeAll(async () => {
  const variables = await given.database({ name: template })
  await porticoJson(['migrate'], variables)
  await porticoJson(['account', 'create', 'acme'], variables)
  await porticoJson(['sample-data', '--organizations', '12', '--users', '1000', '--skew'], variables)
}, 60_000)

/** A service in this process on a database, with the master keys of these variables. */
function serviceOn({ DATABASE_URL: databaseUrl = '', MASTER_KEYS = '' }: Variables) {
  return startService({ databaseUrl, variables: { MASTER_KEYS } })
}

/** A copy of the template. */
function givenFilledDatabase() {
  return given.database({ template })
}

function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  return withPostgres(url, async (client) => (await client.query<Row>(text)).rows)
}

/** The number of rows of each table, and a digest of their content. */
async function contentOf(url: string): Promise<Record<string, string>> {
  return withPostgres(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = current_schema() and table_name not like 'kysely%' order by 1`,
    )
    const content: Record<string, string> = {}
    for (const { name } of tables) {
      const { rows } = await client.query<{ content: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' order by t::text)), '') as content from ${name} t`,
      )
      content[name] = rows[0]?.content ?? ''
    }
    return content
  })
}

longDescribe('portico api-key', () => {
  test('creates, rotates and revokes a key, shows each secret once, and tells it as an event', async () => {
    const variables = await givenFilledDatabase()
    const service = await given.service(variables)
    const statusOf = async (key: Key) => (await tokenOf(service.baseUrl, 'acme', key)).status

    const options = [
      '--account',
      'acme',
      '--environment',
      'sandbox',
      '--scopes',
      'read:users',
      '--expires',
      '90d',
    ]
    const { client_id, client_secret: first } = await porticoJson<Key>(
      ['api-key', 'create', ...options],
      variables,
    )
    expect(await statusOf({ client_id, client_secret: first })).toBe(200)

    const { client_secret: second } = await porticoJson<Key>(['api-key', 'rotate', client_id], variables)
    expect(await statusOf({ client_id, client_secret: first })).toBe(200)
    expect(await statusOf({ client_id, client_secret: second })).toBe(200)

    const { client_secret: third } = await porticoJson<Key>(
      ['api-key', 'rotate', client_id, '--overlap', '0s'],
      variables,
    )
    expect(await statusOf({ client_id, client_secret: second })).toBe(401)

    const { access_token } = (await (
      await tokenOf(service.baseUrl, 'acme', { client_id, client_secret: third })
    ).json()) as { access_token: string }
    await fetch(`${service.baseUrl}/api/v2/organizations`, {
      headers: { authorization: `Bearer ${access_token}` },
    })

    await porticoJson(['api-key', 'revoke', client_id], variables)
    expect(await statusOf({ client_id, client_secret: third })).toBe(401)

    const events = await query<{ code: string; actor_type: string; all: string }>(
      variables.DATABASE_URL,
      `select code, actor_type, e::text as all from events e where code like 'api_key.%' order by issued_at`,
    )
    expect(events.map((event) => [event.code, event.actor_type])).toEqual([
      ['api_key.api_key.create.success', 'operator'],
      ['api_key.api_key.rotate.success', 'operator'],
      ['api_key.api_key.rotate.success', 'operator'],
      ['api_key.api_key.revoke.success', 'operator'],
    ])
    await service.stop()
    const listed = await porticoJson<{ id: string; last_used_at: string | null }[]>(
      ['api-key', 'list'],
      variables,
    )
    expect(listed).toEqual([expect.objectContaining({ id: client_id, last_used_at: expect.any(String) })])
    for (const secret of [first, second, third]) {
      expect(JSON.stringify(listed)).not.toContain(secret)
      expect(events.map((event) => event.all).join()).not.toContain(secret)
    }
  })
})

longDescribe('portico backup and restore', () => {
  test('bring back every table as it was, into another database', async () => {
    const variables = await givenFilledDatabase()
    // The first jobs create partitions and the like.
    await serviceOn(variables)
    await withPostgres(variables.DATABASE_URL, async (client) => {
      const [{ id }] = (await client.query<{ id: string }>('select id from accounts')).rows as [
        { id: string },
      ]
      const odd = 'tab\there, line\nthere, \\. alone, \\N, "quotes", 日本語, 🗝️, \u0001 and \u2028'
      await client.query(
        `insert into jobs (name, payload, run_at, inserted_at, last_error)
         values ('odd', $1, 'infinity', '2026-01-02T03:04:05.678Z', $2), ('empty', 'null', '-infinity', 'epoch', '')`,
        [JSON.stringify({ text: odd.replaceAll('\u0001', ''), number: 1e300, list: [null, {}] }), odd],
      )
      await client.query(
        `insert into events (account_id, environment, id, domain, code, data, params, actor_type, actor_id, request_id, issued_at)
         values ($1, 'sandbox', gen_random_uuid(), 'acme', 'x', '{"a":1.10}', '[]', 'system', 'x', 'x', '2026-01-02T03:04:05.123456Z')`,
        [id],
      )
      await client.query(
        `insert into api_keys (account_id, environment, id, name, secret_hash, scopes, organization_ids, inserted_at)
         values ($1, 'sandbox', gen_random_uuid(), 'n', '\\x00ff0a5c2e', '{"a,b","",NULL,"\\\\."}', '{}', 'epoch')`,
        [id],
      )
      // In months with partitions, and before and after these; a backup contains the list of partitions.
      await client.query(
        `insert into log_events (account_id, domain, event_code, request_id, inserted_at)
         select $1, 'acme', 'x', 'x', now() + months * interval '1 month' from generate_series(-30, 30) months`,
        [id],
      )
    })
    const file = join(givenFolder(), 'backup')
    const other = await given.database()

    const written = await porticoJson<{ rows: Record<string, number> }>(['backup', file], variables)
    const restored = await porticoJson<{ rows: Record<string, number> }>(['restore', file], other)

    expect(restored.rows).toEqual(written.rows)
    expect(await contentOf(other.DATABASE_URL)).toEqual(await contentOf(variables.DATABASE_URL))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const [next] = await query<{ id: string }>(
      other.DATABASE_URL,
      `insert into jobs (name, payload, run_at, inserted_at) values ('next', '{}', 'epoch', 'epoch') returning id`,
    )
    const [{ greatest }] = (await query<{ greatest: string }>(
      variables.DATABASE_URL,
      'select max(id) as greatest from jobs',
    )) as [{ greatest: string }]
    expect(Number(next?.id)).toBeGreaterThan(Number(greatest))
  })

  test('leave out the counters of attempts, also where their table is logged', async () => {
    const variables = await givenFilledDatabase()
    await query(variables.DATABASE_URL, 'alter table rate_limits set logged')
    await query(variables.DATABASE_URL, `insert into rate_limits (key, points) values ('attempts', 1)`)
    const file = join(givenFolder(), 'backup')
    const other = await given.database()

    const written = await porticoJson<{ rows: Record<string, number> }>(['backup', file], variables)
    const restored = await porticoJson<{ rows: Record<string, number> }>(['restore', file], other)

    expect(written.rows).not.toHaveProperty('rate_limits')
    expect(restored.rows).toEqual(written.rows)
    expect(await query(other.DATABASE_URL, 'select key from rate_limits')).toEqual([])
  })

  test('refuse a damaged file, a database with data, and other master keys; each leaves the database as it was', async () => {
    const variables = await givenFilledDatabase()
    const before = await contentOf(variables.DATABASE_URL)
    const file = join(givenFolder(), 'backup')
    await porticoJson(['backup', file], variables)
    const damaged = join(givenFolder(), 'damaged')
    copyFileSync(file, damaged)
    truncateSync(damaged, statSync(file).size - 20)
    const empty = await given.database()

    expect((await portico(['restore', damaged], empty)).stderr).toMatch(
      /damaged.* is damaged or incomplete: /,
    )
    const { host, pathname } = new URL(variables.DATABASE_URL)
    expect((await portico(['restore', file], variables)).stderr).toContain(
      `The database ${pathname.slice(1)} at ${host} holds data already`,
    )
    const otherKeys = { ...empty, MASTER_KEYS: `v1:${randomBytes(32).toString('base64')}` }
    expect((await portico(['restore', file], otherKeys)).stderr).toContain('MASTER_KEYS')
    expect((await portico(['backup', file], variables)).stderr).toContain('exists already')
    expect(await contentOf(variables.DATABASE_URL)).toEqual(before)
    expect(await porticoJson(['restore', file], empty)).toMatchObject({ migrated: [] })
  })
})

longDescribe('portico keys', () => {
  test('rewrap seals everything under the new master key, after which the old one is not needed', async () => {
    const variables = await givenFilledDatabase()
    const next = `v2:${randomBytes(32).toString('base64')}`
    const both = { ...variables, MASTER_KEYS: `${next},${masterKeys}` }

    const { resealed, sealed } = await porticoJson<{
      resealed: number
      sealed: { version: string; count: number }[]
    }>(['keys', 'rewrap'], both)
    const again = await porticoJson<{ resealed: number }>(['keys', 'rewrap'], both)

    // One canary, eight keys of the account and four of each organization.
    expect(resealed).toBe(57)
    expect(new Set(sealed.map(({ version }) => version))).toEqual(new Set(['v2']))
    expect(again.resealed).toBe(0)
    const alone = { ...variables, MASTER_KEYS: next }
    const service = await serviceOn(alone)
    const { client_id, client_secret } = await porticoJson<Key>(
      ['api-key', 'create', '--account', 'acme', '--environment', 'sandbox'],
      alone,
    )
    expect((await tokenOf(service.baseUrl, 'acme', { client_id, client_secret })).status).toBe(200)
    expect((await portico(['account', 'list'], variables)).stderr).toContain('MASTER_KEYS')
  })

  test('rotate has the next key sign once verifiers have had the time to fetch it, or at once where asked', async () => {
    const variables = await givenFilledDatabase()
    const [{ domain } = { domain: '' }] = await query<{ domain: string }>(
      variables.DATABASE_URL,
      'select domain from organizations limit 1',
    )
    const whose = ['--organization', domain, '--environment', 'sandbox']
    const states = async (...options: string[]) => {
      const { signing_keys } = await porticoJson<{ signing_keys: { state: string }[] }>(
        ['keys', 'rotate', ...options],
        variables,
      )
      return signing_keys.map(({ state }) => state).toSorted()
    }

    // The keys of sample data are as old as its records.
    expect(await states(...whose)).toEqual(['active', 'next', 'retired'])
    for (const [option, remedy] of [
      [[], /from \d{4}-\S+Z on, or see --now or --force/],
      [['--now'], /from \d{4}-\S+Z on, or see --force/],
    ] as const) {
      const refused = await portico(['keys', 'rotate', ...whose, ...option], variables)
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(remedy)])
    }
    expect(await states(...whose, '--force')).toEqual(['active', 'next', 'retired', 'retired'])
    expect(await states(...whose, '--revoke')).toEqual([
      'active',
      'next',
      ...Array<string>(3).fill('revoked'),
    ])
    expect(await states(...whose, '--revoke-all')).toEqual([
      'active',
      'next',
      ...Array<string>(5).fill('revoked'),
    ])
    // No verifier elsewhere has to fetch a key of API tokens: the service verifies them itself.
    const ofAccount = ['--account', 'acme', '--environment', 'sandbox']
    expect(await states(...ofAccount)).toEqual(['active', 'next', 'retired'])
    const early = await portico(['keys', 'rotate', ...ofAccount, '--issuer'], variables)
    expect([early.code, early.stderr]).toEqual([1, expect.stringMatching(/see --now or --force/)])
    expect(await states(...ofAccount, '--issuer', '--force')).toEqual(['active', 'next', 'retired'])
    expect((await portico(['keys', 'rotate', ...whose, '--issuer'], variables)).stderr).toContain('--account')
    expect(await states(...ofAccount, '--issuer', '--algorithm', 'es256', '--force')).toEqual([
      'active',
      'next',
      'retired',
      'retired',
    ])
    const unused = await portico(['keys', 'rotate', ...ofAccount, '--algorithm', 'RS256'], variables)
    expect([unused.code, unused.stderr]).toEqual([1, expect.stringContaining('There are no keys of RS256')])
  })
})

describe('portico sample-data', () => {
  test('gives one organization 30 % of the users and one 10 %, and counts them exactly', async () => {
    const variables = await givenFilledDatabase()

    const rows = await query<{ users: string; counted: string }>(
      variables.DATABASE_URL,
      `select count(*) as users, (
         select sum(delta) from record_counts c where kind = 'users' and c.organization_id = users.organization_id
       ) as counted from users group by organization_id order by 1 desc`,
    )

    expect(rows.map(({ users }) => Number(users))).toEqual([300, 100, ...Array<number>(10).fill(60)])
    for (const { users, counted } of rows) expect(counted).toBe(users)
  })
})

longDescribe('portico purge', () => {
  test('erases what was deleted long ago with everything under it, and nothing else', async () => {
    const variables = await givenFilledDatabase()
    const url = variables.DATABASE_URL
    await query(
      url,
      `update users set deleted_at = '2026-01-01' where email like '%.1@%' or email like '%.2@%'`,
    )
    await query(
      url,
      `update organizations set deleted_at = '2026-01-01'
       where id = (select organization_id from users group by 1 order by count(*), 1 limit 1)`,
    )
    const slugs = await query(url, 'select slug from slugs order by 1')

    const nothing = await porticoJson<object>(['purge', '--older-than-days', '100000'], variables)
    const erased = await porticoJson<object>(['purge'], variables)

    expect(nothing).toMatchObject({ users: 0, organizations: 0 })
    expect(erased).toMatchObject({ users: 24, organizations: 1 })
    expect(await query(url, 'select slug from slugs order by 1')).toEqual(slugs)
    const [left] = await query<Record<string, string>>(
      url,
      `select (select count(*) from organizations) as organizations, (select count(*) from users) as users,
         (select sum(delta) from record_counts where kind = 'users') as counted`,
    )
    expect(left).toEqual({ organizations: '11', users: '918', counted: '918' })
  })
})

longDescribe('portico doctor', () => {
  test('finds nothing wrong with a fresh database', async () => {
    const variables = await givenFilledDatabase()

    const { code, stdout } = await portico(['doctor'], variables)

    expect(stdout).not.toContain('✗')
    expect(code).toBe(0)
  })

  test('says what to do about each fault, and exits with 1', async () => {
    const variables = await givenFilledDatabase()
    await query(
      variables.DATABASE_URL,
      `insert into meta_keys select account_id, id, gen_random_uuid(), 'staff', 'string', true, 'epoch'
       from organizations where domain = 'bright-river-logistics'`,
    )
    await query(
      variables.DATABASE_URL,
      `insert into jobs (name, payload, run_at, inserted_at) values ('x', '{}', 'infinity', 'epoch'), ('y', '{}', 'epoch', 'epoch')`,
    )

    const { code, stdout } = await portico(['doctor'], { ...variables, SMTP_URL: 'smtp://127.0.0.1:1' })

    const faults = stdout.split('\n').filter((line) => line.startsWith('✗'))
    expect(code).toBe(1)
    expect(faults.map((line) => line.split(':')[0])).toEqual(['✗ Mail', '✗ Jobs', '✗ Jobs', '✗ Metadata'])
    expect(faults.join()).toContain('300 users')
    expect(stdout).toContain(
      "\n  update jobs set run_at = inserted_at, attempt = 0 where run_at = 'infinity';\n",
    )
  })
})
