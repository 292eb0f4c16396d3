import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { longTest } from '../sampled.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Replaces docs/site/main.ts. */
const builder = "import { writeFileSync } from 'node:fs'\nwriteFileSync('built', '')"

/** A checkout with the program and these files, by the path of a symbolic link to it. */
function givenLinkedCheckout(program: string, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-linked-'))
  folders.push(folder)
  const checkout = join(folder, 'checkout')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true })
    writeFileSync(join(checkout, path), text)
  }
  cpSync(join(root, program), join(checkout, program))
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'junction')
  symlinkSync(checkout, join(folder, 'link'), 'junction')
  return join(folder, 'link')
}

const run = (...args: string[]) => promisify(execFile)(process.execPath, args)

function givenSources(): string {
  const sources = ['index', 'express', 'hono', 'mock', 'next', 'session', 'testing', 'webhooks'].map(
    (name) => [`sdk/src/${name}.ts`, 'export {}'],
  )
  return givenLinkedCheckout('server/compile.js', {
    ...Object.fromEntries(sources),
    'package.json': '{ "type": "module" }',
    'contract/src/events/webhook-signature.ts': 'export {}',
    'server/src/app/processes.ts': 'export {}',
    'sdk/package.json': '{}',
  })
}

test('a checkout behind a symbolic link is compiled', async () => {
  const checkout = givenSources()

  await run(join(checkout, 'server/compile.js'))

  expect(existsSync(join(checkout, 'server/dist/app/processes.js'))).toBe(true)
})

test.each(['server/dist/app/processes.js', 'sdk/dist/index.mjs'])(
  '%s has the time before its sources were read: what is edited meanwhile is compiled the next time',
  async (output) => {
    const checkout = givenSources()

    await run(join(checkout, 'server/compile.js'))

    // The compiler wrote both files at the same time.
    const written = statSync(join(checkout, `${output}.map`)).mtimeMs
    expect(statSync(join(checkout, output)).mtimeMs).toBeLessThan(written)
  },
)

test('two builds of one process both come to an end', async () => {
  const checkout = givenSources()
  const twice = `import { compile } from './server/compile.js'
    await Promise.all([compile(), compile()])
    console.log('compiled')`
  writeFileSync(join(checkout, 'twice.js'), twice)

  expect((await run(join(checkout, 'twice.js'))).stdout).toBe('compiled\n')
})

longTest('a checkout behind a symbolic link builds its site', async () => {
  const checkout = givenLinkedCheckout('docs/build-when-stale.js', {
    'package.json': '{ "type": "module" }',
    'docs/site/main.ts': builder,
  })
  await run(join(checkout, 'docs/build-when-stale.js'))

  expect(existsSync(join(checkout, 'built'))).toBe(true)
})

longTest('what cannot be built or looked at ends no service, and is told', async () => {
  const checkout = givenLinkedCheckout('docs/build-when-stale.js', {
    'package.json': '{ "type": "module" }',
    'docs/site/main.ts': 'process.exitCode = 1',
    // Replaces the service: it listens, and ends after printing the URL of its documentation.
    'service.js': `
      import { channel } from 'node:diagnostics_channel'
      const { write } = process.stderr
      process.stderr.write = (text) => { clearTimeout(alive); return write.call(process.stderr, text) }
      const alive = setTimeout(() => {}, 60_000)
      channel('portico.listening').publish({})
      console.log('listens')`,
  })
  // The form of an editor's lock file.
  symlinkSync('nowhere', join(checkout, 'docs/.#start.md'))

  const { stdout, stderr } = await run(
    '--import',
    pathToFileURL(join(checkout, 'docs/build-when-stale.js')).href,
    join(checkout, 'service.js'),
  )

  expect(stdout).toBe('listens\n')
  expect(stderr).toBe('The documentation could not be built: npm run docs -- build says why\n')
  expect(existsSync(join(checkout, 'docs/dist/.builder'))).toBe(false)
})
