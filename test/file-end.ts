import { afterAll } from 'vitest'

const ends: (() => unknown)[] = []

/** Registers a cleanup for the end of the test file, also from within a hook, where vitest ignores new hooks. */
export function atFileEnd(end: () => unknown): void {
  ends.push(end)
}

/** Registers the hook that runs the cleanups; the setup of every file calls it before the file's own hooks. */
export function registerFileEnd(): void {
  afterAll(async () => {
    // In reverse order, because later resources may depend on earlier ones.
    for (const end of ends.splice(0).reverse()) await end()
  })
}
