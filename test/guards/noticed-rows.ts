import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { codeAround, codeOfTest, contentOf } from './code-of.js'
import type { Guard } from './guard.js'
import { guards } from './guards.js'
import { edited } from './repository-copy.js'

const path = new URL('noticed-rows.jsonl', import.meta.url)

/** Whether neither the code around the guard nor its tests have changed since its removal was noticed. */
export function isRowUnchanged(row: Guard): boolean {
  const digest = readRows().get(row.name)
  return digest !== undefined && digest === digestOf(row)
}

/** Stores that the removal of a guard was noticed, for later runs. Rows that are not in the table any longer are left out. */
export function rememberRow(row: Guard): void {
  const rows = readRows().set(row.name, digestOf(row))
  const lines = guards
    .flatMap(({ name }) => (rows.has(name) ? [JSON.stringify([name, rows.get(name)])] : []))
    .toSorted((a, b) => (a < b ? -1 : 1))
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
}

function readRows(): Map<string, string> {
  const lines = readFileSync(path, 'utf8').split('\n')
  // Written by rememberRow().
  return new Map(lines.filter((line) => line !== '').map((line) => JSON.parse(line) as [string, string]))
}

/** Empty where the guard has moved, which its removal reports. */
function digestOf(row: Guard): string {
  try {
    return digestOfFound(row)
  } catch {
    return ''
  }
}

function digestOfFound({ name, edits, red, green }: Guard): string {
  const code = [...new Set(edits.map(({ file }) => file))].map((file) => {
    const before = contentOf(file)
    const after = edits
      .filter((edit) => edit.file === file)
      .reduce((content, edit) => edited(content, edit), before)
    return codeAround(file, before, after)
  })
  const tests = [red, green].map(codeOfTest)
  return createHash('sha256')
    .update(JSON.stringify([name, code, red, green, tests]))
    .digest('hex')
    .slice(0, 8)
}
