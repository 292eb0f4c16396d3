import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'

const flushMs = 10_000

/** Remembers when keys were used and writes that down in batches, because a write per request would cost more than it. */
interface LastUse {
  note(apiKeyId: string): void
  /** Writes what is left and ends the timer. */
  stop(): Promise<void>
}

/** Starts noting the last use of API keys. A process that dies loses the uses of its last ten seconds. */
export function startLastUse({ db, now, log }: Pick<Deps, 'db' | 'now' | 'log'>): LastUse {
  let uses = new Map<string, Date>()

  async function flush(): Promise<void> {
    if (uses.size === 0) return
    const batch = [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1))
    uses = new Map()
    const ids = batch.map(([id]) => id)
    const times = batch.map(([, at]) => at.toISOString())
    try {
      await sql`
        update api_keys set last_used_at = used.at
        from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
        where api_keys.id = used.id and (last_used_at is null or last_used_at < used.at)`.execute(db)
    } catch (error) {
      // The next use of each key tells it again.
      log.warn({ err: error }, 'the last use of API keys cannot be written')
    }
  }

  const timer = setInterval(() => void flush(), flushMs)
  timer.unref()
  return {
    note: (apiKeyId) => uses.set(apiKeyId, now()),
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}
