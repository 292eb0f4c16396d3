import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { codeOfTest } from '../code-of.js'
import type { NamedTest } from '../vitest-run.js'

/** The test that noticed a removal, and one that reaches the same guard and passes without it. */
export interface Noticed {
  readonly red: NamedTest
  readonly green: NamedTest
}

interface Entry extends Noticed {
  /** The names of removals made at once, if several places guard the same thing; mostly one. */
  readonly parts: readonly string[]
  /** Digest of the code around the removal and of both tests when it was noticed; empty if not recorded. */
  readonly digest: string
}

const path = new URL('noticed.jsonl', import.meta.url)

/** Results of earlier runs, by names of removals; several entries if each of several tests must notice. */
export function readNoticed(): Map<string, Entry[]> {
  const noticed = new Map<string, Entry[]>()
  for (const line of readFileSync(path, 'utf8')
    .split('\n')
    .filter((text) => text !== '')) {
    const entry = toEntry(line)
    const name = entry.parts.join(' + ')
    noticed.set(name, [...(noticed.get(name) ?? []), entry])
  }
  return noticed
}

/**
 * Stores the results of a run for later ones.
 *
 * @param code What codeAround() says of the removal.
 */
export function remember(parts: readonly string[], found: readonly Noticed[], code: string): void {
  const entries = found.map(({ red, green }) => {
    const entry = { parts, red, green, digest: '' }
    return { ...entry, digest: digestOf(entry, code) }
  })
  const lines = [...readNoticed().set(parts.join(' + '), entries).values()].flat().map(toLine)
  writeFileSync(
    path,
    lines
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((line) => `${line}\n`)
      .join(''),
  )
}

/** Whether neither the code around the removal nor the tests have changed since it was noticed. */
export function isUnchanged(entries: readonly Entry[], code: string): boolean {
  return entries.length > 0 && entries.every((entry) => entry.digest === digestOf(entry, code))
}

/** The tenth of a removal; each run repeats one tenth even without changes. */
export function tenthOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() % 10
}

/** The source of a removal, by its name. */
export function sourceOf(name: string): string {
  return name.slice(0, name.indexOf(': '))
}

function digestOf({ parts, red, green }: Entry, code: string): string {
  const tests = [red, green].map(codeOfTest)
  return createHash('sha256')
    .update(JSON.stringify([parts, red, green, code, tests]))
    .digest('hex')
    .slice(0, 8)
}

function toLine({ parts, red, green, digest }: Entry): string {
  const name = parts.length === 1 ? parts[0] : parts
  return JSON.stringify([name, red.file, red.title, green.file, green.title, digest])
}

function toEntry(line: string): Entry {
  // Written by toLine().
  const [name, redFile, red, greenFile, green, digest] = JSON.parse(line) as [
    string | string[],
    ...[string, string, string, string, string],
  ]
  const tests = { red: { file: redFile, title: red }, green: { file: greenFile, title: green } }
  return { parts: [name].flat(), ...tests, digest }
}
