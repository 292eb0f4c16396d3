import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampled } from '../../sampled.js'
import { documentedMembers } from './documented.js'
import { compile, nodeNext, packedConsumer, sdk, type Consumer } from './packed.js'
import { programOf } from './typescript.js'

let consumer: Consumer
let program: ts.Program
/** The comments in the sources, independent of how the package is loaded. */
let saidInSources: string[] | undefined

beforeAll(async () => {
  consumer = await packedConsumer()
  for (const name of ['msw', '@types/node', 'undici-types']) await consumer.link(name)
  program = typesOf(entries())
}, 300_000)

afterAll(() => consumer.remove())

test('every export of every entry says what it is', () => {
  const exported = entries().flatMap(exportsOf)

  expect(exported.length).toBeGreaterThan(150)
  expect(exported.filter((each) => commentOf(each) === '').map((each) => each.name)).toEqual([])
})

test('every method of the client says what it does, whom it refuses, and shows a call of itself', () => {
  const methods = clientMethods()

  expect(methods.length).toBeGreaterThan(90)
  expect(methods.filter(({ symbol }) => commentOf(symbol) === '').map(({ name }) => name)).toEqual([])
  const without = methods.filter(
    ({ name, symbol }) => !examplesOf(symbol).join('').includes(`client.${name}`),
  )
  expect(without.map(({ name }) => name)).toEqual([])
  const silent = methods.filter(({ symbol }) => !tagsOf(symbol).some(({ name }) => name === 'throws'))
  expect(silent.map(({ name }) => name)).toEqual(['events.listen'])
  const refusals = methods
    .flatMap(({ symbol }) => throwsOf(symbol))
    .filter((text) => /^ApiError\b/.test(text))
  expect(refusals.length).toBeGreaterThan(90)
  expect(refusals.filter((text) => !text.endsWith('or as any call, see ErrorCodeOf.'))).toEqual([])
})

test('every function that is exported shows a call of itself', () => {
  const functions = entries()
    .flatMap(exportsOf)
    .filter((each) => (each.flags & ts.SymbolFlags.Function) !== 0)

  expect(functions.map(({ name }) => name)).toEqual(expect.arrayContaining(['createClient', 'verifyWebhook']))
  expect(
    functions.filter((each) => !examplesOf(each).join('').includes(`${each.name}(`)).map(({ name }) => name),
  ).toEqual([])
})

test.each(sampled(['import', 'require'] as const, 1))(
  'every member that says in its source what it is says so to programs that %s the package',
  (how) => {
    const sources = entries('import').map((entry) =>
      entry.replace(/^.*\/dist\/(.*)\.d\.mts$/, join(sdk, 'src/$1.ts')),
    )
    const said = (saidInSources ??= documentedMembers(typesOf(sources), sources, join(sdk, 'src/')))
    const declaring = how === 'import' ? program : typesOf(entries(how))
    const packed = documentedMembers(declaring, entries(how), consumer.installed)

    expect(said.length).toBeGreaterThan(1_500)
    expect(said).toContainEqual(expect.stringMatching(/^UsersCreateInput\.profile\.locale: ./))
    expect(packed).toEqual(said)
  },
)

test('every example compiles', async () => {
  const examples = [...program.getSourceFiles()]
    .filter(({ fileName }) => fileName.startsWith(consumer.installed))
    .flatMap((file) =>
      [...file.text.matchAll(/^ *\* @example\n *\* ```ts\n([^]*?)^ *\* ```$/gm)].map(([, lines = '']) => ({
        adapter: adapterOf(file.fileName),
        text: lines.replace(/^ *\* ?/gm, ''),
      })),
    )

  expect(examples.length).toBeGreaterThan(100)
  const files = Object.fromEntries(
    [undefined, ...adapters].map((adapter) => {
      const own = examples.filter((example) => example.adapter === adapter)
      const blocks = own.map(({ text }, index) => `export async function example${index}() {\n${text}\n}`)
      return [`examples-${adapter ?? 'others'}.mts`, `${preamble(adapter)}\n${blocks.join('\n')}`]
    }),
  )
  const options = [
    ...nodeNext,
    '--exactOptionalPropertyTypes',
    'false',
    '--lib',
    'es2022,dom',
    '--skipLibCheck',
    'true',
  ]
  expect(await compile(consumer, files, { options })).toBe('')
})

/** The entries whose function is called as in the others. */
const adapters = ['express', 'hono', 'next']

function adapterOf(file: string): string | undefined {
  return adapters.find((name) => file.endsWith(`/dist/${name}.d.mts`))
}

/** The declarations of each entry that package.json exports. */
function entries(how: 'import' | 'require' = 'import'): string[] {
  const { exports } = JSON.parse(readFileSync(join(consumer.installed, 'package.json'), 'utf8')) as {
    exports: Record<string, string | Record<'import' | 'require', { types: string }>>
  }
  return Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [join(consumer.installed, entry[how].types)],
  )
}

function typesOf(files: readonly string[]): ts.Program {
  return programOf(files, { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 })
}

/** The exported symbols of an entry, with aliases resolved. */
function exportsOf(entry: string): ts.Symbol[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const file = source && checker.getSymbolAtLocation(source)
  if (!file) throw new Error(`${entry} is no module`)
  return checker
    .getExportsOfModule(file)
    .map((each) => ((each.flags & ts.SymbolFlags.Alias) === 0 ? each : checker.getAliasedSymbol(each)))
}

function clientMethods(): { name: string; symbol: ts.Symbol }[] {
  const checker = program.getTypeChecker()
  const client = entries()
    .flatMap(exportsOf)
    .find(({ name }) => name === 'Client')
  if (!client) throw new Error('there is no Client')
  return checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(client))
    .flatMap((resource) =>
      checker
        .getPropertiesOfType(checker.getTypeOfSymbol(resource))
        .map((symbol) => ({ name: `${resource.name}.${symbol.name}`, symbol })),
    )
}

function commentOf(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(program.getTypeChecker()))
}

function tagsOf(symbol: ts.Symbol): ts.JSDocTagInfo[] {
  return symbol.getJsDocTags(program.getTypeChecker())
}

function examplesOf(symbol: ts.Symbol): string[] {
  return tagsOf(symbol).flatMap(({ name, text }) =>
    name === 'example' ? [ts.displayPartsToString(text)] : [],
  )
}

function throwsOf(symbol: ts.Symbol): string[] {
  return tagsOf(symbol).flatMap(({ name, text }) =>
    name === 'throws' ? [ts.displayPartsToString(text)] : [],
  )
}

/** Imports of all exports, or of those of an adapter, and the variables that examples use. */
function preamble(adapter: string | undefined): string {
  if (adapter !== undefined) return `import { portico } from '@portico/sdk/${adapter}'`
  const [main = '', ...others] = entries()
  const values = (entry: string) =>
    exportsOf(entry)
      .filter(({ flags }) => (flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class)) !== 0)
      .map(({ name }) => name)
  const shared = [main, ...others].filter((entry) => adapterOf(entry) === undefined)
  const named = shared.map((entry) => {
    const name = entry.replace(/^.*\/dist\/(.*)\.d\.mts$/, '$1')
    return `import { ${values(entry).join(', ')} } from '@portico/sdk${name === 'index' ? '' : `/${name}`}'`
  })
  return `${[...new Set(named)].join('\n')}
    declare const client: import('@portico/sdk').Client
    declare const portico: import('@portico/sdk/testing').Portico
    declare const verifier: import('@portico/sdk').AccountVerifier
    declare const request: Request
    declare const [token, idToken, logoutToken, nonce, link, signatureKey]: [string, string, string, string, string, string]`
}
