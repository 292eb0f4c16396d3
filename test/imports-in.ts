import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/**
 * Resolves the imports of files in a repository.
 *
 * @returns A function that gives a file and its direct and indirect imports, from the root of the repository.
 */
export function importsIn(root: string): (file: string) => Set<string> {
  const imports = new Map<string, readonly string[]>()

  function reachedFrom(file: string, found: Set<string>): Set<string> {
    if (found.has(file)) return found
    found.add(file)
    const known = imports.get(file) ?? importsOf(root, file)
    imports.set(file, known)
    for (const each of known) reachedFrom(each, found)
    return found
  }

  return (file) => reachedFrom(file, new Set())
}

/** The files of the repository that a file imports, without the server, because tests depend on all of it. */
export function importsOf(root: string, file: string): string[] {
  if (!existsSync(join(root, file))) return []
  const text = readFileSync(join(root, file), 'utf8')
  // Import statements at the start of a line, not those in program texts of tests; and dynamic imports.
  const found = text.matchAll(/^(?:import|export)\b[^'"`;]*'([^']+)'|\bimport\(\s*'([^']+)'/gm)
  const specifiers = [...found].map(([, stated, loaded]) => stated ?? loaded ?? '')
  return specifiers.flatMap((name) => {
    const path = name.startsWith('.')
      ? posix.join(dirname(file), name)
      : name
          .replace(/^@portico\/contract\/(.+)$/, (_, entry: string) => sourceOf(root, entry))
          .replace(/^@portico\/(contract|sdk)$/, '$1/src/index')
          .replace(/^@portico\/sdk\//, 'sdk/src/')
    const stem = path.replace(/\.js$/, '')
    return ['.ts', '.tsx', '.js']
      .map((ending) => stem + ending)
      .filter((each) => existsSync(join(root, each)))
  })
}

/** The source of an entry point of the contract, from its package.json. */
function sourceOf(root: string, entry: string): string {
  const description = join(root, 'contract/package.json')
  const { exports = {} } = existsSync(description)
    ? (JSON.parse(readFileSync(description, 'utf8')) as { exports?: Record<string, { source: string }> })
    : {}
  const source = exports[`./${entry}`]?.source ?? `./src/${entry}.ts`
  return posix.join('contract', source.replace(/\.ts$/, ''))
}
