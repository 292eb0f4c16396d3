import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { importsIn } from '../imports-in.js'

const isTest = (file: string) => /\.test\.tsx?$/.test(file) && !file.includes('.long.')

/** Words of a folder's name that say nothing. */
const empty = new Set(['and', 'in', 'of', 'on', 'to'])

/**
 * The tests that are about changed files: those that have changed, those that import what has, and those of test/ whose path has
 * a word of the resource that has.
 *
 * @param files All files of the repository, from its root.
 * @returns Also the changed sources for which there is none.
 */
export function chooseTests(
  root: string,
  files: readonly string[],
  changed: readonly string[],
): { files: string[]; unknown: string[] } {
  const reachedFrom = importsIn(root)
  const tests = files.filter((file) => isTest(file) && existsSync(join(root, file)))
  const sources = changed.filter((file) => /\.(tsx?|m?js|ya?ml)$/.test(file))
  const about = new Map(
    sources.map((source) => [
      source,
      tests.filter((test) => reachedFrom(test).has(source) || isNamedLike(test, source)),
    ]),
  )
  return {
    files: [...new Set([...about.values()].flat())].toSorted(),
    unknown: sources.filter((source) => about.get(source)?.length === 0),
  }
}

/** Whether a test of the service has a word of a source's folder, or of its name where that lies in the contract. */
function isNamedLike(test: string, source: string): boolean {
  if (!test.startsWith('test/')) return false
  const [, ofServer, ofContract] =
    /^(?:server\/src\/([^/]+)\/|contract\/src\/([^/]+)\.ts$)/.exec(source) ?? []
  const name = ofServer ?? ofContract
  if (name === undefined) return false
  const words = name.split('-').filter((word) => word.length > 2 && !empty.has(word))
  const singular = (word: string) => word.replace(/(?<!s)s$/, '')
  const inPath = new Set(test.split(/[^a-z0-9]+/).map(singular))
  return words.some((word) => inPath.has(singular(word)))
}
