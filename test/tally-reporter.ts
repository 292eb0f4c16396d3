import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { isQuickRun, slowFiles } from './slow-files.js'

export interface Tally {
  passed: number
  failed: number
  skipped: number
}

/**
 * Prints `N passed, N failed` (and `, N skipped` if any) as the last line of a run.
 *
 * Failures outside of tests count as failed, too: a file that cannot be loaded, a failing hook, an uncaught error.
 */
export function tallyReporter(): Reporter {
  let tally: Tally = { passed: 0, failed: 0, skipped: 0 }
  return {
    onInit() {
      // On exit, because the default reporter, coverage and a slow teardown may all write after the end of the run.
      process.once('exit', (code) => {
        // A run that failed before its first test (no database, no file found) has not passed.
        if (code !== 0 && tally.failed === 0) tally.failed = 1
        process.stdout.write(`${toText(tally)}\n`)
      })
    },
    onTestRunEnd(modules, unhandledErrors) {
      tally = tallyOf(modules, unhandledErrors)
      if (modules.length > slowestCount) process.stdout.write(slowestOf(modules))
      if (isQuickRun)
        process.stdout.write(
          `${slowFiles.length} slower files are left to npm run test:full -- "every file", and to npx vitest run.\n\n`,
        )
    },
  }
}

const slowestCount = 20

/** The slowest files, one per line, and their total. */
function slowestOf(modules: readonly TestModule[]): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(7)
  const times = modules.map((module) => ({
    name: module.relativeModuleId,
    ms: module.diagnostic().duration + module.diagnostic().collectDuration,
  }))
  const slowest = times.toSorted((one, other) => other.ms - one.ms).slice(0, slowestCount)
  const total = times.reduce((sum, { ms }) => sum + ms, 0)
  const lines = [...slowest, { name: `all of ${times.length} files`, ms: total }]
  return `\nThe slowest files, in seconds\n${lines.map(({ name, ms }) => `${seconds(ms)}  ${name}\n`).join('')}\n`
}

/** Counts the results of a run; errors outside of tests count as failed. */
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

/** `N passed, N failed`, and `, N skipped` if any. */
export function toText({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
