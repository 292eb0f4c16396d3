import { sql, type Kysely } from 'kysely'
import type pg from 'pg'
import { open, SealError, type MasterKeys } from '../../platform/crypto/seal.js'
import { copyIn } from '../../platform/db/copy.js'
import { canaryContext } from '../../platform/db/master-key-canary.js'
import { appliedMigrations, migrateDatabase } from '../../platform/db/migrate.js'
import { migrations } from '../../platform/db/migrations.js'
import { withClient } from '../../platform/db/one-client.js'
import { listTables, type Table } from '../../platform/db/tables.js'
import { addLogEventMonths } from '../../delivery/log-events/months.js'
import { toColumns } from './backup.js'
import { checkBackup, damaged, readBackup, TableHead, Trailer, type Header } from './backup-file.js'

interface RestoreSummary {
  readonly rows: Readonly<Record<string, number>>
  readonly masterKeyVersions: readonly string[]
  /** Migrations that the backup lacked and the restored database has. */
  readonly migrated: readonly string[]
}

/**
 * Reads a backup into an empty database, all of it or nothing. The migrations are those of the backup first, and the
 * ones it lacks follow.
 *
 * @param masterKeys Undefined when none are configured yet; otherwise they must open the backup's values.
 * @throws Error a sentence when the file is damaged, the database is not empty or of another release, or the master
 *   keys are others.
 */
export async function restoreBackup(
  url: string,
  path: string,
  options: { masterKeys: MasterKeys | undefined; onProgress: (rows: number, total: number) => void },
): Promise<RestoreSummary> {
  const { header, trailer } = await checkBackup(path, () => undefined)
  const isMember = (name: string) => Object.hasOwn(migrations, name)
  if (!header.migrations.every(isMember))
    throw new Error(`${path} was made by a later release: install that one to restore it.`)

  return withClient(url, async (client, db) => {
    await bringTo(url, db, header)
    const tables = await listTables(db)
    await client.query('begin')
    try {
      await checkEmpty(url, db, tables)
      await copyTables({ client, db, tables, path, trailer, onProgress: options.onProgress })
      for (const { name, last_value, is_called } of trailer.sequences)
        await client.query('select setval($1::regclass, $2::bigint, $3)', [name, last_value, is_called])
      if (options.masterKeys !== undefined) await checkCanary(db, options.masterKeys)
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
    await client.query('analyze')
    const migrated = await migrateDatabase(url)
    return { rows: trailer.rows, masterKeyVersions: header.master_key_versions, migrated }
  })
}

/** Gives an empty database the tables of the backup. */
async function bringTo(url: string, db: Kysely<unknown>, header: Header): Promise<void> {
  const applied = await appliedMigrations(db)
  const last = header.migrations.at(-1)
  if (last === undefined || applied.some((name) => !header.migrations.includes(name)))
    throw new Error(
      `The database ${nameOf(url)} has migrations that the backup lacks: ${nameAnother}, which gets its tables from the restore.`,
    )
  if (applied.length < header.migrations.length) await migrateDatabase(url, { through: last })
}

/** Only the canary may be there: it is made when the database is first opened, and the backup's replaces it. */
async function checkEmpty(url: string, db: Kysely<unknown>, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(db)
    if (name === 'master_key_canary') {
      await sql`delete from ${sql.table(name)}`.execute(db)
      continue
    }
    const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(db)
    if (rows.length > 0)
      throw new Error(
        `The database ${nameOf(url)} holds data already (${name}): ${nameAnother}, or another DATA_DIR.`,
      )
  }
}

const nameAnother = 'name an empty one in DATABASE_URL, and in DATABASE_DIRECT_URL where that is set'

/** The name of a database and where it is, without the credentials of its address. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url)
  const name = decodeURIComponent(pathname.slice(1))
  return host === '' ? name : `${name} at ${host}`
}

interface CopyJob {
  readonly client: pg.Client
  /** On the same connection. */
  readonly db: Kysely<unknown>
  readonly tables: readonly Table[]
  readonly path: string
  readonly trailer: Trailer
  readonly onProgress: (rows: number, total: number) => void
}

async function copyTables({ client, db, tables, path, trailer, onProgress }: CopyJob): Promise<void> {
  const reader = readBackup(path)
  const total = Object.values(trailer.rows).reduce((sum, count) => sum + count, 0)
  let done = 0
  await reader.readLine()
  for (;;) {
    const line = await reader.readLine()
    if (Trailer.safeParse(line).success) return
    const { table, columns, months = [] } = TableHead.parse(line)
    const known = tables.find(({ name }) => name === table)
    if (known === undefined || columns.some((column) => !known.columns.includes(column))) throw damaged(path)
    await addLogEventMonths(db, months)
    // The counting triggers would count again what record_counts has; those of foreign keys stay.
    await client.query(`alter table "${table}" disable trigger user`)
    await copyIn(
      client,
      `copy ${toColumns(table, columns)} from stdin`,
      counted(reader.rows(), (lines) => onProgress((done += lines), total)),
    )
    await client.query(`alter table "${table}" enable trigger user`)
  }
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  onLines: (lines: number) => void,
): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    onLines(chunk.reduce((sum, byte) => (byte === 10 ? sum + 1 : sum), 0))
    yield chunk
  }
}

async function checkCanary(db: Kysely<unknown>, masterKeys: MasterKeys): Promise<void> {
  const { rows } = await sql<{ sealed: Buffer }>`select sealed from master_key_canary`.execute(db)
  for (const { sealed } of rows) {
    try {
      open(masterKeys, canaryContext, sealed)
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      throw new Error(
        'The master keys here are not those that the backup was sealed with: set the MASTER_KEYS of the service it was ' +
          'made on (on the embedded default: copy its file master-keys into DATA_DIR). Nothing was restored.',
        { cause: error },
      )
    }
  }
}
