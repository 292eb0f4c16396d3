import { numberIn, toTable, type Figure } from './figures.js'
import { isPeerRow, type RowName } from './goals.js'
import { takeDownKept } from './kept.js'
import { readReport } from './report.js'

/** Peers have to be there, and a clone installs and tests everything, which takes minutes. */
export function isQuickRow(row: RowName): boolean {
  return !isPeerRow(row) && !row.startsWith('F')
}

/**
 * Rows that share what is started for them (kept.ts). They come first, in an order in which what one leaves is in no other's way: C1,
 * C2 and R3 add connections and directories to organizations, R1 roles and B1 passwords, D2 leaves receivers that do not answer.
 */
const sharing: readonly RowName[] = (
  [
    // A6 measures the service that it has started before any other row has used it.
    ['A6', 'A1', 'A2', 'A3', 'A4', 'A5', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8'],
    ['E1', 'E3', 'K1', 'K2', 'C1', 'C2', 'R3', 'R1', 'R2', 'B1', 'B2'],
    ['D1', 'D4', 'D2'],
    ['D3', 'D5'],
  ] satisfies RowName[][]
).flat()

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
  const tables = new Map<RowName, string[][]>()
  const shared = sharing.filter((name) => names.includes(name))
  const alone = names.filter((name) => !sharing.includes(name))
  for (const [index, name] of [...shared, ...alone].entries()) {
    const seconds = Math.round((performance.now() - start) / 1000)
    process.stderr.write(`${index + 1} of ${names.length}: ${name}, after ${seconds} s\n`)
    const begun = alone.includes(name) ? takeDownKept() : Promise.resolve()
    const figures = await begun.then(() => measure(name)).catch((error: unknown) => String(error))
    if (typeof figures === 'string') tables.set(name, [[name, figures.split('\n')[0] ?? '', '-', '-', '-']])
    else
      tables.set(
        name,
        figures.map((figure, place) => compared(figure, lines.get(name)?.[place])),
      )
  }
  const end = takeDownKept()
  await end.catch(() => undefined)
  const table = names.flatMap((name) => tables.get(name) ?? [])
  process.stdout.write(`\n${toTable(columns, table)}\n`)
  await end
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
