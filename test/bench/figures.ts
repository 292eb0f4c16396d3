import { judge, type RowName } from './goals.js'
import { medianOf, ratioOf, type Measured } from './measure.js'

/** One line of the table. */
export interface Figure {
  readonly row: RowName
  /** What was done, and what of it was measured. */
  readonly what: string
  readonly ours: string
  /** What ours is compared with. */
  readonly beside?: string
  /** NaN where it could not be measured here. */
  readonly ratio?: number
}

const none = '-'

/** Ours against the bare server, or what else is said: requests a second and CPU, each as the share of what that does. */
export function besideBare(
  row: RowName,
  what: string,
  { ours, bare }: { readonly ours: readonly Measured[]; readonly bare: readonly Measured[] },
  name = 'bare',
): Figure[] {
  return [
    {
      row,
      what: `${what}: a second`,
      ours: perSecond(medianOf(ours, 'rate')),
      beside: `${name} ${perSecond(medianOf(bare, 'rate'))}`,
      ratio: ratioOf(ours, bare, 'rate'),
    },
    {
      row,
      what: `${what}: CPU`,
      ours: cpuText(ours),
      beside: `${name} ${cpuText(bare)}`,
      ratio: ratioOf(bare, ours, 'cpuMs'),
    },
  ]
}

/** The CPU of some rounds, and its ratio to that of others. */
export function besideOthers(
  row: RowName,
  what: string,
  { ours, others }: { readonly ours: readonly Measured[]; readonly others: readonly Measured[] },
  name: string,
): Figure {
  return {
    row,
    what: `${what}: CPU`,
    ours: cpuText(ours),
    beside: `${name} ${cpuText(others)}`,
    ratio: ratioOf(ours, others, 'cpuMs'),
  }
}

export function perSecond(rate: number): string {
  return Number.isNaN(rate) ? none : `${Math.round(rate).toLocaleString('en')}/s`
}

/** The CPU of a request, with the server's part of it. */
export function cpuText(rounds: readonly Measured[]): string {
  const total = medianOf(rounds, 'cpuMs')
  if (Number.isNaN(total)) return none
  return `${milliseconds(total)} (server ${milliseconds(medianOf(rounds, 'serverCpuMs'))})`
}

export function milliseconds(value: number): string {
  return Number.isNaN(value) ? none : `${value.toFixed(value < 10 ? 3 : 1)} ms`
}

export const headings = ['row', 'work and measure', 'ours', 'beside', 'ratio', 'goal', 'met', 'on']
export const missedMark = '**no**'

/** @param run Its date, as 2026-03-14, and how many rounds it had. */
export function cellsOf(figure: Figure, run: { readonly date: string; readonly rounds: number }): string[] {
  const { row, what, ours, beside = none, ratio = NaN } = figure
  const cells = [what, ours, beside, Number.isNaN(ratio) ? none : ratio.toFixed(2)]
  return judged(row, [...cells, none, none, `${run.date}, ${run.rounds} rounds`])
}

/** The cells of a line, with the goal that the row has today. @param cells Without the row's name. */
export function judged(row: RowName, cells: readonly string[]): string[] {
  const [what = '', ours = none, beside = none, ratio = none, , , on = ''] = cells
  const numbers = { ours: numberIn(ours), beside: numberIn(beside), ratio: numberIn(ratio) }
  const { goal = none, isMet } = judge(row, what, numbers) ?? {}
  const met = isMet === undefined ? none : isMet ? 'yes' : missedMark
  return [row, what, ours, beside, ratio, goal, met, on]
}

/** The first number of a cell that has a unit, or the first without. */
export function numberIn(cell: string): number {
  const found = /([\d,]*\.?\d+) ?(?:ms|s|min|[kM]B|\/s)\b/.exec(cell) ?? /([\d,]*\.?\d+)/.exec(cell)
  return Number(found?.[1]?.replaceAll(',', '') ?? NaN)
}

/** Rows of cells as a table of Markdown, its columns aligned so that a terminal shows it well too. */
export function toTable(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [names, ...rows]
  const widths = names.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(names), rule, ...rows.map(line)].join('\n')
}
