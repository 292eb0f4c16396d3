// @ts-check
import { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { createInterface } from 'node:readline'

/**
 * The command that must pass: formatting, lint with types, and tests, in parallel. The last line is the tally of all.
 *
 * Without words the slow files of `test/slow-files.ts` are left out; words are those of `vitest run`.
 */

const tallyLine = /^(\d+) passed, (\d+) failed/

/**
 * @param {string} program A command of a package.
 * @param {readonly string[]} words
 * @param {Readonly<Record<string, string>>} [variables]
 */
function start(program, words, variables) {
  const env = {
    ...process.env,
    ...variables,
    ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
  }
  return spawn(program, words, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
}

/**
 * @param {ReturnType<typeof start>} child
 * @returns {Promise<boolean>} Whether it succeeded.
 */
function ended(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${error.message}\n`)
      resolve(false)
    })
    child.once('close', (code) => resolve(code === 0))
  })
}

/**
 * Runs a check, and prints immediately whether it passed.
 *
 * @param {string} name
 * @param {string} program
 * @param {readonly string[]} words
 * @param {Readonly<Record<string, string>>} [variables]
 * @returns Its output if it failed, to be shown after the tests, where it is noticed.
 */
async function check(name, program, words, variables) {
  const begun = performance.now()
  const child = start(program, words, variables)
  /** @type {Buffer[]} */
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
  const isPassed = await ended(child)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  process.stdout.write(`${isPassed ? '✓' : '✗'} ${name} (${seconds} s)\n`)
  return { isPassed, text: isPassed ? '' : `\n✗ ${name}\n${Buffer.concat(said).toString()}\n` }
}

/**
 * Runs the tests and streams their output, except the tally, which is returned.
 *
 * @param {readonly string[]} words
 */
async function test(words) {
  const child = start('vitest', ['run', ...words], words.length === 0 ? { PORTICO_TEST_QUICK: '1' } : {})
  child.stderr.pipe(process.stderr)
  let tally = '0 passed, 1 failed'
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (tallyLine.test(line)) tally = line
    else process.stdout.write(`${line}\n`)
  })
  return { isPassed: await ended(child), tally }
}

const [tests, ...checks] = await Promise.all([
  test(process.argv.slice(2)),
  check('formatting', 'oxfmt', ['--check']),
  // In one thread: each has a checker of its own, which works out the types of the contract anew.
  check('types and lint', 'oxlint', ['-c', 'oxlint.config.js', '--threads=1'], { GOMAXPROCS: '1' }),
])
for (const { text } of checks) process.stdout.write(text)
const failedChecks = checks.filter(({ isPassed }) => !isPassed).length
const tally = tests.tally.replace(tallyLine, (_, passed, failed) => {
  const passedOfAll = Number(passed) + checks.length - failedChecks
  return `${passedOfAll} passed, ${Number(failed) + failedChecks} failed`
})
process.stdout.write(`${tally}\n`)
process.exitCode = failedChecks === 0 && tests.isPassed ? 0 : 1
