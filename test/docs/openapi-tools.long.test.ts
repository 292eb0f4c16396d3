import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'

const run = promisify(execFile)

const root = fileURLToPath(new URL('../..', import.meta.url))

const documents = ['openapi.json', 'openapi-3.0.json', 'openapi-emulator.json']
const typed = ['openapi.json', 'openapi-3.0.json']

test.each(documents)(
  'docs/%s is clean under redocly lint',
  async (file) => {
    const report = (await lint()).get(file)

    expect(report?.problems).toEqual([])
    expect(report?.totals).toMatchObject({ errors: 0, warnings: 0, ignored: 0 })
  },
  60_000,
)

for (const file of typed)
  test(`docs/${file} gives types that compile under strict options and know the records`, async () => {
    const faults = await compile()

    expect(faults.filter((fault) => fault.startsWith(`${file}/`) || !isOfTyped(fault))).toEqual([])
  }, 60_000)

const use = `
import type { components, operations } from './api.js'

type Created = operations['users.create']['responses'][201]['content']['application/json']
type NewUser = NonNullable<operations['users.create']['requestBody']>['content']['application/json']
type Conflict = operations['users.create']['responses'][409]['content']['application/json']

export const gender = (user: Created): 'female' | 'male' | 'other' | null => user.profile.gender
export const body: NewUser = { email: 'ada@awesome.example', nickname: null }
export const code = (failure: Conflict): 'email_taken' | 'idempotency_in_flight' => failure.error.code
export const same = (user: Created): components['schemas']['User'] => user
// @ts-expect-error A body has an e-mail address.
export const without: NewUser = {}
`

interface Report {
  readonly totals: object
  readonly problems: readonly unknown[]
}

/** The report of redocly on each document. One run reads all of them, because half of its time is start-up. */
function lint(): Promise<ReadonlyMap<string, Report>> {
  linted ??= lintAll()
  return linted
}

let linted: Promise<ReadonlyMap<string, Report>> | undefined

async function lintAll(): Promise<ReadonlyMap<string, Report>> {
  const config = ['--config', 'docs/redocly.yaml', '--format', 'json', '--max-problems', '1000']
  const redocly = [
    'node_modules/@redocly/cli/bin/cli.js',
    'lint',
    ...config,
    ...documents.map((file) => `docs/${file}`),
  ]
  // Faults are in the output, and also in the exit code.
  const { stdout } = await run(process.execPath, redocly, { cwd: root, env: quiet() }).catch(saidOf)
  // The reports of all documents are concatenated.
  const reports = JSON.parse(`[${stdout.trim().replaceAll(/^\}\{$/gm, '},{')}]`) as Report[]
  expect(reports).toHaveLength(documents.length)
  return new Map(documents.map((file, index) => [file, reports[index] ?? { totals: {}, problems: [] }]))
}

/** The compiler's errors in the types of both documents, one per line; one program shares the parsed libraries. */
function compile(): Promise<readonly string[]> {
  compiled ??= compileAll()
  return compiled
}

let compiled: Promise<readonly string[]> | undefined

async function compileAll(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-openapi-'))
  try {
    for (const file of typed) {
      const document = readFileSync(join(root, 'docs', file), 'utf8')
      mkdirSync(join(folder, file))
      writeFileSync(join(folder, file, 'api.ts'), astToString(await openapiTypescript(document)))
      writeFileSync(join(folder, file, 'use.ts'), use)
    }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: typed.map((file) => `${file}/*.ts`) }),
    )
    const tsc = ['node_modules/typescript/bin/tsc', '--pretty', 'false', '-p', folder]
    const { stdout } = await run(process.execPath, tsc, { cwd: root }).catch(saidOf)
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.slice(line.indexOf(basename(folder)) + basename(folder).length + 1))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function isOfTyped(fault: string): boolean {
  return typed.some((file) => fault.startsWith(`${file}/`))
}

/** The output of a failed program; throws if it could not be run. */
function saidOf(error: unknown): { stdout: string } {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' && error.stdout !== '')
    return { stdout: error.stdout }
  throw error
}

const compilerOptions = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'es2023',
  // Without the declarations of browsers, which take as long to parse as the document.
  lib: ['es2023'],
  module: 'nodenext',
  types: [],
}

/** An environment without telemetry and version checks. */
function quiet(): NodeJS.ProcessEnv {
  return { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
}
