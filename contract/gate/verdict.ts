import { lineOf, type Change } from './change.js'
import { mayBreak, nextBreaking } from './version.js'

export interface Circumstances {
  readonly changes: readonly Change[]
  /** The version that is released, and the present one. */
  readonly released: string
  readonly version: string
  /** The text of CHANGELOG.md. */
  readonly changelog: string
  /** YYYY-MM-DD. */
  readonly today: string
}

/** Why the changes may not be released as they are, each in a sentence that says what to do; none when they may. */
export function objections({ changes, released, version, changelog, today }: Circumstances): string[] {
  const breaking = changes.filter(({ level }) => level === 'breaking')
  const early = breaking.filter(({ promisedUntil = '' }) => promisedUntil > today)
  const promises = early.map(
    (change) => `${lineOf(change)}. It was promised until ${change.promisedUntil}: keep it until then.`,
  )
  if (breaking.length === 0) return promises
  if (!mayBreak(version, released))
    return [
      ...promises,
      `Version ${version} may not break programs written for ${released}: take the breaking changes back, ` +
        `or make it ${nextBreaking(released)} in the package.json of contract and sdk.`,
    ]
  const section = sectionOf(changelog, version)
  if (section === undefined)
    return [...promises, `CHANGELOG.md has no section "## ${version}": say there what breaks.`]
  const subjects = [...new Set(breaking.map(({ subject }) => subject))]
  const missing = subjects.filter((subject) => !section.includes(`\`${subject}\``))
  return [
    ...promises,
    ...missing.map((subject) => `CHANGELOG.md says nothing of \`${subject}\` under "## ${version}".`),
  ]
}

/** The text under the heading of a version. */
function sectionOf(changelog: string, version: string): string | undefined {
  return changelog
    .split(/^## /m)
    .slice(1)
    .find((section) => section.split(/\s/, 1)[0] === version)
}
