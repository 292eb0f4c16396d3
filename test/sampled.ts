import { describe, test } from 'vitest'

export const isFullRun = process.env.PORTICO_TEST_FULL === '1'

/**
 * Selects the first cases of a slow test, or all of them in `npm run test:full`, which runs every file
 * that imports this.
 *
 * @param count Number of cases in `npm test`.
 */
export function sampled<Case>(cases: readonly Case[], count: number): Case[] {
  return isFullRun ? [...cases] : cases.slice(0, count)
}

/**
 * A test that only `npm run test:full` runs, with the rest of its file: one that takes more than half a second on an idle
 * machine, unless it is an attack or judges the contract.
 */
export const longTest: (title: string, body: () => void | Promise<void>, timeout?: number) => void = isFullRun
  ? test
  : () => undefined

/** Tests of one subject that only `npm run test:full` runs, with the rest of their file. */
export const longDescribe: (title: string, body: () => void) => void = isFullRun ? describe : () => undefined
