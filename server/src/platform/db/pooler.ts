import { sql, type Kysely } from 'kysely'
import pg from 'pg'
import type { Config } from '../config/config.js'
import { isInClusterText } from './cluster.js'
import { connectionSettings, settingOutsideClusters, settingsThatMayFail } from './connection-settings.js'
import type { DB } from './schema.js'
import { isUnavailable } from './violations.js'

/** In ms. For a connection, and for each answer. */
const patienceMs = 5_000
/** How often both clients ask: where others use the pooler, one of them may keep its connection for a moment. */
const rounds = 8

/**
 * Tries whether the service may use its addresses as it would: whether a pooler is there, and what it does with the statements
 * and settings of a client.
 *
 * @throws Error with a sentence where the settings of a client reach others, and the settings say nothing of a pooler; the
 *   error of Postgres (42P05, 26000) where prepared statements do not belong to the client that has made them.
 */
export async function checkPooling({ url, readUrl, ...pooling }: Config['database']): Promise<void> {
  if (pooling.isPooled && !pooling.hasNamedStatements) return
  if (url !== undefined) await tryAddress(url, pooling)
  try {
    if (readUrl !== undefined) await tryAddress(readUrl, pooling)
  } catch (error) {
    // The primary answers for a replica that cannot be reached.
    if (!isUnavailable(error)) throw error
  }
}

type Pooling = Pick<Config['database'], 'isPooled' | 'hasNamedStatements'>

async function tryAddress(url: string, { isPooled, hasNamedStatements }: Pooling): Promise<void> {
  const one = newClient(url)
  const other = newClient(url)
  try {
    await one.connect()
    if (await isDirect(one)) return
    await other.connect()
    const isShared = await areShared(one, other, hasNamedStatements)
    if (isShared && !isPooled) throw new Error(sharedSentence)
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}

const sharedSentence =
  'A pooler gives each transaction another connection, so that settings of this process would reach others: ' +
  'set DATABASE_POOLER=transaction, and DATABASE_DIRECT_URL to the address of Postgres itself.'

function newClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'portico',
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  })
  // A lost connection fails the statement under way; without a listener it would end the process.
  client.on('error', () => undefined)
  return client
}

/** Whether no pooler is between: the process that answers is the one that the connection was told of when it was made. */
async function isDirect(client: pg.Client): Promise<boolean> {
  const pid = await processOf(client)
  // pg's types leave it out.
  return 'processID' in client && pid === client.processID
}

/** Whether two clients have connections to Postgres in common, or one of them has several. */
async function areShared(one: pg.Client, other: pg.Client, named: boolean): Promise<boolean> {
  const ofOne = new Set<number | undefined>()
  const ofOther = new Set<number | undefined>()
  for (let round = 0; round < rounds; round++) {
    ofOne.add(await processOf(one, named))
    ofOther.add(await processOf(other, named))
  }
  return new Set([...ofOne, ...ofOther]).size !== 2 || ofOne.size !== 1
}

/** The process of Postgres that answers now. */
async function processOf(client: pg.Client, named = false): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>({
    ...(named && { name: 'portico_pooler' }),
    text: 'select pg_backend_pid() as pid',
  })
  return rows[0]?.pid
}

/** The settings that connections lack, and the statements that give them to the role. */
interface LackingSettings {
  /** Such as `statement_timeout is 0`. */
  readonly found: readonly string[]
  readonly sql: string
}

/** Which settings the connections of a database lack; undefined where they have all. */
export async function findLackingSettings(db: Kysely<DB>): Promise<LackingSettings | undefined> {
  const wanted = new Map(Object.entries({ ...connectionSettings, ...settingsThatMayFail }))
  const { rows } = await sql<{ name: string; value: string; owner: string }>`
    select name, current_setting(name) as value,
      format('role %I in database %I', current_user, current_database()) as owner
    from unnest(${[...wanted.keys()]}::text[]) as name
    where name <> ${settingOutsideClusters} or not ${sql.raw(isInClusterText)}`.execute(db)
  const lacking = rows.filter(({ name, value }) => value !== wanted.get(name))
  if (lacking.length === 0) return undefined
  return {
    found: lacking.map(({ name, value }) => `${name} is ${value}`),
    sql: lacking
      .map(({ name, owner }) => `alter ${owner} set ${name} = '${wanted.get(name) ?? ''}';`)
      .join(' '),
  }
}
