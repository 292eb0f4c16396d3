import { sql } from 'kysely'
import type { OpenDeps } from '../../delivery/deps.js'
import { withClient } from '../../platform/db/one-client.js'
import { findLackingSettings } from '../../platform/db/pooler.js'
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

/** Whether DATABASE_READ_URL names a replica of the database, and how much it lacks; nothing where there is none. */
export async function examineReplica({ config, db }: Ways): Promise<Finding[]> {
  const check = 'Replica'
  const { readUrl, maxLagMs } = config.database
  if (readUrl === undefined) return []
  try {
    const { rows } = await sql<{ lsn: string; cluster: string }>`
      select pg_current_wal_insert_lsn()::text as lsn, system_identifier::text as cluster
      from pg_control_system()`.execute(db)
    const [primary] = rows
    const found = await withClient(readUrl, async (client) => {
      const answer = await client.query<{ is_replica: boolean; cluster: string; lacks: string | null }>(
        `select pg_is_in_recovery() as is_replica, system_identifier::text as cluster,
           greatest($1::pg_lsn - pg_last_wal_replay_lsn(), 0)::text as lacks
         from pg_control_system()`,
        [primary?.lsn],
      )
      return answer.rows[0]
    })
    const fault = found?.is_replica === true ? otherCluster : takesWrites
    if (found?.is_replica !== true || found.cluster !== primary?.cluster)
      return [{ check, ok: false, detail: `DATABASE_READ_URL names ${fault}`, remedy: ofReplica }]
    const lacks = countOf(Number(found.lacks ?? 0), 'byte')
    const detail = `lacks ${lacks} of the log; the primary answers for more than ${maxLagMs} ms of it`
    return [{ check, ok: true, detail }]
  } catch (error) {
    const { detail } = failedCheck(check, error)
    const remedy = 'check DATABASE_READ_URL; the primary answers in its place'
    return [{ check, ok: false, detail, remedy }]
  }
}

const takesWrites = 'a server that takes writes, so that the primary answers in its place'
const otherCluster = 'a replica of another server, whose log is not that of DATABASE_URL'
const ofReplica = 'let it name a streaming replica of DATABASE_URL, or unset it'
