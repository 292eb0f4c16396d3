import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { root, type Piece } from './pieces.js'
import { runPieces } from './run-pieces.js'

/** A piece that prints these lines and exits with this code. */
function piece(name: string, lines: readonly string[], code = 0): Piece {
  const program = `process.stdout.write(${JSON.stringify(`${lines.join('\n')}\n`)}); process.exitCode = ${code}`
  return { name, minutes: 1, command: () => Promise.resolve([process.execPath, '-e', program]) }
}

async function resultOf(...pieces: readonly Piece[]) {
  const lines: string[] = []
  const isPassed = await runPieces(pieces, (line) => lines.push(line))
  return { isPassed, lines, tally: lines.at(-1), ofPiece: lines.filter((line) => /^[✓✗]/.test(line)) }
}

test('a run passes when each piece has passed, and its last line is the sum', async () => {
  const { isPassed, tally, ofPiece } = await resultOf(
    piece('one', ['said by one', '2 passed, 0 failed']),
    piece('other', ['3 passed, 0 failed']),
  )

  expect([isPassed, tally]).toEqual([true, '5 passed, 0 failed'])
  expect(ofPiece).toEqual([
    expect.stringMatching(/^✓ one: 2 passed, 0 failed \(\d+\.\d min\)$/),
    expect.stringMatching(/^✓ other: 3 passed, 0 failed \(\d+\.\d min\)$/),
  ])
})

test.each([
  ['was skipped as a whole', piece('one', ['0 passed, 0 failed, 10 skipped']), 'no test has passed'],
  ['skips a test', piece('one', ['4 passed, 0 failed, 1 skipped']), '1 skipped, of which 0 may be'],
  ['ran nothing', piece('one', ['0 passed, 0 failed']), 'no test has passed'],
  ['says no tally', piece('one', ['nothing']), 'it has not counted its tests'],
  ['ends with an error', piece('one', ['4 passed, 0 failed'], 3), 'it ended with 3'],
  [
    'cannot begin',
    { ...piece('one', []), command: () => Promise.reject(new Error('Node 22 cannot be fetched')) },
    'Node 22 cannot be fetched',
  ],
  [
    'has a program that is not there',
    { ...piece('one', []), command: () => Promise.resolve(['/no/such/program']) },
    'ENOENT',
  ],
])('a piece that %s has failed, and the others run', async (_, failing, why) => {
  const { isPassed, tally, ofPiece } = await resultOf(failing, piece('other', ['3 passed, 0 failed']))

  expect(isPassed).toBe(false)
  expect(tally).toMatch(/^\d+ passed, 1 failed/)
  expect(ofPiece).toEqual([
    expect.stringMatching(new RegExp(`^✗ one: .*1 failed.*${why}`)),
    expect.stringContaining('✓ other: 3 passed, 0 failed'),
  ])
})

test('a piece may skip as many tests as it is known to skip, and no more', async () => {
  const maySkip = { count: 1, why: 'one of two kinds of machine' }
  const skipping = (count: number) => ({
    ...piece('one', [`4 passed, 0 failed, ${count} skipped`]),
    maySkip,
  })

  expect(await resultOf(skipping(1))).toMatchObject({
    isPassed: true,
    tally: '4 passed, 0 failed, 1 skipped',
  })
  expect(await resultOf(skipping(2))).toMatchObject({
    isPassed: false,
    tally: '4 passed, 1 failed, 2 skipped',
  })
})

test('a piece that may be skipped as a whole counts what it has skipped, and has to have counted', async () => {
  const maySkip = { count: Infinity, why: 'machines without a cluster', isOfAll: true }
  const skipped = { ...piece('one', ['0 passed, 0 failed, 7 skipped']), maySkip }

  expect(await resultOf(skipped)).toMatchObject({ isPassed: true, tally: '0 passed, 0 failed, 7 skipped' })
  expect(await resultOf({ ...piece('one', ['0 passed, 0 failed']), maySkip })).toMatchObject({
    isPassed: false,
  })
})

test('a run ends with what its pieces took, as the table of minutes has it', async () => {
  const { lines } = await resultOf(piece('npm test', ['2 passed, 0 failed']))

  expect(lines).toContainEqual(expect.stringMatching(/^ {2}'npm test': \d+\.\d,$/))
})

test('a name that no piece has is told, and counted as a failure in the last line', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', main, 'no-such-piece'], {
    cwd: root,
    encoding: 'utf8',
  })

  expect([status, stdout]).toEqual([1, '0 passed, 1 failed\n'])
  expect(stderr).toContain('no piece of that name')
})
