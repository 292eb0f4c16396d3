import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { sql, type QueryExecutorProvider } from 'kysely'
import { copyOut } from '../../platform/db/copy.js'
import { appliedMigrations } from '../../platform/db/migrate.js'
import { withClient } from '../../platform/db/one-client.js'
import { listTables } from '../../platform/db/tables.js'
import { listLogEventMonths } from '../../delivery/log-events/months.js'
import { countSealed } from '../master-keys/rewrap.js'
import { endOfTable, type Header, type TableHead, type Trailer } from './backup-file.js'

interface BackupSummary {
  readonly rows: Readonly<Record<string, number>>
  /** The master keys that the sealed values in it need. */
  readonly masterKeyVersions: readonly string[]
}

/**
 * Writes the whole database as of one moment to a new file, readable only by its owner, without blocking others.
 *
 * @throws Error when the file exists, or the database lacks its tables.
 */
export async function writeBackup(
  url: string,
  path: string,
  onProgress: (rows: number, total: number) => void,
): Promise<BackupSummary> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  await once(file, 'open')
  try {
    return await withClient(url, async (client, db) => {
      await client.query('begin isolation level repeatable read, read only')
      const tables = await listTables(db)
      if (tables.length === 0)
        throw new Error('The database has no tables: run portico migrate, or start the service.')
      const header: Header = {
        format: 'portico-backup',
        version: 1,
        made_at: (await stat(path)).mtime.toISOString(),
        migrations: await appliedMigrations(db),
        master_key_versions: [...new Set((await countSealed(db)).map(({ version }) => version))],
      }

      const gzip = createGzip({ level: 3 })
      const piped = finished(gzip.pipe(file))
      // finished() reports a full disk; without a listener it would end the process first.
      gzip.on('error', () => undefined)
      const hash = createHash('sha256')
      const write = async (chunk: Buffer) => {
        hash.update(chunk)
        if (!gzip.write(chunk)) await Promise.race([once(gzip, 'drain'), piped])
      }
      const writeLine = (value: Header | TableHead | Trailer) =>
        write(Buffer.from(`${JSON.stringify(value)}\n`, 'utf8'))

      await writeLine(header)
      const rows: Record<string, number> = {}
      const total = tables.reduce((sum, { estimatedRows }) => sum + Math.max(0, estimatedRows), 0)
      let done = 0
      for (const { name, columns } of tables) {
        const months = name === 'log_events' ? { months: await listLogEventMonths(db) } : {}
        await writeLine({ table: name, columns: [...columns], ...months })
        let count = 0
        await copyOut(client, toCopyOut(name, columns), async (chunk) => {
          const lines = chunk.reduce((sum, byte) => (byte === 10 ? sum + 1 : sum), 0)
          count += lines
          done += lines
          onProgress(done, Math.max(total, done))
          await write(chunk)
        })
        rows[name] = count
        await write(Buffer.from(endOfTable))
      }
      const sequences = await readSequences(db)
      await writeLine({ end: true, rows, sequences, sha256: hash.copy().digest('hex') })
      gzip.end()
      await piped
      await client.query('commit')
      return { rows, masterKeyVersions: header.master_key_versions }
    })
  } catch (error) {
    file.destroy()
    await rm(path, { force: true })
    throw error
  }
}

/** COPY reads no partitioned table, and any query. */
function toCopyOut(table: string, columns: readonly string[]): string {
  return `copy (select ${columns.map(quoted).join(', ')} from ${quoted(table)}) to stdout`
}

/** A table and its columns as COPY takes them. */
export function toColumns(table: string, columns: readonly string[]): string {
  return `${quoted(table)} (${columns.map(quoted).join(', ')})`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

async function readSequences(db: QueryExecutorProvider): Promise<Trailer['sequences']> {
  const { rows: sequences } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'S' order by relname`.execute(db)
  const read: Trailer['sequences'] = []
  for (const { name } of sequences) {
    const { rows } = await sql<{ last_value: string; is_called: boolean }>`
      select last_value::text, is_called from ${sql.table(name)}`.execute(db)
    read.push(...rows.map((row) => ({ name, ...row })))
  }
  return read
}
