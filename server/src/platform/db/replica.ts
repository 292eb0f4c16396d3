import type { StatementPool } from './prepared.js'
import { isStatementTimeout, isTransient, isUnavailable } from './violations.js'

/** In ms. How long a failed replica is not used. */
const restMs = 10_000

/**
 * A pool for statements that only read, on a replica. Where the replica cannot be reached, or cancels a statement that
 * conflicts with its replay, the primary answers that statement and all others of the next 10 s.
 *
 * @param onFallback Called for each statement that the primary answers in place of the replica.
 */
export function replicaPool(
  replica: StatementPool,
  primary: StatementPool,
  onFallback: () => void,
): StatementPool {
  let restsUntil = 0

  async function onPrimary(text: string, values?: unknown[]) {
    onFallback()
    const client = await primary.connect()
    try {
      return await client.query(text, values)
    } finally {
      client.release()
    }
  }

  function rest(error: unknown): void {
    const isLost = isUnavailable(error) && !isStatementTimeout(error)
    if (!isLost && !isTransient(error)) throw error
    if (isLost) restsUntil = performance.now() + restMs
  }

  return {
    async connect() {
      const client = performance.now() < restsUntil ? undefined : await replica.connect().catch(rest)
      return {
        async query(text: string, values?: unknown[]) {
          if (!client) return onPrimary(text, values)
          return client.query(text, values).catch((error: unknown) => {
            rest(error)
            return onPrimary(text, values)
          })
        },
        release: () => client?.release(),
      }
    },
    end: () => replica.end(),
  }
}
