import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from './terminal.js'

/** The options that every command takes, and its terminal. */
export interface OutputOptions {
  readonly json?: boolean
  readonly terminal: Terminal
}

/** Writes the result: as a line of JSON on stdout, of each database one where there are several, or as the lines a person reads. */
export function print(
  { json, terminal }: OutputOptions,
  data: unknown,
  lines: () => readonly string[],
): void {
  terminal.write(
    json
      ? `${JSON.stringify(terminal.cell?.isOneOfSeveral ? { cell: terminal.cell.name, result: data } : data)}\n`
      : lines()
          .map((line) => `${line}\n`)
          .join(''),
  )
}

/** Rows in aligned columns under their headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return [headings, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

export type Progress = (done: number, total: number) => void

/** Shows a bar on stderr while the work runs, where a person sees it. */
export async function withProgress<Result>(
  { json, terminal }: OutputOptions,
  label: string,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  if (json || !terminal.isWatched) return work(() => undefined)
  const format = `${label} {bar} {percentage} % | {value} of {total} | {eta_formatted} left`
  const bar = new SingleBar({ format, hideCursor: true, clearOnComplete: true }, Presets.shades_classic)
  bar.start(0, 0)
  try {
    return await work((done, total) => {
      bar.setTotal(total)
      bar.update(Math.min(done, total))
    })
  } finally {
    bar.stop()
  }
}

/** A number with spaces between thousands. */
export function grouped(number: number): string {
  return number.toLocaleString('en').replaceAll(',', ' ')
}
