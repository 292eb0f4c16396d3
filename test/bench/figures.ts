import { medianOf, ratioOf, type Measured } from './measure.js'

export const rowNames = [
  'A1',
  'A2',
  'A3',
  'A4',
  'A5',
  'A6',
  'A7',
  'A8',
  'B1',
  'B2',
  'B3',
  'B4',
  'B5',
  'C1',
  'C2',
  'C3',
  'D1',
  'D2',
  'D3',
  'D4',
  'D5',
  'F1',
  'F2',
] as const
export type RowName = (typeof rowNames)[number]

/** One line of the table. */
export interface Figure {
  readonly row: RowName
  /** What was done, and what of it was measured. */
  readonly what: string
  readonly ours: string
  /** What ours is compared with. */
  readonly beside: string
  readonly ratio: string
  readonly goal: string
  /** Undefined where there is no goal, or it could not be measured here. */
  readonly isMet: boolean | undefined
}

const none = '-'

/**
 * Ours against the bare server, or what else is said: requests a second and CPU, both to be at least this share of what
 * that does.
 */
export function besideBare(
  row: RowName,
  what: string,
  measured: { ours: readonly Measured[]; bare: readonly Measured[] },
  goals: { share: number; cpuMs?: number },
  name = 'bare',
): Figure[] {
  const { ours, bare } = measured
  const rateRatio = ratioOf(ours, bare, 'rate')
  const cpuRatio = ratioOf(bare, ours, 'cpuMs')
  const cpuMs = medianOf(ours, 'cpuMs')
  const isCpuMet = cpuRatio >= goals.share && cpuMs <= (goals.cpuMs ?? Infinity)
  return [
    {
      row,
      what: `${what}: a second`,
      ours: perSecond(medianOf(ours, 'rate')),
      beside: `${name} ${perSecond(medianOf(bare, 'rate'))}`,
      ratio: rateRatio.toFixed(2),
      goal: `at least ${goals.share} of ${name}`,
      isMet: rateRatio >= goals.share,
    },
    {
      row,
      what: `${what}: CPU`,
      ours: cpuText(ours),
      beside: `${name} ${cpuText(bare)}`,
      ratio: Number.isNaN(cpuRatio) ? none : cpuRatio.toFixed(2),
      goal: [`at least ${goals.share} of ${name}`, goals.cpuMs !== undefined && `at most ${goals.cpuMs} ms`]
        .filter((part) => part !== false)
        .join(', '),
      isMet: Number.isNaN(cpuMs) ? undefined : isCpuMet,
    },
  ]
}

interface Bounded {
  readonly text: string
  readonly goal: string
  readonly bound: number
  readonly beside?: string
  readonly ratio?: number
}

/** A figure that is to stay at or under a bound. */
export function atMost(row: RowName, what: string, value: number, about: Bounded): Figure {
  return figureOf(row, what, about, Number.isNaN(value) ? undefined : value <= about.bound)
}

/** A figure that is to stay at or above a bound. */
export function atLeast(row: RowName, what: string, value: number, about: Bounded): Figure {
  return figureOf(row, what, about, Number.isNaN(value) ? undefined : value >= about.bound)
}

function figureOf(row: RowName, what: string, about: Bounded, isMet: boolean | undefined): Figure {
  return {
    row,
    what,
    ours: about.text,
    beside: about.beside ?? none,
    ratio: about.ratio === undefined || Number.isNaN(about.ratio) ? none : about.ratio.toFixed(2),
    goal: about.goal,
    isMet,
  }
}

export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`
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

const headings = ['row', 'work and measure', 'ours', 'beside', 'ratio', 'goal', 'met', 'on']
export const missedMark = '**no**'

/** @param run Its date, as 2026-03-14, and how many rounds it had. */
export function cellsOf(figure: Figure, run: { readonly date: string; readonly rounds: number }): string[] {
  const met = figure.isMet === undefined ? none : figure.isMet ? 'yes' : missedMark
  const on = `${run.date}, ${run.rounds} rounds`
  return [figure.row, figure.what, figure.ours, figure.beside, figure.ratio, figure.goal, met, on]
}

/** Rows of cells as a table of Markdown, its columns aligned so that a terminal shows it well too. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(headings), rule, ...rows.map(line)].join('\n')
}
