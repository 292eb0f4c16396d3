import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { routes } from '@portico/contract/walk'
import { migrateDatabase } from '@portico/server/migrate'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { portico } from '../cli/portico.js'
import { toolPath } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { freePort } from '../given/free-port.js'
import { startService, type Service } from '../given/harness.js'
import { bodyFor, send } from '../given/request-of.js'
import { createWorldFor, freshMembers } from '../given/world.js'
import { createDatabase15, givenPostgresFolder, postgres15, startPostgres15 } from './debian-postgres.js'
import { asPostgres } from './postgres-programs.js'
import { serviceProcess } from './service-process.js'
import { until } from './until.js'

const pgbouncer = toolPath('pgbouncer')
if (pgbouncer === undefined) process.stderr.write('PgBouncer is not installed here: its tests are skipped.\n')
const role = 'portico_app'

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  readonly sql?: string
}

describe.skipIf(postgres15 === undefined || pgbouncer === undefined)(
  'behind PgBouncer in transaction mode',
  () => {
    let direct: URL
    let pooled: URL
    let masterKeys: string

    beforeAll(async () => {
      const postgres = await startPostgres15()
      await postgres.query(`create role ${role} login`)
      direct = new URL(await createDatabase15(postgres, `owner ${role}`))
      direct.username = role
      await migrateDatabase(direct.href)
      pooled = new URL(direct)
      pooled.port = String(await startPgBouncer(direct))
      masterKeys = (await startService({ databaseUrl: direct.href })).masterKeys
    }, 120_000)

    test.each([
      ['names its statements', {}, /DB_PREPARED=off.*PgBouncer 1\.21/],
      [
        'sets something for its sessions',
        { DB_PREPARED: 'off' },
        /set DATABASE_POOLER=transaction, and DATABASE_DIRECT_URL/,
      ],
      ['asks for named statements', 'pooled', /DB_PREPARED=off.*PgBouncer 1\.21/],
    ] as const)('a process that %s does not start, and says what to set', async (_title, given, sentence) => {
      const variables = given === 'pooled' ? { ...ofPooler(), DB_PREPARED: 'on' } : given
      const started = await serviceProcess({
        DATABASE_URL: pooled.href,
        MASTER_KEYS: masterKeys,
        ...variables,
      })
      await expect(started.start()).rejects.toThrow(sentence)
    })

    test('every operation answers its success, and no setting reaches another client', async () => {
      const service: Service = await startService({ databaseUrl: pooled.href, variables: ofPooler() })
      const token = await service.token()
      for (const route of routes().filter(({ access }) => access.auth === 'api_key')) {
        const references = await createWorldFor(route, service)
        const sample = bodyFor(route, references)
        const body = sample && { ...sample, ...freshMembers(route.name) }
        const answer = await send(route, { baseUrl: service.baseUrl, token, references, body })
        expect([route.name, answer.status, answer.text]).toMatchObject([
          route.name,
          route.successStatus,
          expect.any(String),
        ])
      }
      expect(await settingsOfOthers()).toEqual([])
    }, 180_000)

    test('portico doctor names the settings that connections lack, and its statements give them', async () => {
      const [before] = await poolerFindings()
      expect(before).toMatchObject({
        ok: false,
        detail: expect.stringContaining('statement_timeout is 0') as unknown,
      })

      await run(direct, before?.sql ?? '')
      const admin = new URL(pooled)
      admin.pathname = 'pgbouncer'
      await run(admin, 'RECONNECT')
      await until(async () => (await poolerFindings()).every(({ ok }) => ok))
      expect(await poolerFindings()).toMatchObject([{ ok: true }])
    }, 60_000)

    function ofPooler(): Record<string, string> {
      return { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: direct.href, DATABASE_POOLER: 'transaction' }
    }

    async function poolerFindings(): Promise<Finding[]> {
      const { stdout } = await portico(['doctor', '--before-start', '--json'], {
        ...ofPooler(),
        MASTER_KEYS: masterKeys,
      })
      // The test asserts the form of the output.
      const findings = JSON.parse(stdout) as Finding[]
      return findings.filter(({ check }) => check === 'Pooler')
    }

    /** What foreign clients of the pooler find set on any of its connections, beside what PgBouncer keeps for each client. */
    async function settingsOfOthers(): Promise<string[]> {
      const clients = Array.from({ length: poolSize }, () => new pg.Client({ connectionString: pooled.href }))
      await Promise.all(clients.map((client) => client.connect()))
      try {
        // At once in transactions, so that each has another connection to Postgres.
        await Promise.all(clients.map((client) => client.query('begin')))
        const found = await Promise.all(
          clients.map((client) =>
            client.query<{ name: string }>("select name from pg_settings where source = 'session'"),
          ),
        )
        await Promise.all(clients.map((client) => client.query('commit')))
        const names = found.flatMap(({ rows }) => rows.map(({ name }) => name))
        return [...new Set(names)].filter((name) => !keptByPgBouncer.includes(name.toLowerCase()))
      } finally {
        await Promise.all(clients.map((client) => client.end()))
      }
    }
  },
)

const poolSize = 6
const keptByPgBouncer = [
  'application_name',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
]

async function run(url: URL, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(text)
  await client.end()
}

/** Starts PgBouncer in front of a Postgres. @returns Its port. */
async function startPgBouncer({ hostname, port, username }: URL): Promise<number> {
  const folder = await givenPostgresFolder()
  const own = await freePort()
  const [settings, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')]
  await writeFile(users, `"${username}" ""\n`)
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
admin_users = ${username}
pool_mode = transaction
default_pool_size = ${poolSize}
`,
  )
  await Promise.all([settings, users].map((file) => chmod(file, 0o644)))
  const server = spawn(pgbouncer ?? '', ['-q', settings], { ...asPostgres(), cwd: '/', stdio: 'ignore' })
  atFileEnd(async () => {
    const exit = once(server, 'exit')
    server.kill('SIGINT')
    await exit
  })
  const url = new URL(`postgres://${username}@127.0.0.1:${own}/pgbouncer`)
  await until(() =>
    run(url, 'SHOW VERSION').then(
      () => true,
      () => false,
    ),
  )
  return own
}
