import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { cleanEnvironment } from '../guards/vitest-run.js'
import { toText, type Tally } from '../tally-reporter.js'
import { root, type Piece } from './pieces.js'

interface Result {
  readonly tally: Tally
  /** Why it has failed, where its tally does not say so. */
  readonly fault?: string
}

/**
 * Runs pieces one after another, also after one that has failed.
 *
 * @param say Takes what they say, what each came to and took, and last the sum of their tallies.
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

/** What it has counted, and what is wrong beside the tests that it counts as failed. */
async function outcomeOf(piece: Piece, say: (line: string) => void): Promise<Outcome> {
  try {
    const { tally, code } = await tallyOf(piece, say)
    if (tally === undefined) return { fault: 'it has not counted its tests' }
    return { tally, fault: code === 0 ? faultOf(tally, piece) : `it ended with ${code ?? 'a signal'}` }
  } catch (error) {
    // It could not begin; the others may.
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

/** A test that was skipped proves nothing. */
function faultOf({ passed, skipped }: Tally, { maySkip }: Piece): string | undefined {
  if (passed === 0) return 'no test has passed'
  const allowed = maySkip?.count ?? 0
  return skipped > allowed ? `${skipped} skipped, of which ${allowed} may be` : undefined
}

const tallyLine = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/

/** Runs it to its end. The tally is the last one that it says; the code is null after a signal. */
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
