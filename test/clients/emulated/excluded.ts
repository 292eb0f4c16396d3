import { beforeAll, TestRunner } from 'vitest'
import type { RunnerTestCase, RunnerTask } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** The member that this test, or every test of the file, needs and an emulator lacks. */
    excluded?: string
  }
}

let firstOfFile: RunnerTestCase | undefined

/** Tells excludeTest() which file's hooks are running. */
export function registerFile(): void {
  // Vitest requires the destructured first parameter; the suite is the second one.
  // eslint-disable-next-line no-empty-pattern
  beforeAll(({}, suite) => {
    firstOfFile = firstTest(suite.file.tasks)
  })
}

/**
 * Ends the running test as skipped; in a hook before the tests, all tests of the file. The need is recorded for the report,
 * which lists every excluded test.
 */
export function excludeTest(need: string): never {
  const test = TestRunner.getCurrentTest()
  const place = test ?? firstOfFile
  if (place === undefined) throw new Error(`${need} is needed before any test runs`)
  ;(test ?? place.file).meta.excluded = need
  // Vitest only offers the skip error on the context of tests.
  return place.context.skip(need)
}

function firstTest(tasks: readonly RunnerTask[]): RunnerTestCase | undefined {
  for (const task of tasks) {
    const found = task.type === 'test' ? task : firstTest(task.tasks)
    if (found !== undefined) return found
  }
  return undefined
}
