import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { copyRepository, type RepositoryCopy } from '../guards/repository-copy.js'
import { runTests } from '../guards/vitest-run.js'
import { consequencesIn, releaseContract, unnoticed } from './consequences.js'
import type { Drift } from './drift.js'

export const timeLimitMs = 20 * 60_000

/** A copy of the repository for the tests of a file, in which each edit is reverted after its test. */
export function givenCopy(): () => RepositoryCopy {
  let copy: RepositoryCopy
  beforeAll(async () => {
    copy = await copyRepository()
    // Edits are compared with the current contract, including unreleased parts.
    await releaseContract(copy)
    // Earlier failures would be attributed to every edit.
    expect(await consequencesIn(copy)).toEqual({ compile: [], stale: [], tests: [], gate: unnoticed })
  }, timeLimitMs)
  afterEach(() => copy.restore())
  afterAll(() => copy.remove())
  return () => copy
}

/** A test for each edit of the contract, which expects exactly its failures. */
export function testEdits(drifts: readonly Drift[]): void {
  const copyOf = givenCopy()
  describe('what goes red with an edit of the contract', () => {
    test.each(drifts.map((drift) => [drift.name, drift] as const))(
      '%s',
      async (_name, { edits, compile, stale, tests, gate, service = [], holds = [] }) => {
        const copy = copyOf()
        await copy.apply(edits)

        expect(await consequencesIn(copy)).toEqual({
          compile: compile.toSorted(),
          stale: stale.toSorted(),
          tests,
          gate,
        })
        const named = [...service, ...holds]
        const run = named.length > 0 ? await runTests(copy.root, named, inject('adminUrl')) : undefined
        expect(named.map((test) => [test.title, run?.outcomeOf(test)?.state])).toEqual([
          ...service.map(({ title }) => [title, 'failed']),
          ...holds.map(({ title }) => [title, 'passed']),
        ])
      },
      timeLimitMs,
    )
  })
}
