import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Gathers what is handed over in one turn of the event loop, and while the piece of work before runs, into one piece of
 * work: alone an item waits for nothing, and under load the pieces grow.
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
