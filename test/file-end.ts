import { afterAll } from 'vitest'

const ends: (() => unknown)[] = []

/** Ends something with the test file, also when it began in a hook: vitest calls no hook that is registered in another. */
export function atFileEnd(end: () => unknown): void {
  ends.push(end)
}

/** Registers the ends of a file, which every file does before its own hooks. */
export function registerFileEnd(): void {
  afterAll(async () => {
    // What began last may need what began before.
    for (const end of ends.splice(0).reverse()) await end()
  })
}
