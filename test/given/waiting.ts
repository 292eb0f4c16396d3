import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import type { Service } from './harness.js'

/**
 * Resolves once this many statements of the service wait for a lock, or when the signal aborts.
 *
 * @throws Error when they do not within a time that is less than that of a test.
 */
export async function untilWaiting(service: Service, count: number, signal?: AbortSignal): Promise<void> {
  // In a cluster the server waits that has the rows.
  const activity = inject('citusWorkers').length > 0 ? 'citus_stat_activity' : 'pg_stat_activity'
  const begun = performance.now()
  while (signal?.aborted !== true) {
    const { length } = await service.query(
      `select from ${activity} where wait_event_type = 'Lock' and datname = current_database()`,
    )
    if (length >= count) return
    if (performance.now() - begun > 50_000)
      throw new Error(`${length} statements wait for a lock, and not ${count}`)
    await pause(2)
  }
}

/** Blocks a change by the locks of a statement, which commits once other work is done; one that does not wait for them goes on. */
export async function whileHeld<Result>(
  service: Service,
  statement: readonly [text: string, ...values: unknown[]],
  change: () => Promise<Result>,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Result> {
  const [text, ...values] = statement
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query(text, values)
    const changed = change()
    const ended = new AbortController()
    const goesOn = changed.catch(() => undefined).finally(() => ended.abort())
    await Promise.race([untilWaiting(service, 1, ended.signal), goesOn])
    await meanwhile()
    await holder.query('commit')
    return await changed
  } finally {
    await holder.end()
  }
}

/** Blocks a change at the insert of its event, with its transaction open, until other work is done. */
export function whileEventWaits<Result>(
  service: Service,
  eventCode: string,
  change: () => Promise<Result>,
  meanwhile: () => Promise<unknown>,
): Promise<Result> {
  return whileInsertWaits(service, { table: 'events', when: `new.code = '${eventCode}'` }, change, meanwhile)
}

/** Blocks a change at the insert of a row, with its transaction open, until other work is done. */
export async function whileInsertWaits<Result>(
  service: Service,
  { table, when }: { readonly table: string; readonly when: string },
  change: () => Promise<Result>,
  meanwhile: () => Promise<unknown>,
): Promise<Result> {
  const place = await placeOf(service, table)
  const holder = new pg.Client({ connectionString: place.url })
  await holder.connect()
  await holder.query(`
    ${place.settings};
    select pg_advisory_lock(1);
    create function public.wait_for_holder() returns trigger language plpgsql
      as 'begin perform pg_advisory_xact_lock(1); return new; end';
    create trigger wait_for_holder before insert on ${place.table} for each row
      when (${when}) execute function public.wait_for_holder()`)
  const changed = change()
  try {
    await untilWaiting(service, 1)
    await meanwhile()
  } finally {
    await holder.query('select pg_advisory_unlock(1)')
    await Promise.allSettled([changed])
    await holder.query(
      `drop trigger wait_for_holder on ${place.table}; drop function public.wait_for_holder()`,
    )
    await holder.end()
  }
  return changed
}

interface Place {
  readonly url: string
  readonly table: string
  /** What lets a connection change the table's definition. */
  readonly settings: string
}

/** Where a table's rows are inserted: in a cluster a shard on a worker, which has locks of its own. */
async function placeOf(service: Service, table: string): Promise<Place> {
  if (inject('citusWorkers').length === 0) return { url: service.databaseUrl, table, settings: '' }
  const [shard] = await service.query<{ at: string; name: string }>(
    `select nodename || ':' || nodeport as at, shard_name as name from citus_shards where table_name = $1::regclass`,
    [table],
  )
  if (shard === undefined) throw new Error(`${table} has no shard`)
  const url = new URL(service.databaseUrl)
  url.host = shard.at
  const settings = 'set citus.enable_ddl_propagation = off; set citus.enable_manual_changes_to_shards = on'
  return { url: url.href, table: shard.name, settings }
}
