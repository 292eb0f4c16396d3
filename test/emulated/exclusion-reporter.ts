import { relative, sep } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { exceptions } from './exceptions.js'

interface Counts {
  files: number
  passed: number
  failed: number
  excluded: number
  /** Of which a tool is missing. */
  skipped: number
}

/**
 * Tells after a run what went through the emulator, what did not and why; an exception that is none any more fails the run.
 *
 * @param others How many files neither start a service nor use the SDK.
 */
export function exclusionReporter(root: string, others: number): Reporter {
  return {
    onTestRunEnd(modules) {
      const fileOf = (module: TestModule) => relative(root, module.moduleId).split(sep).join('/')
      const tests = modules.flatMap((module) => [...module.children.allTests()])
      const needs = new Map<string, TestCase[]>()
      for (const test of tests) {
        const need = needOf(test)
        if (need !== undefined) needs.set(need, [...(needs.get(need) ?? []), test])
      }
      const say = (line: string) => process.stdout.write(`${line}\n`)
      for (const [need, those] of [...needs].sort()) {
        const files = new Map<string, number>()
        for (const { module } of those) files.set(fileOf(module), (files.get(fileOf(module)) ?? 0) + 1)
        say(`\nexcluded, for it needs ${need}: ${those.length}`)
        for (const [file, count] of files)
          say(`  ${file} (${count} of ${[...testsOf(modules, file)].length})`)
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
      const counts = countsOf(modules, tests)
      say(`\n${describe(counts, known.length)}`)

      function testsOf(all: readonly TestModule[], file: string) {
        return all
          .filter((module) => fileOf(module) === file)
          .flatMap((module) => [...module.children.allTests()])
      }
    },
  }
}

function needOf(test: TestCase): string | undefined {
  return test.result().state === 'skipped' ? (test.meta().excluded ?? test.module.meta().excluded) : undefined
}

function countsOf(modules: readonly TestModule[], tests: readonly TestCase[]): Counts {
  const inState = (state: string) => tests.filter((test) => test.result().state === state)
  const skipped = inState('skipped')
  const excluded = skipped.filter((test) => needOf(test) !== undefined).length
  return {
    files: modules.length,
    passed: inState('passed').length,
    failed: inState('failed').length + modules.reduce((sum, module) => sum + module.errors().length, 0),
    excluded,
    skipped: skipped.length - excluded,
  }
}

function describe({ files, passed, failed, excluded, skipped }: Counts, excepted: number): string {
  const others = [
    excepted > 0 ? `${excepted} of them as exceptions` : '',
    `${failed} failed`,
    `${excluded} excluded`,
  ]
  return `${files} files through the emulator: ${[`${passed} passed`, ...others, ...(skipped > 0 ? [`${skipped} skipped`] : [])].filter(Boolean).join(', ')}`
}
