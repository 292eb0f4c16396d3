import type { Check, Group } from './check.js'
import type { Outcome } from './outcome.js'

/** The results of a run, as a table for a terminal. */
export function toText(groups: readonly Group[], outcomes: readonly Outcome[]): string {
  const width = Math.max(...outcomes.map(({ id }) => id.length))
  const sections = groups.map(({ title, checks }) => {
    const lines = checks.flatMap((check) => {
      const outcome = outcomes.find(({ id }) => id === check.id)
      return outcome === undefined ? [] : [lineOf(check, outcome, width)]
    })
    return lines.length === 0 ? '' : `\n${title}\n${lines.join('')}`
  })
  return `${sections.join('')}\n${tally(outcomes)}\n`
}

function lineOf(check: Check, outcome: Outcome, width: number): string {
  const result = resultOf(check, outcome).padEnd(15)
  return (
    `  ${check.id.padEnd(width)}  ${check.level.padEnd(6)}  ${result}  ${firstLine(outcome.message)}`.trimEnd() +
    '\n'
  )
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.slice(0, 160) ?? ''
}

/** The number of each result, in one line. */
export function tally(outcomes: readonly Outcome[]): string {
  const count = (result: Outcome['result']) => outcomes.filter((outcome) => outcome.result === result).length
  return `${count('pass')} passed, ${count('warning')} warnings, ${count('failure')} failed`
}

function resultOf({ allowed }: Check, outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'not run'
  if (outcome.result === 'warning' && allowed !== undefined) return 'allowed warning'
  return { pass: 'passes', warning: 'warning', failure: 'fails' }[outcome.result]
}

/** The page of the documentation: what was checked, and with which result. */
export function toMarkdown(groups: readonly Group[], outcomes: readonly Outcome[]): string {
  const sections = groups.map(({ title, checks }) => {
    const rows = checks.map((check) => {
      const outcome = outcomes.find(({ id }) => id === check.id)
      return `| \`${check.id}\` | ${check.source} | ${check.level} | ${resultOf(check, outcome)} |`
    })
    return [
      `## ${title}`,
      '',
      '| check | source | level | result |',
      '| --- | --- | --- | --- |',
      ...rows,
    ].join('\n')
  })
  const allowed = groups
    .flatMap(({ checks }) => checks)
    .flatMap(({ id, allowed: reason }) => (reason === undefined ? [] : [`- \`${id}\`: ${reason}`]))
  return [
    preface,
    `${tally(outcomes)}.`,
    `The allowed warnings, and why:\n\n${allowed.join('\n')}`,
    ...sections,
    '',
  ].join('\n\n')
}

const preface = `# Conformance

What the service keeps of OpenID Connect and OAuth, rule by rule. \`npm run conformance -- --write\` writes this page, and
\`npm test\` runs every check and compares the page with the result. The ids are those of the modules of the OpenID
Foundation's certification suite, with the name of a condition after a slash, and ids of our own for the rules of RFCs.
The judges are jose, openid-client, oauth4webapi and plain HTTP. Each check is proved by a fault that a proxy plants in the
answers (\`test/conformance/planted-faults.long.test.ts\`). The [guide](guides/certification.md) says how to run the suite
itself.

A \`must\` that is not kept fails the run, and so does the warning of a \`should\` or \`may\` that is not declared with its
reason.`
