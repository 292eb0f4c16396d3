import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eleventy } from '@11ty/eleventy'
import { root } from './contents.js'

// The documentation site: npm run docs shows it and follows what is edited, npm run docs -- build writes the files,
// npm run docs -- screenshots takes the images of the hosted pages anew.

const port = Number(process.env['PORT'] ?? 8080)
const output = 'docs/dist/site'
const configPath = 'docs/site/eleventy.config.ts'

process.chdir(root)
const [command = 'serve'] = process.argv.slice(2)
if (command === 'build') await build()
else if (command === 'serve') await serve()
else if (command === 'screenshots') takeScreenshots()
else throw new Error(`npm run docs knows build and screenshots; ${command} it does not`)

/**
 * Written beside and put in place as a whole, so that nothing stays of a page that is gone, and nobody is served half a
 * site. The stamp has the time before anything was read: what is edited meanwhile is built the next time.
 */
async function build(): Promise<void> {
  const begun = new Date()
  const beside = `${output}-${process.pid}`
  mkdirSync(join(beside, 'assets'), { recursive: true })
  try {
    await new Eleventy('.', beside, { quietMode: true, configPath }).write()
    writeFileSync(join(beside, '.built'), '')
    utimesSync(join(beside, '.built'), begun, begun)
    putInPlace(beside)
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
}

/** Two programs that build at once, such as two files of tests, both end well: the second finds that of the first. */
function putInPlace(beside: string): void {
  const old = `${beside}-old`
  if (existsSync(output)) renameSync(output, old)
  try {
    renameSync(beside, output)
  } catch (error) {
    if (!existsSync(output)) {
      if (existsSync(old)) renameSync(old, output)
      throw error
    }
  }
  rmSync(old, { recursive: true, force: true })
}

/** The suite has the pages and the browser. */
function takeScreenshots(): void {
  // What is told to tsx here is for this program alone.
  const env = { ...process.env, TSX_TSCONFIG_PATH: undefined, PORTICO_SCREENSHOTS: 'take' }
  const tests = ['node_modules/vitest/vitest.mjs', 'run', 'test/docs/screenshots.test.ts']
  process.exitCode = spawnSync(process.execPath, tests, { env, stdio: 'inherit' }).status ?? 1
}

async function serve(): Promise<void> {
  const eleventy = new Eleventy('.', `${output}-preview`, { quietMode: true, runMode: 'serve', configPath })
  await eleventy.init()
  await eleventy.watch()
  await eleventy.serve(port)
  process.stdout.write(`http://localhost:${port}\n`)
  const stop = () => void eleventy.stopWatch()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  // tsx, which started this, may be killed before it can pass a signal on.
  const { ppid: parent } = process
  setInterval(() => process.ppid !== parent && stop(), 500).unref()
}
