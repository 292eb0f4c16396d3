import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Batches the items of one turn of the event loop, and those that arrive while the previous batch runs: a single item is
 * not delayed, and under load the batches grow.
 */
export function inBatches<Item>(work: (items: Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let items: Item[] = []
  let next: Promise<void> | undefined
  let running: Promise<unknown> = Promise.resolve()
  return (item) => {
    items.push(item)
    next ??= Promise.all([running, nextTurn()]).then(() => {
      const together = items
      items = []
      next = undefined
      const done = work(together)
      running = done.catch(() => undefined)
      return done
    })
    return next
  }
}
