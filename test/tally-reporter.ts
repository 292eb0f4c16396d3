import type { Reporter, SerializedError, TestModule } from 'vitest/node'

export interface Tally {
  passed: number
  failed: number
  skipped: number
}

/**
 * Says `N passed, N failed` (and `, N skipped` when there are any) as the very last line of a run.
 *
 * What stops a run counts as failed too: a file that cannot be loaded, a broken hook, an error that no test caught.
 */
export function tallyReporter(): Reporter {
  let tally: Tally = { passed: 0, failed: 0, skipped: 0 }
  return {
    onInit() {
      // On exit, because the default reporter, coverage and a slow teardown may all write after the end of the run.
      process.once('exit', (code) => {
        // A run that broke before its first test (no database, no file found) has not passed.
        if (code !== 0 && tally.failed === 0) tally.failed = 1
        process.stdout.write(`${describe(tally)}\n`)
      })
    },
    onTestRunEnd(modules, unhandledErrors) {
      tally = tallyOf(modules, unhandledErrors)
    },
  }
}

/** Counts what the tests of a run came to; what broke outside of them has failed, too. */
export function tallyOf(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): Tally {
  const tally: Tally = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
  for (const module of modules) {
    tally.failed += module.errors().length
    for (const suite of module.children.allSuites()) tally.failed += suite.errors().length
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      tally[state === 'pending' ? 'skipped' : state] += 1
    }
  }
  return tally
}

function describe({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
