import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeOf } from '../sdk/toolchain.js'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A run of tests that ends with a tally. */
export interface Piece {
  readonly name: string
  /** On two idle cores. By it the pieces are dealt into parts; a piece that is not measured here counts as one. */
  readonly minutes: number
  /** The program, and its arguments, from the root of the repository. */
  readonly command: () => Promise<readonly string[]>
  readonly variables?: Readonly<Record<string, string>>
}

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')

/** Everything that is proved: what `npm test` runs, and what takes too long for it. */
export function allPieces(): readonly Piece[] {
  return [
    piece('npm test', 5, ['test/main.js']),
    piece('build', 4, [tsx, 'test/full/build.ts']),
    piece('commands as processes', 5, [vitest, 'run', 'test/cli'], { PORTICO_TEST_COMMANDS: 'process' }),
    ...[...filesThat(isLong), ...filesThat(isSampled)].map((file) =>
      piece(file, minutesOf[file] ?? 1, [vitest, 'run', file], { PORTICO_TEST_FULL: '1' }),
    ),
    ...sharded('emulator', 4, 5, [tsx, 'test/emulated/main.ts']),
    ...sharded('guards', 12, 5, [tsx, 'test/guards/main.ts']),
    ...otherNodes.flatMap((version) =>
      sharded(`node ${version}`, 2, 3, [vitest, 'run']).map((shard) => ({
        ...shard,
        command: async () => [await nodeOf(version), ...(await shard.command()).slice(1)],
      })),
    ),
  ]
}

/** Those that this process is not. */
const otherNodes = (['20', '22', '24'] as const).filter(
  (version) => !process.version.startsWith(`v${version}.`),
)

/** Measured on two idle cores. */
const minutesOf: Readonly<Record<string, number>> = {
  'test/drift/drift.long.test.ts': 3,
  'test/drift/input-drifts.long.test.ts': 5,
}

function piece(
  name: string,
  minutes: number,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Piece {
  return { name, minutes, command: () => Promise.resolve([process.execPath, ...args]), variables }
}

function sharded(name: string, count: number, minutes: number, args: readonly string[]): Piece[] {
  return Array.from({ length: count }, (_, index) =>
    piece(`${name} ${index + 1}/${count}`, minutes, [...args, `--shard=${index + 1}/${count}`]),
  )
}

function isLong(file: string): boolean {
  return file.endsWith('.long.test.ts')
}

/** Whether `npm test` runs a part of it: some cases of its tables, or its journeys without `npm start`. */
function isSampled(file: string): boolean {
  const text = readFileSync(join(root, file), 'utf8')
  return !isLong(file) && /from '.*\/(sampled|beside-start)\.js'/.test(text)
}

/** Files of tests, from the root of the repository. */
function filesThat(isWanted: (file: string) => boolean): string[] {
  return ['server/src', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name.split(sep).join('/')}`,
      ),
    )
    .filter((name) => /\.test\.tsx?$/.test(name) && !name.includes('node_modules') && isWanted(name))
    .toSorted()
}

/**
 * Deals the pieces into parts that take about as long as one another, the same each time.
 *
 * @param count 1 or more.
 */
export function parts(pieces: readonly Piece[], count: number): readonly (readonly Piece[])[] {
  const dealt: { minutes: number; pieces: Piece[] }[] = Array.from({ length: count }, () => ({
    minutes: 0,
    pieces: [],
  }))
  // The longest first, each to the part that has the least so far.
  for (const next of [...pieces].sort((a, b) => b.minutes - a.minutes || (a.name < b.name ? -1 : 1))) {
    const [least] = [...dealt].sort((a, b) => a.minutes - b.minutes)
    if (least === undefined) continue
    least.pieces.push(next)
    least.minutes += next.minutes
  }
  return dealt.map((part) => part.pieces)
}
