import { AsyncLocalStorage } from 'node:async_hooks'
import type { StatementPool } from './prepared.js'

/** The work of one request. */
interface Work {
  /** The holder that its connections count for. */
  readonly holder: string
  /** Its open transactions. */
  transactions: number
}

/** The connections that one holder has now, and the work that waits for one. */
interface Share {
  held: number
  readonly waiting: (() => void)[]
}

const works = new AsyncLocalStorage<Work | undefined>()
/** In ms. As long as a pool waits for a connection. */
const waitMs = 5_000

/** Work timed out while it waited for connections of its own holder. */
export class ShareInUseError extends Error {
  override readonly name = 'ShareInUseError'
  constructor() {
    super('one caller has its share of the connections in use')
  }
}

/** Runs work whose database connections count for a holder: the sender or the subject of a request. */
export function countedFor<Result>(holder: string, work: () => Result): Result {
  return works.run({ holder, transactions: 0 }, work)
}

/** Runs work within a request that is for all, such as one that others wait for, too. */
export function countedForNobody<Result>(work: () => Result): Result {
  return works.run(undefined, work)
}

/**
 * Limits each holder to half of a pool's connections, so that requests that wait for one row, or take long, leave
 * connections to all others. Work without a holder may use all of them.
 *
 * @param size The connections of the pool.
 * @param onRefused Called each time that no connection of a share came free.
 * @returns A function that adds the limit to a pool. Pools on the same connections are counted together. Where no
 *   connection of the share comes free within 5 s, connect() throws ShareInUseError.
 */
export function openShares(size: number, onRefused: () => void): (pool: StatementPool) => StatementPool {
  const width = Math.max(1, Math.floor(size / 2))
  const shares = new Map<string, Share>()

  function shareOf(holder: string): Share {
    const share = shares.get(holder) ?? { held: 0, waiting: [] }
    shares.set(holder, share)
    return share
  }

  function leave(holder: string, share: Share): void {
    share.held--
    const next = share.held < width ? share.waiting.shift() : undefined
    if (next !== undefined) {
      share.held++
      next()
    }
    if (share.held === 0) shares.delete(holder)
  }

  return (pool) => ({
    async connect() {
      const work = works.getStore()
      if (work === undefined) return pool.connect()
      const share = shareOf(work.holder)
      // A transaction that waited would keep its own connection: transactions could wait for one another forever.
      if (share.held < width || work.transactions > 0) share.held++
      else await turnIn(share, onRefused)
      let client
      try {
        client = await pool.connect()
      } catch (error) {
        leave(work.holder, share)
        throw error
      }
      return counted(client, work, () => leave(work.holder, share))
    },
    end: () => pool.end(),
  })
}

/** @throws ShareInUseError */
function turnIn({ waiting }: Share, onRefused: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(go), 1)
      onRefused()
      reject(new ShareInUseError())
    }, waitMs)
    waiting.push(go)
  })
}

type Client = Awaited<ReturnType<StatementPool['connect']>>

function counted(client: Client, work: Work, leave: () => void): Client {
  let isInTransaction = false
  return {
    query(text, values) {
      if (text === 'begin') {
        isInTransaction = true
        work.transactions++
      }
      return client.query(text, values)
    },
    release() {
      if (isInTransaction) work.transactions--
      client.release()
      leave()
    },
  }
}
