import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAllowed } from './allowed.js'
import { listed, type Listed } from './listed.js'
import { removalsOf, type Removal } from './removals.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A removal that some test must notice, and the tests that may. */
export interface GeneratedGuard extends Removal {
  readonly name: string
  readonly where: Listed
}

/** Every removal of the listed sources, always in the same order. */
export const everyRemoval: readonly GeneratedGuard[] = listed.flatMap((where) =>
  where.sources.flatMap(sourcesIn).flatMap((file) =>
    removalsOf(file, readFileSync(join(root, file), 'utf8')).map((removal) => ({
      ...removal,
      name: `${file}: ${removal.key}`,
      where,
    })),
  ),
)

/** Those that a test must notice. */
export const generatedGuards = everyRemoval.filter(({ name }) => !isAllowed(name))

/** The sources of a folder, without tests; of a file it alone. */
export function sourcesIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path]
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|given)\.tsx?$/.test(name))
    .map((name) => `${path}/${name.replaceAll('\\', '/')}`)
    .toSorted()
}
