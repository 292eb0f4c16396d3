import type { NamedTest, RunReport } from './vitest-run.js'

/** The beginning of vitest's assertion failures; unexpected answers to requests are plain Errors. */
export const assertion =
  /^AssertionError\b|^Error: promise resolved .* instead of rejecting|^Error: expected .* to (?:match object|throw error including) /s

/** The reason why a test did not notice a removal; undefined if it failed by assertions. */
export function whyNotNoticed(run: RunReport, test: NamedTest): string | undefined {
  const outcome = run.outcomeOf(test)
  if (outcome === undefined) return whyNotRun(run, test)
  if (outcome.state === 'passed') return `${toText(test)} passes without it`
  if (outcome.state === 'skipped') return `${toText(test)} is skipped`
  const other = outcome.errors.find((error) => !assertion.test(error))
  return other === undefined ? undefined : `${toText(test)} fails by no assertion: ${firstLine(other)}`
}

/** The reason why a test did not pass; undefined if it did. */
export function whyNotGreen(run: RunReport, test: NamedTest): string | undefined {
  const outcome = run.outcomeOf(test)
  if (outcome === undefined) return whyNotRun(run, test)
  return outcome.state === 'passed'
    ? undefined
    : `${toText(test)} is ${outcome.state}: ${firstLine(outcome.errors[0] ?? '')}`
}

function whyNotRun(run: RunReport, test: NamedTest): string {
  return `${toText(test)} does not run:\n${run.output.trim().slice(-600)}`
}

function firstLine(text: string): string {
  return text.split('\n', 1).join('')
}

/** A test in messages. */
export function toText({ file, title }: NamedTest): string {
  return `${file}: ${title}`
}
