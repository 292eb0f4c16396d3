import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { cleanEnvironment } from '../guards/vitest-run.js'
import { toText, type Tally } from '../tally-reporter.js'
import { allPieces, parts, root, type Piece } from './pieces.js'

/*
 *     npm run test:full                    everything that is proved, in one go
 *     npm run test:full -- --part 3/8      the third of eight parts, each of which takes at most 15 minutes
 *     npm run test:full -- --list          what is in the parts
 *     npm run test:full -- embedded        the pieces whose name contains a word
 */

const none: Tally = { passed: 0, failed: 0, skipped: 0 }
const defaultParts = 8
const tallyLine = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/

const args = process.argv.slice(2)
if (args.includes('--list')) list()
else await runAll(chosen())

function chosen(): readonly Piece[] {
  const pieces = allPieces()
  const at = args.indexOf('--part')
  if (at === -1) return pieces.filter(({ name }) => args.every((word) => name.includes(word)))
  const [, part = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(args[at + 1] ?? '') ?? []).map(Number)
  if (part < 1 || part > count) throw new Error('--part takes which part of how many, such as 3/8')
  return parts(pieces, count)[part - 1] ?? []
}

function list(): void {
  for (const [index, pieces] of parts(allPieces(), defaultParts).entries()) {
    const minutes = pieces.reduce((sum, piece) => sum + piece.minutes, 0)
    process.stdout.write(`${index + 1}/${defaultParts}, about ${minutes} minutes\n`)
    for (const { name, minutes } of pieces) process.stdout.write(`  ${name} (${minutes})\n`)
  }
}

async function runAll(pieces: readonly Piece[]): Promise<void> {
  if (pieces.length === 0) throw new Error('There is no piece of that name: npm run test:full -- --list')
  const results: { name: string; tally: Tally; minutes: string }[] = []
  for (const piece of pieces) {
    process.stdout.write(`\n=== ${piece.name}\n`)
    const begun = performance.now()
    const tally = await run(piece)
    results.push({ name: piece.name, tally, minutes: ((performance.now() - begun) / 60_000).toFixed(1) })
  }
  process.stdout.write('\n')
  for (const { name, tally, minutes } of results)
    process.stdout.write(`${tally.failed > 0 ? '✗' : '✓'} ${name}: ${toText(tally)} (${minutes} min)\n`)
  const total = results.reduce((sum, { tally }) => add(sum, tally), none)
  process.stdout.write(`${toText(total)}\n`)
  process.exitCode = total.failed > 0 ? 1 : 0
}

/** The tally is the last one that the piece says; without one, or when it fails and counts no failure, it has failed. */
async function run({ command, variables }: Piece): Promise<Tally> {
  const [program = '', ...words] = await command()
  const child = spawn(program, words, {
    cwd: root,
    env: { ...cleanEnvironment(), ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  let tally: Tally | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    const [, passed, failed, skipped] = tallyLine.exec(line) ?? []
    if (passed === undefined) process.stdout.write(`${line}\n`)
    else tally = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped ?? 0) }
  }
  const [code] = (await exit) as [number | null]
  if (tally === undefined) return { ...none, failed: 1 }
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally
}

function add(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  }
}
