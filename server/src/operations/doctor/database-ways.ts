import { sql } from 'kysely'
import type { OpenDeps } from '../../delivery/deps.js'
import { withClient } from '../../platform/db/one-client.js'
import { findLackingSettings } from '../../platform/db/pooler.js'
import { databaseIdentity, readLogEnd, type LogEnd } from '../../platform/db/positions.js'
import { countOf, failedCheck, type Finding } from './finding.js'

type Ways = Pick<OpenDeps, 'config' | 'db'>

/** Whether connections through a pooler in transaction mode have the settings of the service; nothing without one. */
export async function examinePooler({ config, db }: Ways): Promise<Finding[]> {
  const check = 'Pooler'
  if (!config.database.isPooled) return []
  const lacking = await findLackingSettings(db)
  if (lacking === undefined)
    return [{ check, ok: true, detail: 'its connections have the settings of the service' }]
  return [
    {
      check,
      ok: false,
      detail: `of its connections ${lacking.found.join(', ')}`,
      remedy:
        'run this as that role, then RECONNECT in PgBouncer, for connections keep the settings that they began with',
      sql: lacking.sql,
    },
  ]
}

/** Whether DATABASE_DIRECT_URL names the same database as DATABASE_URL; nothing where one address is for both. */
export async function examineDirect({ config, db }: Ways): Promise<Finding[]> {
  const check = 'Direct'
  const { url, directUrl } = config.database
  if (directUrl === undefined || directUrl === url) return []
  try {
    const { rows } = await sql<LogEnd>`select ${sql.raw(databaseIdentity)} as database`.execute(db)
    const found = await askDatabase(directUrl)
    if (found?.is_replica === false && found.database === rows[0]?.database)
      return [{ check, ok: true, detail: 'DATABASE_DIRECT_URL names the same database as DATABASE_URL' }]
    const fault =
      found?.is_replica === true ? 'a replica, which takes no writes' : 'another database than DATABASE_URL'
    const remedy = 'let both lead to one database: migrations, backups and restores go to that of this one'
    return [{ check, ok: false, detail: `DATABASE_DIRECT_URL names ${fault}`, remedy }]
  } catch (error) {
    const { detail } = failedCheck(check, error)
    return [{ check, ok: false, detail, remedy: 'check DATABASE_DIRECT_URL' }]
  }
}

/** Whether DATABASE_READ_URL names a replica of the database, and how much it lacks; nothing where there is none. */
export async function examineReplica({ config, db }: Ways): Promise<Finding[]> {
  const check = 'Replica'
  const { readUrl, maxLagMs } = config.database
  if (readUrl === undefined) return []
  try {
    const primary = await readLogEnd(db)
    const found = await askDatabase(readUrl, primary.position)
    const fault = replicaFault(found, primary)
    if (fault !== undefined)
      return [{ check, ok: false, detail: `DATABASE_READ_URL names ${fault}`, remedy: ofReplica }]
    const lacks = countOf(Number(found?.lacks ?? 0), 'byte')
    const detail = `lacks ${lacks} of the log; where it is more than ${maxLagMs} ms behind, the primary answers`
    return [{ check, ok: true, detail }]
  } catch (error) {
    const { detail } = failedCheck(check, error)
    const remedy = 'check DATABASE_READ_URL; the primary answers in its place'
    return [{ check, ok: false, detail, remedy }]
  }
}

interface FoundDatabase {
  readonly is_replica: boolean
  readonly database: string
  /** Bytes of the log up to the position asked for; null where the server replays none. */
  readonly lacks: string | null
}

function askDatabase(url: string, position = '0/0'): Promise<FoundDatabase | undefined> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<FoundDatabase>(
      `select pg_is_in_recovery() as is_replica, ${databaseIdentity} as database,
         greatest($1::pg_lsn - pg_last_wal_replay_lsn(), 0)::text as lacks`,
      [position],
    )
    return rows[0]
  })
}

function replicaFault(found: FoundDatabase | undefined, primary: LogEnd): string | undefined {
  if (found?.is_replica !== true) return 'a server that takes writes'
  if (found.database === primary.database) return undefined
  const serverOf = (database: string) => database.split('/')[0]
  return serverOf(found.database) === serverOf(primary.database)
    ? 'another database of the replica than DATABASE_URL of the primary'
    : 'a replica of another server, whose log is not that of DATABASE_URL'
}

const ofReplica =
  'let it name a streaming replica of DATABASE_URL, and the same database there, or unset it; the primary answers in its place'
