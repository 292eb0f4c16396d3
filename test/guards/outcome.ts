import type { NamedTest, RunReport } from './vitest-run.js'

/** How vitest's own failures begin; a request that is answered, or refused otherwise, is told as a plain Error. */
export const assertion =
  /^AssertionError\b|^Error: promise resolved .* instead of rejecting|^Error: expected .* to match object /s

/** Why a test has not noticed a removal; undefined when it fails, by assertions. */
export function whyNotNoticed(run: RunReport, test: NamedTest): string | undefined {
  const outcome = run.outcomeOf(test)
  if (outcome === undefined) return whyNotRun(run, test)
  if (outcome.state === 'passed') return `${toText(test)} passes without it`
  if (outcome.state === 'skipped') return `${toText(test)} is skipped`
  const other = outcome.errors.find((error) => !assertion.test(error))
  return other === undefined ? undefined : `${toText(test)} fails by no assertion: ${firstLine(other)}`
}

/** Why a test has not passed; undefined when it has. */
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

/** A test as it is told. */
export function toText({ file, title }: NamedTest): string {
  return `${file}: ${title}`
}
