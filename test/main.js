import { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { createInterface } from 'node:readline'

/**
 * The one command that must pass: types first, because the tests that start the service as a process of its own run what
 * they compile to (vitest.config.ts); then formatting and lint beside the tests. The tests' tally is the last line.
 */
const seconds = (start) => `${((performance.now() - start) / 1000).toFixed(1)} s`
const tally = /^\d+ passed, \d+ failed/

function start(command) {
  const [program, ...words] = command
  const env = { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) }
  return spawn(program, words, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
}

function ended(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${error.message}\n`)
      resolve(false)
    })
    child.once('close', (code) => resolve(code === 0))
  })
}

/** Runs a check, and shows what it says once it has ended. */
async function check(name, ...command) {
  const begun = performance.now()
  const child = start(command)
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
  const isPassed = await ended(child)
  process.stdout.write(
    `${Buffer.concat(said).toString()}${isPassed ? '✓' : '✗'} ${name} (${seconds(begun)})\n`,
  )
  return isPassed
}

/** Runs the tests, showing what they say as they say it, but for the tally, which is given back. */
async function test(...words) {
  const child = start(['vitest', 'run', ...words])
  child.stderr.pipe(process.stderr)
  let last = '0 passed, 1 failed'
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (tally.test(line)) last = line
    else process.stdout.write(`${line}\n`)
  })
  return { isPassed: await ended(child), tally: last }
}

const areTypesRight = await check('types', 'tsc', '-b')
const [isFormatted, isClean, tests] = await Promise.all([
  check('formatting', 'prettier', '--check', '--log-level', 'warn', '.'),
  check('lint', 'eslint', '.'),
  test(...process.argv.slice(2)),
])
process.stdout.write(`${tests.tally}\n`)
process.exitCode = areTypesRight && isFormatted && isClean && tests.isPassed ? 0 : 1
