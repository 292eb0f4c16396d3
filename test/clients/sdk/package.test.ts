import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { routes } from '@portico/contract/walk'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestOf, isKnown, remember } from '../../checked-before.js'
import { longTest, sampled } from '../../sampled.js'
import {
  bundler,
  commandOf,
  compile,
  manifestOf,
  nodeNext,
  packedConsumer,
  root,
  sdk,
  type Consumer,
} from './packed.js'
import { mockProgram, programs, sessionProgram, smokeProgram, wrongProgram } from './programs.js'
import { programOfCommand } from './typescript.js'

const run = promisify(execFile)

let consumer: Consumer

beforeAll(async () => {
  consumer = await packedConsumer()
  for (const name of ['msw', '@types/node', 'undici-types']) await consumer.link(name)
}, 300_000)

afterAll(() => consumer.remove())

describe('the archive', () => {
  test('has what package.json exports, README, changelog and licence, and nothing else', async () => {
    const { exports } = await manifestOf(consumer)
    const named = JSON.stringify(exports).match(/dist\/[\w.]+/g) ?? []
    const packed = consumer.files.map(({ path }) => path)

    expect(named.length).toBeGreaterThanOrEqual(16)
    expect(packed).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', ...named]))
    const others = packed.filter((path) => !/^dist\/[\w-]+\.(mjs|cjs|d\.mts|d\.cts)$/.test(path))
    expect(others.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    expect(await readFile(join(sdk, 'LICENSE'), 'utf8')).toBe(await readFile(join(root, 'LICENSE'), 'utf8'))
  })

  test('is one that publint finds nothing in', async () => {
    const bytes = await readFile(consumer.tarball)
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true })

    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })
})

test('the package has no dependency, also none that is bundled', async () => {
  const { dependencies, bundleDependencies, peerDependenciesMeta } = await manifestOf(consumer)
  const code = await builtCode(/^(index|webhooks|generated|session|express|hono).*\.[mc]js$/)

  expect([dependencies, bundleDependencies]).toEqual([undefined, undefined])
  expect(peerDependenciesMeta).toEqual({ msw: { optional: true }, next: { optional: true } })
  expect(code.match(/(?:require\(|from )["'](?!\.)[^"']+/g)).toBeNull()
  expect(code).not.toMatch(/zod|ts-rest/)
})

test.each(sampled(['mjs', 'cjs'] as const, 1))(
  'a program in .%s calls, verifies, receives and mocks',
  async (ending) => {
    expect(await runProgram(`smoke.${ending}`, smokeProgram(ending))).toBe('ok\n')
    expect(await runProgram(`mocking.${ending}`, mockProgram(ending))).toBe('ok\n')
    expect(await runProgram(`sessions.${ending}`, sessionProgram(ending))).toBe('ok\n')
  },
)

longTest(
  'every entry gives the same names to whoever imports or requires it, and no others than its declarations have',
  async () => {
    const { exports } = await manifestOf(consumer)
    const entries = Object.keys(Object(exports)).filter((entry) => entry !== './package.json')
    const names = entries.map((entry) => entry.replace('.', '@portico/sdk'))
    const printed = (loaded: string[]) =>
      `const keysOf = (entry) => Object.keys(entry).toSorted()
    void Promise.all([${loaded.join()}]).then((entries) => console.log(JSON.stringify(entries.map(keysOf))))`
    const imported = await runProgram('keys.mjs', printed(names.map((name) => `import('${name}')`)))
    const required = await runProgram('keys.cjs', printed(names.map((name) => `require('${name}')`)))

    expect(entries).toContain('./testing')
    expect(required).toBe(imported)
    expect(JSON.parse(imported)).toEqual(await declaredValues(names))
  },
  60_000,
)

longTest(
  'strict programs compile, which check their libraries: ESM and CommonJS, without a browser’s declarations',
  async () => {
    expect(await compile(consumer, { ...programs.ESM, ...programs.CommonJS }, { options: nodeNext })).toBe('')
  },
  300_000,
)

longTest(
  'so they do with the declarations of a browser alone, as a bundler resolves them',
  async () => {
    expect(await compile(consumer, programs.bundled, { options: bundler })).toBe('')
  },
  300_000,
)

test('a browser runs the bundle: it needs nothing that only Node has', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createClient } from '@portico/sdk'
        import { createSessions } from '@portico/sdk/session'
        import { signTestEvent, verifyWebhook } from '@portico/sdk/webhooks'
        export { createClient, createSessions, signTestEvent, verifyWebhook }`,
      resolveDir: consumer.folder,
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    globalName: 'sdk',
    platform: 'browser',
    target: 'es2022',
  })
  const [{ text = '' } = {}] = outputFiles

  const answered = await runInNewContext(
    `${text}; sdk.createClient({ baseUrl: 'https://auth.example', domain: 'a', clientId: 'b', clientSecret: 'c', fetch: answer })
      .organizations.get({ org_domain: 'awesome-company' })`,
    { ...webGlobals(), answer: answering({ domain: 'awesome-company' }) },
  )
  expect(answered).toEqual({ domain: 'awesome-company' })
})

test('the whole SDK is at most 9.1 kB for 99 operations and 60 bytes for each further one, minified and gzipped, and the verifier alone at most 4.8', async () => {
  const further = routes().length - 99
  expect(await bundledBytes(`export * from '@portico/sdk'`)).toBeLessThanOrEqual(9_100 + 60 * further)
  expect(await bundledBytes(`export { createVerifier } from '@portico/sdk'`)).toBeLessThanOrEqual(4_800)
})

test('the session layer is at most 12.5 kB without the receiver of webhooks, which it loads, and an adapter 1 kB more, minified and gzipped', async () => {
  const core = await bundledBytes(`export { createSessions, SessionError } from '@portico/sdk/session'`)

  expect(core).toBeLessThanOrEqual(12_500)
  for (const name of ['express', 'hono', 'next']) {
    const adapted = await bundledBytes(`export { portico } from '@portico/sdk/${name}'`)
    expect(adapted - core, name).toBeLessThanOrEqual(1_000)
  }
})

longTest(
  'comments and types cost an editor little: their files, and what the compiler makes of them',
  async () => {
    const types = await builtCode(/\.d\.mts$/)
    await consumer.write('small.mts', programs.ESM['client.mts'])
    const args = commandOf(['small.mts'])
    const program = programOfCommand(consumer.folder, args)
    const faults = ts.getPreEmitDiagnostics(program)
    const instantiations = program.getInstantiationCount()

    expect(faults).toEqual([])
    // For each operation: with its text, its errors and its record.
    expect(types.length).toBeLessThan(4_200 * routes().length)
    expect(gzipSync(types).byteLength).toBeLessThan(540 * routes().length)
    expect(instantiations).toBeGreaterThan(0)
    expect(instantiations).toBeLessThan(5_000)
  },
  60_000,
)

test('a switch over the codes of an operation and of any call is complete, as in the README, and does not compile when there is one more', async () => {
  const types = join(consumer.installed, 'dist', await declaringFile('UsersCreateErrorCode'))
  const declared = await readFile(types, 'utf8')
  const ofAnyCall = [...codesIn(declared, 'UndeclaredErrorCode'), 'unexpected_answer']
  const codes = [...codesIn(declared, 'UsersCreateErrorCode'), ...ofAnyCall]
  const program = exhaustiveProgram(codes)
  const readme = await readFile(join(consumer.installed, 'README.md'), 'utf8')

  // The libraries have been checked above.
  const options = [...nodeNext, '--skipLibCheck', 'true']

  expect(codes).toContain('email_taken')
  expect(ofAnyCall.length).toBeGreaterThan(3)
  expect(ofAnyCall.filter((code) => !readme.includes(`case '${code}':`))).toEqual([])
  expect(await compile(consumer, { 'switch.mts': program }, { options })).toBe('')
  await writeFile(
    types,
    declared.replace('type UsersCreateErrorCode =', "type UsersCreateErrorCode = 'phone_taken' |"),
  )
  const complaint = await compile(consumer, { 'switch.mts': program, 'wrong.mts': wrongProgram }, { options })
  await writeFile(types, declared)
  expect(complaint).toMatch(/switch\.mts\(\d+,\d+\): error TS2322: .*phone_taken/)
  expect(complaint).toMatch(/wrong\.mts\(\d+,\d+\): error TS2322: .*number/)
}, 300_000)

test('the generated files are what the contract says today', async () => {
  const inputs = await digestOf(generatorFiles)
  if (await isKnown('generated', inputs)) return
  const check = run(process.execPath, ['--import', 'tsx', 'generate.ts', '--check'], { cwd: sdk })

  await expect(check).resolves.toBeDefined()
  await remember('generated', inputs)
})

/** The inputs and outputs of the generator. */
const generatorFiles =
  /^(?:contract\/src\/.*\.tsx?|sdk\/[\w.-]+\.(?:ts|json)|sdk\/src\/(?:generated[\w-]*|index)\.ts|package-lock\.json|\.oxfmtrc\.json|\.editorconfig)$/

test('every record is exported by its name', async () => {
  const generated = await readFile(join(sdk, 'src/generated.ts'), 'utf8')
  const index = await readFile(join(sdk, 'src/index.ts'), 'utf8')

  const names = [...generated.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name)
  const records = names.filter((name) => !/(Input|Methods|\w+ErrorCode|RouteRow)$/.test(name))

  expect(records.filter((name) => !new RegExp(`\\b${name}\\b`).test(index))).toEqual([])
})

longTest(
  'every block of the README compiles',
  async () => {
    const readme = await readFile(join(consumer.installed, 'README.md'), 'utf8')
    const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
    const files = Object.fromEntries(blocks.map((block, index) => [`readme-${index}.mts`, block]))

    expect(blocks.length).toBeGreaterThan(5)
    // msw's declarations do not compile in strict programs.
    const options = [
      ...nodeNext,
      '--lib',
      'es2023,dom',
      '--exactOptionalPropertyTypes',
      'false',
      '--skipLibCheck',
      'true',
    ]
    expect(await compile(consumer, files, { options })).toBe('')
  },
  60_000,
)

async function builtCode(pattern: RegExp): Promise<string> {
  const dist = join(consumer.installed, 'dist')
  const names = (await readdir(dist)).filter((name) => pattern.test(name))
  const texts = await Promise.all(names.map((name) => readFile(join(dist, name), 'utf8')))
  return texts.join('\n')
}

async function runProgram(file: string, text: string): Promise<string> {
  await consumer.write(file, text)
  const { stdout } = await run(process.execPath, [join(consumer.folder, file)])
  return stdout
}

/** The names of the exported values of each entry, from its declarations. */
async function declaredValues(names: readonly string[]): Promise<string[][]> {
  const file = join(consumer.folder, 'values.mts')
  await writeFile(file, names.map((name, index) => `export * as entry${index} from '${name}'\n`).join(''))
  // With the options of the strict programs, so that the libraries are parsed once.
  const program = programOfCommand(consumer.folder, commandOf(['values.mts']))
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (!module) throw new Error(`${file} is no module`)
  return checker.getExportsOfModule(module).map((entry) =>
    checker
      .getPropertiesOfType(checker.getTypeOfSymbol(entry))
      .map(({ name }) => name)
      .toSorted(),
  )
}

async function bundledBytes(contents: string): Promise<number> {
  const stdin = { contents, resolveDir: consumer.folder }
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    external: ['next/*', '*webhooks.mjs'],
  })
  return gzipSync(outputFiles[0]?.contents ?? '').byteLength
}

/** Only the globals of browsers. */
function webGlobals() {
  const { AbortController, Headers, Response, TextDecoder, TextEncoder, URL, URLSearchParams, crypto } =
    globalThis
  const { atob, btoa, clearTimeout, fetch, setTimeout } = globalThis
  const classes = { AbortController, Headers, Response, TextDecoder, TextEncoder, URL, URLSearchParams }
  return { ...classes, crypto, atob, btoa, clearTimeout, fetch, setTimeout }
}

function answering(record: object): typeof globalThis.fetch {
  const token = { access_token: 'token', expires_in: 3600 }
  return async (address) =>
    Response.json(String(address).endsWith('/oauth/token') ? token : record, { status: 200 })
}

async function declaringFile(type: string): Promise<string> {
  const dist = join(consumer.installed, 'dist')
  for (const name of (await readdir(dist)).filter((each) => each.endsWith('.d.mts')))
    if ((await readFile(join(dist, name), 'utf8')).includes(`type ${type} =`)) return name
  throw new Error(`no file declares ${type}`)
}

function codesIn(declarations: string, type: string): string[] {
  const [, union = ''] = new RegExp(`type ${type} = ([^;]+);`).exec(declarations) ?? []
  return [...union.matchAll(/["'](\w+)["']/g)].map(([, code = '']) => code)
}

function exhaustiveProgram(codes: readonly string[]): string {
  return `import { isApiError } from '@portico/sdk'
    export function said(error: unknown): string {
      if (!isApiError(error, 'users.create')) throw error
      switch (error.code) {
        ${codes.map((code) => `case '${code}':`).join('\n')}
          return 'known'
        default: {
          const unknown: never = error.code
          return unknown
        }
      }
    }`
}
