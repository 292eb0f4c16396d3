import { EventEmitter, once } from 'node:events'

const atOnce = 30

/** Writes that continue through all disturbances of the service. */
export interface Writers {
  /** Resolves once this many writes are acknowledged; rejects with the first failure. */
  acknowledged(count: number): Promise<void>
  /** Starts further writes beside the pending ones, because a write of a dead process waits for its lease to expire. */
  goOn(): void
}

/** Starts writes in this order with limited concurrency; each repeats until it is acknowledged. */
export function startWriters(writes: readonly (() => Promise<void>)[]): Writers {
  const waiting = [...writes]
  const underWay = new Set<Promise<void>>()
  const signals = new EventEmitter().setMaxListeners(0)
  let acknowledged = 0
  let failure: unknown

  function fill(): void {
    while (underWay.size < atOnce && failure === undefined) {
      const write = waiting.shift()
      if (write === undefined) return
      const running: Promise<void> = write()
        .then(() => void (acknowledged += 1))
        .catch((error: unknown) => void (failure ??= error))
        .finally(() => {
          underWay.delete(running)
          fill()
          signals.emit('one')
        })
      underWay.add(running)
    }
  }

  fill()
  return {
    async acknowledged(count) {
      while (acknowledged < count) {
        if (failure !== undefined) throw new Error('a write failed', { cause: failure })
        await once(signals, 'one')
      }
    },
    goOn() {
      underWay.clear()
      fill()
    },
  }
}
