import { relative, sep } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { tallyOf, toText, type Tally } from '../../tally-reporter.js'
import { exceptions } from './exceptions.js'

/**
 * Reports after a run which tests used the emulator, which did not and why; an obsolete exception fails the run.
 *
 * @param others Number of files that neither start a service nor use the SDK.
 */
export function exclusionReporter(root: string, others: number): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const fileOf = (module: TestModule) => relative(root, module.moduleId).split(sep).join('/')
      const tests = modules.flatMap((module) => [...module.children.allTests()])
      const say = (line: string) => process.stdout.write(`${line}\n`)

      const excluded = grouped(tests, needOf)
      excluded.delete(undefined)
      for (const [need = '', those] of [...excluded].sort()) {
        say(`\nexcluded, for it needs ${need}: ${those.length}`)
        for (const [module, ofFile] of grouped(those, ({ module }) => module))
          say(`  ${fileOf(module)} (${ofFile.length} of ${[...module.children.allTests()].length})`)
      }
      const ran = modules.map(fileOf)
      const known = exceptions.filter(({ file }) => ran.includes(file))
      for (const { file, title, why } of known) say(`\nexcepted: ${file} > ${title}\n  ${why}`)
      const lost = known.filter(
        ({ file, title }) => !tests.some((test) => fileOf(test.module) === file && test.fullName === title),
      )
      for (const { file, title } of lost) say(`\nno test is called as the exception says: ${file} > ${title}`)
      if (lost.length > 0) process.exitCode = 1
      say(`\nnot run, for they start no service and use no SDK: ${others} files`)
      const excludedCount = [...excluded.values()].flat().length
      const tally = tallyOf(modules, unhandledErrors)
      say(`\n${modules.length} files through the emulator: ${describe(tally, known.length, excludedCount)}`)
      say(toText(tally))
    },
  }
}

function grouped<Key>(tests: readonly TestCase[], keyOf: (test: TestCase) => Key): Map<Key, TestCase[]> {
  const groups = new Map<Key, TestCase[]>()
  for (const test of tests) {
    const key = keyOf(test)
    groups.set(key, [...(groups.get(key) ?? []), test])
  }
  return groups
}

function needOf(test: TestCase): string | undefined {
  return test.result().state === 'skipped' ? (test.meta().excluded ?? test.module.meta().excluded) : undefined
}

/** Summarizes a run. Tests skipped but not excluded lack a tool. */
function describe({ passed, failed, skipped }: Tally, excepted: number, excluded: number): string {
  return [
    `${passed} passed`,
    ...(excepted > 0 ? [`${excepted} of them as exceptions`] : []),
    `${failed} failed`,
    `${excluded} excluded`,
    ...(skipped > excluded ? [`${skipped - excluded} skipped`] : []),
  ].join(', ')
}
