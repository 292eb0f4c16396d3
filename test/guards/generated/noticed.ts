import { readFileSync, writeFileSync } from 'node:fs'
import type { NamedTest } from '../vitest-run.js'

/** The test that noticed a removal, and one that reaches the same guard and passes without it. */
export interface Noticed {
  readonly red: NamedTest
  readonly green: NamedTest
}

const path = new URL('noticed.jsonl', import.meta.url)

/** What earlier runs have found, by the names of the removals. */
export function readNoticed(): Map<string, Noticed> {
  const lines = readFileSync(path, 'utf8').split('\n')
  return new Map(lines.filter((line) => line !== '').map(toEntry))
}

/** Keeps what a run has found, for later ones to begin with. */
export function remember(name: string, found: Noticed): void {
  write(readNoticed().set(name, found))
}

/** Forgets removals that are generated no more. */
export function forgetOthers(names: ReadonlySet<string>): void {
  const all = readNoticed()
  const kept = new Map([...all].filter(([name]) => names.has(name)))
  if (kept.size < all.size) write(kept)
}

function write(noticed: ReadonlyMap<string, Noticed>): void {
  const entries = [...noticed].toSorted(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(path, entries.map(([name, found]) => `${toLine(name, found)}\n`).join(''))
}

function toLine(name: string, { red, green }: Noticed): string {
  return JSON.stringify([name, red.file, red.title, green.file, green.title])
}

function toEntry(line: string): [string, Noticed] {
  // Written by toLine().
  const [name, redFile, red, greenFile, green] = JSON.parse(line) as [string, string, string, string, string]
  return [name, { red: { file: redFile, title: red }, green: { file: greenFile, title: green } }]
}
