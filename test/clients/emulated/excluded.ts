import { beforeAll, TestRunner } from 'vitest'
import type { RunnerTestCase, RunnerTask } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** What this test needs, or all tests of this file, that an emulator does not have. */
    excluded?: string
  }
}

let firstOfFile: RunnerTestCase | undefined

/** Has excludeTest() know the file whose hooks run. */
export function registerFile(): void {
  // Vitest demands the braces, and hands over the suite behind what they hold.
  // eslint-disable-next-line no-empty-pattern
  beforeAll(({}, suite) => {
    firstOfFile = firstTest(suite.file.tasks)
  })
}

/**
 * Ends the test that is under way as skipped; in a hook before the tests, all of them. What it needs is kept for the report, which tells
 * every one of them.
 */
export function excludeTest(need: string): never {
  const test = TestRunner.getCurrentTest()
  const place = test ?? firstOfFile
  if (place === undefined) throw new Error(`${need} is needed before any test runs`)
  ;(test ?? place.file).meta.excluded = need
  // Vitest offers the error that skips through tests alone.
  return place.context.skip(need)
}

function firstTest(tasks: readonly RunnerTask[]): RunnerTestCase | undefined {
  for (const task of tasks) {
    const found = task.type === 'test' ? task : firstTest(task.tasks)
    if (found !== undefined) return found
  }
  return undefined
}
