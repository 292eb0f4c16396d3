import { lineOf, type Change, type Level } from './change.js'

const headings: Readonly<Record<Level, string>> = {
  breaking: 'Breaking: programs written for the released contract fail, or compile no longer',
  additive: 'Additive: programs go on as they are',
  documentation: 'Documentation: words alone',
}

/** The changes by their level, a line for each, and nothing for a level without any. */
export function reportOf(changes: readonly Change[]): string {
  const groups = (['breaking', 'additive', 'documentation'] as const).flatMap((level) => {
    const lines = changes.filter((change) => change.level === level).map((change) => `  ${lineOf(change)}`)
    return lines.length === 0 ? [] : [[`${headings[level]} (${lines.length})`, ...lines].join('\n')]
  })
  return groups.join('\n\n')
}
