/** A seeded random generator. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** True with this probability. */
  happens(probability: number): boolean
  /** A whole number from 0 to below the bound. */
  below(bound: number): number
  pick<Item>(items: readonly Item[]): Item
}

/** Mulberry32, which suffices to vary requests but not for cryptography. */
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
      // The list is not empty, so undefined can only be one of its items.
      return item as (typeof items)[number]
    },
  }
}
