import { sql, type Kysely } from 'kysely'
import { checkMigrated } from '../../platform/db/check-migrated.js'
import { findIsInCluster } from '../../platform/db/cluster.js'
import { pendingMigrations } from '../../platform/db/migrate.js'
import { withClient } from '../../platform/db/one-client.js'
import { dropTriggers, makeTriggers } from './triggers.js'

/** A server of the cluster, as the others reach it. */
export interface ClusterNode {
  readonly host: string
  readonly port: number
}

interface Preparation {
  /** The schema that the tables are in afterwards. */
  readonly schema: string
  readonly coordinator: ClusterNode
  /** Servers to add to the cluster; those that it has are kept. */
  readonly workers: readonly ClusterNode[]
  /** Called after each step, with what was done. */
  readonly onStep: (sentence: string) => void
  /** Called while tables are distributed. */
  readonly onTables: (done: number, total: number) => void
}

interface PreparedCell {
  readonly tables: number
  /** The server that has the tables. */
  readonly node: string
}

/**
 * Makes the database a schema of a Citus cluster whose tables are on one of its servers, with the rows. Each step finds what
 * is done already, so that a run goes on where another one has stopped; what cannot be seen halfway is one transaction.
 *
 * @param url Of Postgres itself on the coordinator.
 * @throws Error a sentence where something is missing, or a process of the service is connected.
 */
export async function prepareCell(url: string, preparation: Preparation): Promise<PreparedCell> {
  const { schema, onTables } = preparation
  const owner = await withClient(url, async (_client, db) => {
    const found = await findOwner(db, schema)
    checkMigrated({ pendingMigrations: await pendingMigrations(db) })
    await waitAsLongAsItTakes(db)
    if (await isDistributed(db, schema)) {
      if (preparation.workers.length > 0) await joinServers(db, preparation)
      return found
    }
    await checkServers(db, preparation)
    await checkUnused(db, found)
    await rename(db, preparation, found)
    await joinServers(db, preparation)
    return found
  })
  return withClient(inSchema(url, schema), async (client, db) => {
    await waitAsLongAsItTakes(db)
    const tables = await tablesIn(db, schema)
    let copied = 0
    client.on('notice', ({ message }) => {
      if (message?.startsWith('Copying data from local table') === true) onTables(++copied, tables.length)
    })
    if (!(await isDistributed(db, schema))) await distribute(db, preparation, owner)
    await dropCopies(db, preparation, tables)
    const { rows } = await sql<{ node: string }>`
      select distinct nodename || ':' || nodeport as node from pg_dist_shard
      join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
      where logicalrelid = 'accounts'::regclass`.execute(db)
    return { tables: tables.length, node: rows[0]?.node ?? '' }
  })
}

/** A role may have a limit for statements of the service, behind a pooler; rows take longer to copy. */
async function waitAsLongAsItTakes(db: Kysely<unknown>): Promise<void> {
  await sql`select set_config(name, '0', false)
    from unnest(array['statement_timeout', 'idle_in_transaction_session_timeout']) as name`.execute(db)
}

/** As the default of the session: functions of Citus reset what is set later. */
function inSchema(url: string, schema: string): string {
  const parsed = new URL(url)
  const given = parsed.searchParams.get('options') ?? ''
  parsed.searchParams.set('options', `${given} -c search_path=${schema}`.trim())
  return parsed.href
}

async function isDistributed(db: Kysely<unknown>, schema: string): Promise<boolean> {
  if (!(await findIsInCluster(db))) return false
  const { rows } =
    await sql`select from pg_dist_schema join pg_namespace on pg_namespace.oid = schemaid where nspname = ${schema}`.execute(
      db,
    )
  return rows.length > 0
}

/** The role that has the tables, whose schema the session gets. */
async function findOwner(db: Kysely<unknown>, schema: string): Promise<string> {
  const { rows } = await sql<{ schema: string; owner: string }>`
    select nspname as schema, pg_get_userbyid(relowner)::text as owner
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relname = 'kysely_migration'
    order by nspname = ${schema} desc, nspname = 'public' desc, nspname`.execute(db)
  const found = rows.find((each) => each.schema === schema || each.schema === 'public')
  if (found !== undefined) {
    await setSearchPath(db, found.schema)
    return found.owner
  }
  const others = rows.map((each) => each.schema).join(', ')
  throw new Error(
    others === ''
      ? 'The database has no tables of the service: run portico migrate first.'
      : `There is no schema ${schema} with tables of the service: they are in ${others}. Name that one.`,
  )
}

async function setSearchPath(db: Kysely<unknown>, schema: string): Promise<void> {
  await sql`select set_config('search_path', ${schema}, false)`.execute(db)
}

const toInstall =
  "Install Citus 13 on this Postgres and on each worker, set shared_preload_libraries = 'citus' on each, and restart them"

async function checkServers(db: Kysely<unknown>, { workers }: Preparation): Promise<void> {
  const { rows } = await sql<{ available: boolean; loaded: boolean; created: boolean; superuser: boolean }>`
    select exists (select from pg_available_extensions where name = 'citus') as available,
      current_setting('citus.version', true) is not null or exists (
        select from pg_settings where name = 'shared_preload_libraries' and setting ~ '\\mcitus\\M'
      ) as loaded,
      exists (select from pg_extension where extname = 'citus') as created,
      (select rolsuper from pg_roles where rolname = current_user) as superuser`.execute(db)
  const [found] = rows
  if (found?.available !== true) throw new Error(`Postgres has no extension citus. ${toInstall}.`)
  if (!found.loaded && !found.created) throw new Error(`Postgres has not loaded Citus. ${toInstall}.`)
  if (!found.superuser && (!found.created || workers.length > 0))
    throw new Error(
      "Only a superuser makes the extension and adds servers: run this as one, with the address of the service's database.",
    )
  if (workers.length === 0 && (!found.created || (await countWorkers(db)) === 0))
    throw new Error('The cluster has no worker: name each with --worker <host>:<port>.')
}

async function countWorkers(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ workers: number }>`
    select count(*)::integer as workers from pg_dist_node
    where groupid <> 0 and isactive and shouldhaveshards`.execute(db)
  return rows[0]?.workers ?? 0
}

/** Rows that a process writes while the tables are copied would wait, and its statements then name tables that are elsewhere. */
async function checkUnused(db: Kysely<unknown>, owner: string): Promise<void> {
  const { rows } = await sql<{ pid: number; application: string }>`
    select pid, application_name as application from pg_stat_activity
    where datname = current_database() and usename = ${owner} and pid <> pg_backend_pid()
      and backend_type = 'client backend' and application_name !~ '^citus_'
    order by pid`.execute(db)
  if (rows.length === 0) return
  const named = rows.slice(0, 5).map(({ pid, application }) => `${pid} (${application || 'without a name'})`)
  throw new Error(
    `${rows.length === 1 ? 'A session is' : `${rows.length} sessions are`} connected as ${owner}, such as ${named.join(', ')}: ` +
      'stop every process of the service on this database, and run the command again.',
  )
}

/** Before the extension, which would take public to other servers. */
async function rename(db: Kysely<unknown>, { schema, onStep }: Preparation, owner: string): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  if (rows[0]?.schema === schema) return
  if (await findIsInCluster(db))
    throw new Error(
      'The extension citus is in this database already, and the tables are in public, which it may not take along. Restore a backup of ' +
        'them into a database without the extension, and run the command there.',
    )
  await db.transaction().execute(async (trx) => {
    await sql`alter schema public rename to ${sql.ref(schema)}`.execute(trx)
    // Else it is of the owner of the database, who may be another one on each server.
    await sql`alter schema ${sql.ref(schema)} owner to ${sql.id(owner)}`.execute(trx)
    await sql`create schema public authorization pg_database_owner`.execute(trx)
    await sql`grant usage on schema public to public`.execute(trx)
    await setForRole(trx, owner, 'search_path', schema)
  })
  onStep(`The tables are in the schema ${schema}, which ${owner} finds by its search_path.`)
}

/** What connections of a role to this database have, on each server of a cluster. */
async function setForRole(db: Kysely<unknown>, role: string, name: string, value: string): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select format('alter role %I in database %I set %I = %L', ${role}::text, current_database(), ${name}::text, ${value}::text)
      as statement`.execute(db)
  for (const { statement } of rows) await sql.raw(statement).execute(db)
}

async function joinServers(
  db: Kysely<unknown>,
  { coordinator, workers, onStep }: Preparation,
): Promise<void> {
  if (!(await findIsInCluster(db))) {
    await sql`create extension citus`.execute(db)
    onStep('The extension citus is there.')
  }
  if (workers.length === 0) return
  const { rows } =
    await sql<ClusterNode>`select nodename as host, nodeport as port from pg_dist_node`.execute(db)
  const isKnown = ({ host, port }: ClusterNode) =>
    rows.some((node) => node.host === host && node.port === port)
  if (!isKnown(coordinator))
    await sql`select citus_set_coordinator_host(${coordinator.host}, ${coordinator.port}::integer)`.execute(
      db,
    )
  for (const worker of workers.filter((each) => !isKnown(each))) {
    await addWorker(db, worker)
    onStep(`${worker.host}:${worker.port} is a worker.`)
  }
}

/** @throws Error a sentence that names the worker: that of Postgres alone reads as if this database were away. */
async function addWorker(db: Kysely<unknown>, { host, port }: ClusterNode): Promise<void> {
  try {
    await sql`select citus_add_node(${host}, ${port}::integer)`.execute(db)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(
      `The coordinator cannot add the worker ${host}:${port}: ${why.replaceAll(/\s+/g, ' ')}. It needs a database of this name there, with the ` +
        'extension citus, and has to be let in as this role. Then run the command again, before the service starts.',
      { cause: error },
    )
  }
}

async function distribute(
  db: Kysely<unknown>,
  { schema, onStep }: Preparation,
  owner: string,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Of the owner of the database: a second schema finds it set.
    const { rows: databases } = await sql<{ statement: string }>`
      select format('alter database %I set citus.enable_unsafe_triggers = on', current_database()) as statement
      where current_setting('citus.enable_unsafe_triggers') <> 'on'`.execute(trx)
    for (const { statement } of databases) await sql.raw(statement).execute(trx)
    await sql`set local citus.enable_unsafe_triggers = on`.execute(trx)
    // Without it a server with few rows yet would read whole tables (docs/decisions/0025).
    await setForRole(trx, owner, 'enable_seqscan', 'off')
    await setForRole(trx, owner, 'enable_mergejoin', 'off')
    // The role has it behind a pooler, and Citus refuses plans that know no parameters.
    await setForRole(trx, owner, 'plan_cache_mode', 'auto')
    await setForRole(trx, owner, 'search_path', schema)
    await sql`alter table rate_limits set logged`.execute(trx)
    await dropTriggers(trx)
    await sql`select citus_schema_distribute(${schema}::regnamespace)`.execute(trx)
    await makeTriggers(trx)
  })
  onStep(`The tables of ${schema} are on a worker, with their rows and totals.`)
}

/** The rows that the coordinator has still, where nothing reads them. */
async function dropCopies(
  db: Kysely<unknown>,
  { onStep }: Preparation,
  tables: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${tables}::text[]) as name where pg_relation_size(name::regclass) > 0`.execute(db)
  if (rows.length === 0) return
  // Each takes along the tables that refer to it, so that the next one may have none.
  for (const { name } of rows)
    await sql`select truncate_local_data_after_distributing_table(${name}::regclass)`.execute(db)
  onStep('The copies on the coordinator are gone.')
}

async function tablesIn(db: Kysely<unknown>, schema: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = ${schema}::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`.execute(db)
  return rows.map(({ name }) => name)
}
