import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAllowed } from './allowed.js'
import { listed, type Listed } from './listed.js'
import { readNoticed, sourceOf } from './noticed.js'
import { removalsOf, type Removal } from './removals.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A removal that some test must notice. */
export interface GeneratedGuard extends Removal {
  readonly name: string
  /** The tests among which one that notices is looked for; undefined where no list demands the removal. */
  readonly where: Listed | undefined
}

const noticed = readNoticed()
const whereOf = new Map(
  listed.flatMap((where) => where.sources.flatMap(sourcesIn).map((file) => [file, where] as const)),
)

/** Those of the listed sources that are demanded, and those that have a line in noticed.jsonl, always in the same order. */
const candidates: readonly GeneratedGuard[] = [
  ...new Set([...whereOf.keys(), ...[...noticed.keys()].map(sourceOf)]),
]
  .flatMap((file) => removalsOf(file, readFileSync(join(root, file), 'utf8')))
  .map(({ site, ...removal }) => ({
    ...removal,
    site,
    name: `${removal.file}: ${removal.key}`,
    where: site === undefined ? undefined : whereOf.get(removal.file),
  }))

/** The names of those that a list demands. */
export const demanded: readonly string[] = candidates
  .filter(({ where }) => where !== undefined)
  .map(({ name }) => name)

/** Those that a test must notice. */
export const generatedGuards = candidates.filter(
  ({ name, where }) => noticed.has(name) || (where !== undefined && !isAllowed(name)),
)

/** The lines of noticed.jsonl whose removal is generated no more. */
export function staleNames(): string[] {
  const names = new Set(generatedGuards.map(({ name }) => name))
  return [...noticed.keys()].filter((name) => !names.has(name))
}

/** The sources of a folder, without tests; of a file it alone. */
export function sourcesIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path]
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|given)\.tsx?$/.test(name))
    .map((name) => `${path}/${name.replaceAll('\\', '/')}`)
    .toSorted()
}
