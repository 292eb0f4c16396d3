/** Chance that is the same for the same seed. */
export interface Random {
  /** From 0 up to 1. */
  next(): number
  /** Whether what has this probability happens. */
  happens(probability: number): boolean
  /** A whole number below another. */
  below(bound: number): number
  pick<Item>(items: readonly Item[]): Item
}

/** Mulberry32, which is enough to vary requests and nothing else. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    next,
    below,
    happens: (probability) => next() < probability,
    pick: (items) => {
      const item = items[below(items.length)]
      if (item === undefined && items.length === 0) throw new Error('there is nothing to pick from')
      // Of a list that is not empty: undefined is then one of its items.
      return item as (typeof items)[number]
    },
  }
}
