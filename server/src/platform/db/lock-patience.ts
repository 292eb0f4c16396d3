import { setTimeout as pause } from 'node:timers/promises'
import { sql, type QueryExecutorProvider } from 'kysely'
import { withClient } from './one-client.js'
import { isLockTimeout, isTransient } from './violations.js'

/** In ms. How often it looks who holds a lock that is waited for; the first time after that long. */
const lookMs = 100
/** In ms. What has queued behind a wait for a lock gets its turn before the next one. */
const betweenMs = 1_000

/** Work that needs locks which others may hold. */
export interface Patience {
  /**
   * Does the work again while locks are not free.
   *
   * @param subject What waits, at the beginning of a sentence.
   * @throws Error a sentence with the sessions that hold the locks, when the time is over.
   */
  during<Result>(subject: string, work: () => Promise<Result>): Promise<Result>
}

/**
 * @param db The session that does the work, whose lock_timeout ends each wait.
 * @param url For another session, which sees what that one waits for.
 * @param patienceMs How long work is begun again.
 */
export async function openPatience(
  db: QueryExecutorProvider,
  url: string,
  patienceMs: number,
): Promise<Patience> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  const pid = rows[0]?.pid ?? 0
  return {
    async during(subject, work) {
      const deadline = performance.now() + patienceMs
      for (;;) {
        const watch = watchWait(url, pid)
        try {
          return await work()
        } catch (error) {
          if (!isLockTimeout(error) && !isTransient(error)) throw error
          const holders = await watch.stop()
          if (performance.now() + betweenMs > deadline)
            throw new Error(sentenceOf(subject, holders), { cause: error })
        } finally {
          await watch.stop()
        }
        await pause(betweenMs)
      }
    },
  }
}

interface Holder {
  readonly pid: number
  readonly application: string
  /** Null where the session is of another role, and this one may not see it. */
  readonly state: string | null
  readonly since: string | null
  readonly table: string | null
}

/** Looks from time to time which sessions another one waits for. A short wait costs no connection. */
function watchWait(url: string, pid: number): { stop(): Promise<readonly Holder[]> } {
  const over = new AbortController()
  const { signal } = over
  let last: readonly Holder[] = []
  const watch = async () => {
    await pause(lookMs, undefined, { signal })
    await withClient(url, async (_client, db) => {
      for (;;) {
        const holders = await holdersOf(db, pid)
        if (holders.length > 0) last = holders
        await pause(lookMs, undefined, { signal })
      }
    })
  }
  // It ends by the signal. Where it fails otherwise, the sentence names no session.
  const ended = watch().catch(() => undefined)
  return {
    async stop() {
      over.abort()
      await ended
      return last
    },
  }
}

async function holdersOf(db: QueryExecutorProvider, pid: number): Promise<Holder[]> {
  const { rows } = await sql<Holder>`
    select holder.pid, application_name as application, state,
      to_char(xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since, (
        select relation::regclass::text from pg_locks where pg_locks.pid = ${pid} and not granted and relation is not null
        limit 1
      ) as "table"
    from unnest(pg_blocking_pids(${pid})) as blocking (pid) join pg_stat_activity holder on holder.pid = blocking.pid
    order by xact_start nulls last`.execute(db)
  return rows
}

function sentenceOf(subject: string, holders: readonly Holder[]): string {
  const [first] = holders
  const again = 'Nothing of it was applied, and what was applied before it stays: run portico migrate again'
  if (first === undefined) return `${subject} did not get its locks in time. ${again}.`
  const named = holders.map(
    ({ pid, application, state, since }) =>
      `session ${pid} (${application === '' ? 'without a name' : application}, ${state ?? 'of another role'}` +
      `${since === null ? '' : `, in a transaction since ${since}`})`,
  )
  const lock = first.table === null ? 'a lock' : `the lock of ${first.table}`
  const ending = holders.map(({ pid }) => `select pg_terminate_backend(${pid});`).join(' ')
  return `${subject} waits for ${lock}, which ${named.join(' and ')} ${holders.length === 1 ? 'has' : 'have'}. ${again} when it has ended, or end it by ${ending}`
}
