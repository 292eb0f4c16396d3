import { filesIn, isTest } from '../full/files.js'
import { inGroups, shardOf } from '../full/shard.js'
import { importsIn } from '../imports-in.js'

/** Tests that a cluster does not run, although they use a service. */
export const exceptions: Readonly<Record<string, string>> = {
  'test/api/round-trips.test.ts': 'It counts what a single Postgres does.',
}

/**
 * What `npm run test:citus` runs: tests that use a service through its interface, and those of the cluster. Long ones are about
 * browsers, time and load, where a cluster changes nothing.
 *
 * @param repository Folder to search for test files.
 */
export function filesOfCluster(repository: string): string[] {
  const reachedFrom = importsIn(repository)
  return filesIn(repository).filter((file) => {
    if (!isTest(file) || exceptions[file] !== undefined) return false
    if (file.startsWith('test/citus/')) return reachedFrom(file).has(harness)
    return ofInterface.test(file) && !file.includes('.long.') && reachedFrom(file).has(harness)
  })
}

/** Makes the database of a service. */
const harness = 'test/given/own-service.ts'
const ofInterface = /^test\/(?:abuse|api|console|guards|protocols)\/|^test\/cli\/config\.test/

/**
 * The files whose path contains one of the words, or all without any, and of them a part such as 1/4; and the words that no path
 * contains.
 */
export function chooseFiles(
  files: readonly string[],
  words: readonly string[],
  part?: string,
): { readonly chosen: readonly string[]; readonly unknown: readonly string[] } {
  const { shard, count } = shardOf(part)
  const named = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  return {
    chosen: inGroups(named, count)[shard - 1] ?? [],
    unknown: words.filter((word) => !files.some((file) => file.includes(word))),
  }
}
