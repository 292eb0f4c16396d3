import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chooseFiles, filesOfCluster, isOfCluster } from '../citus/files.js'
import { importsIn } from '../imports-in.js'
import { nodeOf } from '../clients/sdk/toolchain.js'
import { filesIn, isTest } from './files.js'
import { inGroups } from './part.js'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A run of tests that ends with a tally. */
export interface Piece {
  readonly name: string
  /** Duration on two idle cores, by which pieces are distributed over parts. */
  readonly minutes: number
  /** The program and its arguments, run in the root of the repository. */
  readonly command: () => Promise<readonly string[]>
  readonly variables?: Readonly<Record<string, string>>
  /** The test files that it runs with every case, from the root of the repository; none if it runs something else. */
  readonly files?: readonly string[]
  /** Maximum number of skipped tests; default: none. */
  readonly maySkip?: Skips
}

interface Skips {
  readonly count: number
  readonly why: string
  /** Whether all tests may be skipped. */
  readonly isOfAll?: boolean
}

/** Number of parts at which each takes at most maxPartMinutes. */
export const defaultParts = 16
/** Maximum duration of a part on two cores. */
export const maxPartMinutes = 30

/**
 * Durations of pieces on two cores that did other work, too, per shard, as printed at the end of a run: idle ones take about half. A long test file that is not
 * listed counts as one minute.
 */
export const minutesOf: Readonly<Record<string, number>> = {
  'npm test': 8,
  'every file': 17,
  build: 3.0,
  'commands as processes': 9.7,
  emulator: 12,
  guards: 15,
  'node 20': 10,
  'node 22': 10,
  'node 24': 10,
  'every case': 12,
  citus: 15,
  'sdk/src/session/seal.long.test.ts': 1.1,
  'server/src/delivery/mail/mailer.long.test.ts': 1.1,
  'server/src/platform/db/embedded-surroundings.long.test.ts': 0.8,
  'server/src/platform/db/embedded.long.test.ts': 0.9,
  'test/abuse/cost.long.test.ts': 0.8,
  'test/abuse/fuzz.long.test.ts': 15,
  'test/api/prometheus.long.test.ts': 0.4,
  'test/cells/cells-later.long.test.ts': 0.4,
  'test/cli/config-breaking.long.test.ts': 0.2,
  'test/cli/portico-person.long.test.ts': 0.4,
  'test/cli/portico-rewrap.long.test.ts': 0.2,
  'test/cli/portico-serve.long.test.ts': 0.6,
  'test/cli/portico-traces.long.test.ts': 0.8,
  'test/clients/emulator/runners.long.test.ts': 0.8,
  'test/clients/emulator/seed.long.test.ts': 0.4,
  'test/clients/emulator/time.long.test.ts': 0.2,
  'test/clients/oidc/clients.long.test.ts': 1.4,
  'test/clients/sdk/package.long.test.ts': 0.3,
  'test/clients/sdk/versions.long.test.ts': 1.2,
  'test/clients/session/next-in-chromium.long.test.ts': 2.3,
  'test/clients/session/products-in-chromium.long.test.ts': 1.6,
  'test/conformance/account-issuer.long.test.ts': 0.3,
  'test/conformance/planted-faults.long.test.ts': 0.5,
  'test/console/console-in-chromium.long.test.ts': 2.8,
  'test/console/console-journeys.long.test.ts': 0.9,
  'test/deploy/image.long.test.ts': 2.7,
  'test/deploy/package.long.test.ts': 1.3,
  'test/deploy/proxies.long.test.ts': 1.6,
  'test/docs/example.long.test.ts': 2.2,
  'test/docs/openapi-tools.long.test.ts': 0.5,
  'test/docs/python-verifier.long.test.ts': 0.1,
  'test/docs/site-browser.long.test.ts': 1.2,
  'test/docs/site-preview.long.test.ts': 0.4,
  'test/drift/drift.long.test.ts': 10,
  'test/drift/input-drifts.long.test.ts': 13,
  'test/drift/record-drifts.long.test.ts': 29,
  'test/drift/route-drifts.long.test.ts': 20,
  'test/drift/vocabulary-drifts.long.test.ts': 23,
  'test/plans/plans.long.test.ts': 2.7,
  'test/protocols/account-page-in-chromium.long.test.ts': 1.2,
  'test/protocols/account-page-sections.long.test.ts': 0.7,
  'test/protocols/account-timing.long.test.ts': 1.2,
  'test/protocols/hosted-journey.long.test.ts': 0.6,
  'test/protocols/membership-in-chromium.long.test.ts': 1.7,
  'test/protocols/onboarding-pages.long.test.ts': 4.0,
  'test/protocols/pages-in-light.long.test.ts': 8.3,
  'test/protocols/pages.long.test.ts': 14,
  'test/protocols/passkeys-in-chromium.long.test.ts': 0.9,
  'test/protocols/saml/slow-documents.long.test.ts': 1.9,
  'test/protocols/simplesamlphp.long.test.ts': 0.6,
  'test/resilience/deliveries.long.test.ts': 6.3,
  'test/resilience/faults.long.test.ts': 5.1,
  'test/resilience/kills.long.test.ts': 5.3,
  'test/resilience/logout-tokens.long.test.ts': 1.6,
  'test/resilience/lost-answers.long.test.ts': 0.5,
  'test/resilience/migrations.long.test.ts': 0.2,
  'test/resilience/pooler.long.test.ts': 1.2,
  'test/resilience/postgres-15.long.test.ts': 1.8,
  'test/resilience/replica.long.test.ts': 1.4,
  'test/resilience/rolling-upgrade.long.test.ts': 2.7,
}

/** Pieces, in total over their shards, that skip tests on every machine. */
export const skipsOf: Readonly<Record<string, Skips>> = {
  emulator: {
    count: Infinity,
    why: 'A test that asks for what no emulator has is left out, and the run tells what it needs (test/clients/emulated/excluded.ts).',
  },
  citus: {
    count: Infinity,
    why: 'A machine without a Postgres that has Citus has no cluster, and the run tells so (test/citus/citus-programs.ts).',
    isOfAll: true,
  },
  'test/resilience/rolling-upgrade.long.test.ts': {
    count: 1,
    why: 'The version before is built from the history of the repository, which a shallow copy lacks (contract/released/release-before).',
  },
  'server/src/platform/db/embedded-surroundings.long.test.ts': {
    count: 1,
    why: 'One test is for a machine that has a Postgres of its own, and one for a machine that has none.',
  },
}

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')

/**
 * All test runs: `npm test`, every file, and what takes too long for both.
 *
 * @param repository Folder to search for test files.
 */
export function allPieces(repository = root): readonly Piece[] {
  const ofCluster = filesOfCluster(repository)
  return [
    piece('npm test', ['test/main.js']),
    piece('every file', [vitest, 'run']),
    piece('build', [tsx, 'test/full/build.ts']),
    piece('commands as processes', [vitest, 'run', 'test/cli'], { PORTICO_TEST_COMMANDS: 'process' }),
    ...longTests(repository)
      .filter((file) => !isOfCluster(file))
      .map((file) => withEveryCase(file, [file])),
    ...sharded('citus', 4, [tsx, 'test/citus/main.ts']).map((shard, index, { length }) => ({
      ...shard,
      files: chooseFiles(ofCluster, [], `${index + 1}/${length}`).chosen.filter(isOfCluster),
    })),
    // One run of many files costs less than many runs.
    ...inGroups(testsOtherInFull(repository), 3).flatMap((files, index, { length }) =>
      files.length === 0 ? [] : [withEveryCase(`every case ${index + 1}/${length}`, files)],
    ),
    ...sharded('emulator', 4, [tsx, 'test/clients/emulated/main.ts']),
    ...sharded('guards', 4, [tsx, 'test/guards/main.ts']),
    ...otherNodes.map((version) => ({
      ...piece(`node ${version}`, []),
      command: async () => [await nodeOf(version), vitest, 'run'],
    })),
  ]
}

/** The supported versions of Node other than that of this process. */
const otherNodes = (['20', '22', '24'] as const).filter(
  (version) => !process.version.startsWith(`v${version}.`),
)

function piece(
  name: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Piece {
  const known = name.replace(/ \d+\/\d+$/, '')
  return {
    name,
    minutes: minutesOf[known] ?? 1,
    command: () => Promise.resolve([process.execPath, ...args]),
    variables,
    maySkip: skipsOf[known],
  }
}

function withEveryCase(name: string, files: readonly string[]): Piece {
  return { ...piece(name, [vitest, 'run', ...files], { PORTICO_TEST_FULL: '1' }), files }
}

function sharded(name: string, count: number, args: readonly string[]): Piece[] {
  return Array.from({ length: count }, (_, index) =>
    piece(`${name} ${index + 1}/${count}`, [...args, `--shard=${index + 1}/${count}`]),
  )
}

function longTests(repository: string): string[] {
  return filesIn(repository).filter((file) => isTest(file) && isLong(file))
}

function isLong(file: string): boolean {
  return /\.long\.test\.tsx?$/.test(file)
}

/** Modules that do more in the full run: all cases of tables, journeys beside `npm start`, and the complete Chromium. */
export const fuller: readonly string[] = [
  'test/sampled.ts',
  'test/docs/beside-start.ts',
  'test/given/browser.ts',
]

/** Test files of which `npm test` runs only a part, directly or through imports. */
function testsOtherInFull(repository: string): string[] {
  const reachedFrom = importsIn(repository)
  return filesIn(repository).filter(
    (file) => isTest(file) && !isLong(file) && fuller.some((helper) => reachedFrom(file).has(helper)),
  )
}

/**
 * Distributes the pieces over parts of similar duration, deterministically.
 *
 * @param count 1 or more.
 */
export function parts(pieces: readonly Piece[], count: number): readonly (readonly Piece[])[] {
  const dealt: { minutes: number; pieces: Piece[] }[] = Array.from({ length: count }, () => ({
    minutes: 0,
    pieces: [],
  }))
  // Longest first, each to the shortest part so far.
  for (const next of [...pieces].sort((a, b) => b.minutes - a.minutes || (a.name < b.name ? -1 : 1))) {
    const [least] = [...dealt].sort((a, b) => a.minutes - b.minutes)
    if (least === undefined) continue
    least.pieces.push(next)
    least.minutes += next.minutes
  }
  return dealt.map((part) => part.pieces)
}
