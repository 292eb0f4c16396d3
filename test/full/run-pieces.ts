import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { cleanEnvironment } from '../guards/vitest-run.js'
import { toText, type Tally } from '../tally-reporter.js'
import { root, type Piece } from './pieces.js'

interface Result {
  readonly tally: Tally
  /** Reason of a failure that the tally does not show. */
  readonly fault?: string
}

/**
 * Runs pieces one after another, and continues after a failure.
 *
 * @param say Receives their output, the result and duration of each, and finally the sum of their tallies.
 * @returns Whether all have passed.
 */
export async function runPieces(pieces: readonly Piece[], say: (line: string) => void): Promise<boolean> {
  const results: (Result & { name: string; minutes: string })[] = []
  for (const piece of pieces) {
    say(`\n=== ${piece.name}`)
    const begun = performance.now()
    const result = await run(piece, say)
    const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
    results.push({ ...result, name: piece.name, minutes })
  }
  say('\nMinutes, as minutesOf has them (test/full/pieces.ts):')
  for (const { name, minutes } of results) say(`  '${name}': ${minutes},`)
  say('')
  for (const { name, tally, minutes, fault } of results) {
    const line = `${tally.failed > 0 ? '✗' : '✓'} ${name}: ${toText(tally)} (${minutes} min)`
    say(fault === undefined ? line : `${line}: ${fault}`)
  }
  const total = results.map(({ tally }) => tally).reduce(add, none)
  say(toText(total))
  return total.failed === 0
}

async function run(piece: Piece, say: (line: string) => void): Promise<Result> {
  const { tally = none, fault } = await outcomeOf(piece, say)
  if (fault === undefined || tally.failed > 0) return { tally }
  return { tally: { ...tally, failed: 1 }, fault }
}

interface Outcome {
  readonly tally?: Tally
  readonly fault?: string
}

/** The tally, and any fault besides failed tests. */
async function outcomeOf(piece: Piece, say: (line: string) => void): Promise<Outcome> {
  try {
    const { tally, code } = await tallyOf(piece, say)
    if (tally === undefined) return { fault: 'it has not counted its tests' }
    return { tally, fault: code === 0 ? faultOf(tally, piece) : `it ended with ${code ?? 'a signal'}` }
  } catch (error) {
    // This piece could not start; the others continue.
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

/** Reports skipped tests beyond the limit, because they prove nothing. */
function faultOf({ passed, skipped }: Tally, { maySkip }: Piece): string | undefined {
  if (passed === 0 && !(maySkip?.isOfAll === true && skipped > 0)) return 'no test has passed'
  const allowed = maySkip?.count ?? 0
  return skipped > allowed ? `${skipped} skipped, of which ${allowed} may be` : undefined
}

const tallyLine = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/

/** Runs a piece. The tally is the last one printed; the code is null after a signal. */
async function tallyOf(
  { command, variables }: Piece,
  say: (line: string) => void,
): Promise<{ tally: Tally | undefined; code: number | null }> {
  const [program = '', ...words] = await command()
  const child = spawn(program, words, {
    cwd: root,
    env: { ...cleanEnvironment(), ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let tally: Tally | undefined
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, passed, failed, skipped] = tallyLine.exec(line) ?? []
    if (passed === undefined) say(line)
    else tally = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped ?? 0) }
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { tally, code }
}

const none: Tally = { passed: 0, failed: 0, skipped: 0 }

function add(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  }
}
