import { numberIn, toTable, type Figure } from './figures.js'
import { isPeerRow, type RowName } from './goals.js'
import { readReport } from './report.js'
import { takeDownStage } from './stage.js'

/**
 * What takes half a minute or more by what it measures: Postgres that has just started on several samples, receivers that are dead, a
 * lease, a clone, the delay of a change of rules, several servers.
 */
const longRows: ReadonlySet<RowName> = new Set(['A7', 'D2', 'D4', 'F1', 'F2', 'R3', 'S1', 'S2'])

/** Peers have to be there. */
export function isQuickRow(row: RowName): boolean {
  return !isPeerRow(row) && !longRows.has(row)
}

const columns = ['row', 'work and measure', 'ours', 'on the page', 'ratio']

/**
 * Prints a look at rows beside the figures of the page. A row that fails has its error in its place: this is a report, and
 * no gate.
 */
export async function runQuick(
  names: readonly RowName[],
  measure: (name: RowName) => Promise<Figure[]>,
  page: string,
): Promise<void> {
  const start = performance.now()
  const { lines } = await readReport(page)
  const table: string[][] = []
  for (const [index, name] of names.entries()) {
    const seconds = Math.round((performance.now() - start) / 1000)
    process.stderr.write(`${index + 1} of ${names.length}: ${name}, after ${seconds} s\n`)
    const figures = await measure(name).catch((error: unknown) => String(error))
    if (typeof figures === 'string') table.push([name, figures.split('\n')[0] ?? '', '-', '-', '-'])
    else table.push(...figures.map((figure, place) => compared(figure, lines.get(name)?.[place])))
  }
  await takeDownStage()
  process.stdout.write(`\n${toTable(columns, table)}\n`)
}

/** @param line Of the page, whose sample may have another size. */
function compared({ row, what, ours }: Figure, line: readonly string[] = []): string[] {
  const [, sameWhat = '', onPage = '-'] = line
  if (withoutSizes(what) !== withoutSizes(sameWhat)) return [row, what, ours, '-', '-']
  const ratio = numberIn(ours) / numberIn(onPage)
  return [row, what, ours, onPage, Number.isNaN(ratio) ? '-' : ratio.toFixed(2)]
}

function withoutSizes(what: string): string {
  return what.replaceAll(/[\d,]*\d/g, '#')
}
