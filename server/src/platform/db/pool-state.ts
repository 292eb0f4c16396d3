import pg from 'pg'

/** The connections of a pool, and the callers that wait for one. */
export interface PoolState {
  /** In use, or being made. */
  readonly inUse: number
  readonly idle: number
  readonly waiting: number
  readonly max: number
}

/** @param apart How many idle connections are kept outside of the pool. */
export function stateOfPool(pool: pg.Pool, apart = 0): PoolState {
  const { totalCount, idleCount, waitingCount: waiting } = pool
  const idle = idleCount + apart
  return { inUse: totalCount - idle, idle, waiting, max: pool.options.max }
}

/** Why no connection was available; `share`: the holder has half of them in use. */
export const refusals = ['pool_wait', 'share', 'postgres', 'network'] as const
export type PoolRefusal = (typeof refusals)[number]

/** Why a pool gave no connection: none was free in time, Postgres refused one, or it could not be reached. */
export function refusalOf(error: unknown): PoolRefusal {
  if (error instanceof pg.DatabaseError) return 'postgres'
  const isWait = error instanceof Error && error.message === 'timeout exceeded when trying to connect'
  return isWait ? 'pool_wait' : 'network'
}
