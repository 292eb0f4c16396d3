import { test } from 'vitest'

export const isFullRun = process.env.PORTICO_TEST_FULL === '1'

/**
 * Of the cases of a test that takes long: the first ones, and in `npm run test:full` all of them, which runs every file
 * that imports this.
 *
 * @param count How many `npm test` runs.
 */
export function sampled<Case>(cases: readonly Case[], count: number): Case[] {
  return isFullRun ? [...cases] : cases.slice(0, count)
}

/** A test that `npm test` leaves out. `npm run test:full` runs it with the rest of its file. */
export const longTest: (title: string, body: () => Promise<void>, timeout?: number) => void = isFullRun
  ? test
  : () => undefined
