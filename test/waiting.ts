import type { Service } from './harness.js'

/** Resolves once so many statements of the service wait for a lock, or it is of no interest any more. */
export async function untilWaiting(service: Service, count: number, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true) {
    const waiting = await service.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    if (waiting.length >= count) return
  }
}
