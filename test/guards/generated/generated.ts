import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAllowed } from './allowed.js'
import { listed, type Listed } from './listed.js'
import { readNoticed, sourceOf } from './noticed.js'
import { removalsOf, type Removal } from './removals.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A removal, or several made at once, that some test must notice. */
export interface GeneratedGuard {
  readonly name: string
  readonly removals: readonly Removal[]
  /** The tests among which a noticing one is searched; undefined if no list requires the removal. */
  readonly where: Listed | undefined
}

const noticed = readNoticed()
const whereOf = new Map(
  listed.flatMap((where) => where.sources.flatMap(sourcesIn).map((file) => [file, where] as const)),
)

/** All possible removals of listed sources and of sources in noticed.jsonl, by name. */
const removals = new Map(
  [
    ...new Set([
      ...whereOf.keys(),
      ...[...noticed.values()].flat().flatMap(({ parts }) => parts.map(sourceOf)),
    ]),
  ]
    .flatMap((file) => removalsOf(file, readFileSync(join(root, file), 'utf8')))
    .map((removal) => [`${removal.file}: ${removal.key}`, removal]),
)

/** Removals required by a list. */
const listedGuards: readonly GeneratedGuard[] = [...removals].flatMap(([name, removal]) => {
  const where = removal.site === undefined ? undefined : whereOf.get(removal.file)
  return where === undefined ? [] : [{ name, removals: [removal], where }]
})

/** Names of removals required by a list. */
export const demanded: readonly string[] = listedGuards.map(({ name }) => name)

/** Removals that a test must notice: all with a line, and all required by a list and not allowed. */
export const generatedGuards: readonly GeneratedGuard[] = [
  ...listedGuards.filter(({ name }) => noticed.has(name) || !isAllowed(name)),
  ...[...noticed].flatMap(([name, [entry]]) => {
    const found = entry?.parts.map((part) => removals.get(part)).filter((part) => part !== undefined) ?? []
    const isWhole = found.length === entry?.parts.length && !demanded.includes(name)
    return isWhole ? [{ name, removals: found, where: undefined }] : []
  }),
]

/** Names in noticed.jsonl that no longer match a generated removal. */
export function staleNames(): string[] {
  const names = new Set(generatedGuards.map(({ name }) => name))
  return [...noticed.keys()].filter((name) => !names.has(name))
}

/** The sources of a folder without tests, or a single file. */
export function sourcesIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path]
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|given)\.tsx?$/.test(name))
    .map((name) => `${path}/${name.replaceAll('\\', '/')}`)
    .toSorted()
}
