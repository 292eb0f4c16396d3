import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import type { NamedTest } from '../vitest-run.js'

/** The test that noticed a removal, and one that reaches the same guard and passes without it. */
export interface Noticed {
  readonly red: NamedTest
  readonly green: NamedTest
}

interface Entry extends Noticed {
  /** The names of removals made at once, if several places guard the same thing; mostly one. */
  readonly parts: readonly string[]
  /** Digest of the source and of both test files when the removal was noticed; empty if not recorded. */
  readonly digest: string
}

const path = new URL('noticed.jsonl', import.meta.url)
const root = fileURLToPath(new URL('../../../', import.meta.url))

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

/** Stores the results of a run for later ones. */
export function remember(parts: readonly string[], found: readonly Noticed[]): void {
  const entries = found.map(({ red, green }) => {
    const entry = { parts, red, green, digest: '' }
    return { ...entry, digest: digestOf(entry) }
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

/** Whether neither the source nor the tests have changed since the removal was noticed. */
export function isUnchanged(entries: readonly Entry[] = []): boolean {
  return entries.length > 0 && entries.every((entry) => entry.digest === digestOf(entry))
}

/** The tenth of a removal; each run repeats one tenth even without changes. */
export function tenthOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() % 10
}

/** The source of a removal, by its name. */
export function sourceOf(name: string): string {
  return name.slice(0, name.indexOf(': '))
}

function digestOf({ parts, red, green }: Entry): string {
  const hash = createHash('sha256').update(JSON.stringify([parts, red, green]))
  for (const file of [...parts.map(sourceOf), red.file, green.file]) hash.update(codeOf(file))
  return hash.digest('hex').slice(0, 8)
}

const codes = new Map<string, string>()

/** The words of a file without its comments, which no test can notice; empty where the file is not there. */
function codeOf(file: string): string {
  let code = codes.get(file)
  if (code === undefined) {
    code = existsSync(root + file) ? wordsOf(file, readFileSync(root + file, 'utf8')).join('\n') : ''
    codes.set(file, code)
  }
  return code
}

/** The words of the code in a file. */
export function wordsOf(file: string, content: string): string[] {
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest)
  const words: string[] = []
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source)
    if (children.length === 0) words.push(node.getText(source))
    // A docstring is a child of what it describes.
    else for (const child of children) if (!ts.isJSDoc(child)) visit(child)
  }
  visit(source)
  return words
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
