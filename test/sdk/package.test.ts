import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const sdk = join(root, 'sdk')
const bin = join(root, 'node_modules/.bin')

/** A program's folder, with the built package in its node_modules. */
let consumer = ''
let installed = ''

beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'portico-sdk-'))
  installed = join(consumer, 'node_modules/@portico/sdk')
  await mkdir(join(consumer, 'node_modules/@types'), { recursive: true })
  await run(join(bin, 'tsdown'), ['--out-dir', join(installed, 'dist')], { cwd: sdk })
  await cp(join(sdk, 'package.json'), join(installed, 'package.json'))
  for (const name of ['msw', '@types/node', 'undici-types'])
    await symlink(join(root, 'node_modules', name), join(consumer, 'node_modules', name))
}, 60_000)

afterAll(() => rm(consumer, { recursive: true, force: true }))

test('the built files are those that package.json exports and publishes', async () => {
  const { exports, files } = JSON.parse(await readFile(join(sdk, 'package.json'), 'utf8')) as {
    exports: object
    files: string[]
  }
  const built = await readdir(join(installed, 'dist'))

  const named = JSON.stringify(exports).match(/dist\/[\w.]+/g) ?? []
  expect(named).toHaveLength(16)
  expect(built).toEqual(expect.arrayContaining(named.map((path) => path.replace('dist/', ''))))
  const endings = files.map((pattern) => pattern.replace('dist/*', ''))
  expect(built.filter((name) => !endings.some((ending) => name.endsWith(ending)))).toEqual([])
})

test('the package has no dependency, also none that is bundled', async () => {
  const { dependencies } = JSON.parse(await readFile(join(sdk, 'package.json'), 'utf8')) as {
    dependencies?: object
  }
  const code = await builtCode(/^(index|webhooks|generated).*\.[mc]js$/)

  expect(dependencies).toBeUndefined()
  expect(code.match(/(?:require\(|from )["'](?!\.)[^"']+/g)).toBeNull()
  expect(code).not.toMatch(/zod|ts-rest/)
})

test.each([
  ['ESM', 'program.mjs', (name: string) => `import * as loaded from '${name}'`],
  ['CommonJS', 'program.cjs', (name: string) => `const loaded = require('${name}')`],
])('%s programs import the client, the receiver and the mock', async (_, file, load) => {
  const program = (name: string, member: string) => `${load(name)}\nconsole.log(typeof loaded.${member})`

  expect(await runProgram(file, program('@portico/sdk', 'createClient'))).toBe('function\n')
  expect(await runProgram(file, program('@portico/sdk/webhooks', 'verifyWebhook'))).toBe('function\n')
  expect(await runProgram(file, program('@portico/sdk/mock', 'createMockHandlers'))).toBe('function\n')
})

test('the client is at most 8 kB, minified and gzipped', async () => {
  const outDir = join(consumer, 'minified')
  const options = ['src/index.ts', '--format', 'esm', '--minify', '--no-dts', '--out-dir', outDir]
  await run(join(bin, 'tsdown'), options, { cwd: sdk })

  const [file, ...others] = await readdir(outDir)
  const bytes = gzipSync(await readFile(join(outDir, file ?? '')), { level: 9 }).byteLength

  expect(others).toEqual([])
  expect(bytes).toBeLessThanOrEqual(8 * 1024)
})

test('the generated files are what the contract says today', async () => {
  await run(join(bin, 'tsc'), ['-b', join(root, 'contract')])
  await expect(run(join(bin, 'tsx'), ['generate.ts', '--check'], { cwd: sdk })).resolves.toBeDefined()
})

test('every record is exported by its name', async () => {
  const generated = await readFile(join(sdk, 'src/generated.ts'), 'utf8')
  const index = await readFile(join(sdk, 'src/index.ts'), 'utf8')

  const names = [...generated.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name)
  const records = names.filter((name) => !/(Input|Methods|\w+ErrorCode|RouteRow)$/.test(name))

  expect(records.filter((name) => !new RegExp(`\\b${name}\\b`).test(index))).toEqual([])
})

test('the declarations compile in ESM and CommonJS programs that check their libraries', async () => {
  const program = `import { createClient, type Event, type User } from '@portico/sdk'
    import { verifyWebhook } from '@portico/sdk/webhooks'
    export const receive: (body: string) => Promise<Event> = (body) => verifyWebhook(body, {}, 'whsec_')
    export const make: () => Promise<User> = () =>
    createClient({ baseUrl: '', domain: '', clientId: '', clientSecret: '' }).users.create({ org_domain: '', email: '' })`

  await expect(
    compile({ 'esm.mts': program, 'cjs.cts': program }, ['--skipLibCheck', 'false']),
  ).resolves.toBe('')
}, 60_000)

test('every block of the README compiles', async () => {
  const readme = await readFile(join(sdk, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)

  const files = Object.fromEntries(blocks.map((block, index) => [`readme-${index}.mts`, block]))

  expect(blocks.length).toBeGreaterThan(5)
  await expect(compile(files, ['--skipLibCheck', 'true'])).resolves.toBe('')
})

async function builtCode(pattern: RegExp): Promise<string> {
  const names = (await readdir(join(installed, 'dist'))).filter((name) => pattern.test(name))
  const texts = await Promise.all(names.map((name) => readFile(join(installed, 'dist', name), 'utf8')))
  return texts.join('\n')
}

async function runProgram(file: string, text: string): Promise<string> {
  await writeFile(join(consumer, file), text)
  const { stdout } = await run(process.execPath, [join(consumer, file)])
  return stdout
}

/** What the compiler has to say. */
async function compile(files: Readonly<Record<string, string>>, options: readonly string[]): Promise<string> {
  const paths = Object.keys(files).map((name) => join(consumer, name))
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(consumer, name), text)))
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const fixed = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom']
  const call = run(process.execPath, [tsc, ...fixed, '--types', 'node', ...options, ...paths], {
    cwd: consumer,
  })
  return call.then(
    () => '',
    (failure: { stdout: string }) => failure.stdout,
  )
}
