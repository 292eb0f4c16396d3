import { filesIn, isTest } from '../full/files.js'
import { inGroups, partOf } from '../full/part.js'
import { importsIn } from '../imports-in.js'

/** Tests that a cluster does not run, although they use a service: a folder or a file, and why. */
export const exceptions: Readonly<Record<string, string>> = {
  'test/api/round-trips.test.ts': 'It counts what a single Postgres does for a request.',
  'test/cells/prepare.test.ts': 'It is about a Postgres without Citus.',
  'test/cli/portico-doctor.test.ts':
    'It damages the schema by commands that a cluster refuses; test/citus asks doctor there.',
  'test/cli/portico-domains-upgrade.test.ts':
    'It takes migrations back, among them those from before a cluster.',
  'test/cli/portico-migrate.test.ts': 'It is about what a migration does in a single Postgres.',
  'test/clients/': 'They are about clients, whose requests other tests send as well.',
  'test/conformance/': 'As clients.',
  'test/docs/': 'As clients.',
  'test/drift/': 'They change the contract, and run tests beside the change.',
  'test/plans/': 'Plans are those of a single Postgres.',
  'test/resilience/': 'They end and disturb a Postgres of their own.',
}

/** Test files that use a service with a database of its own. */
export function filesOfService(repository: string): string[] {
  const reachedFrom = importsIn(repository)
  return filesIn(repository).filter(
    (file) => isTest(file) && reachedFrom(file).has('test/given/own-service.ts'),
  )
}

/**
 * What `npm run test:citus` runs: tests that use a service, and those of the cluster.
 *
 * @param repository Folder to search for test files.
 */
export function filesOfCluster(repository: string): string[] {
  const excepted = Object.keys(exceptions)
  return filesOfService(repository).filter((file) => !excepted.some((place) => file.startsWith(place)))
}

/** Whether only a cluster runs a test file. */
export function isOfCluster(file: string): boolean {
  return file.startsWith('test/citus/')
}

/**
 * The files whose path contains one of the words, or all without any, and of them a part such as 1/4; and the words that no path
 * contains.
 */
export function chooseFiles(
  files: readonly string[],
  words: readonly string[],
  text = '1/1',
): { readonly chosen: readonly string[]; readonly unknown: readonly string[] } {
  const { part, count } = partOf('--shard', text)
  const named = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  return {
    chosen: inGroups(named, count)[part - 1] ?? [],
    unknown: words.filter((word) => !files.some((file) => file.includes(word))),
  }
}
