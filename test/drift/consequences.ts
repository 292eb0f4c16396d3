import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RepositoryCopy } from '../guards/repository-copy.js'
import { cleanEnvironment } from '../guards/vitest-run.js'

/** The failures after an edit of the contract, before files are generated again. */
export interface Consequences {
  /** Files that do not compile. */
  readonly compile: readonly string[]
  /** Generated files that no longer match the contract. */
  readonly stale: readonly string[]
  /** Titles of failing tests of the contract. */
  readonly tests: readonly string[]
  /** Output of npm run contract:diff, one line per change. */
  readonly gate: GateReport
}

/** The changes visible to callers, by their effect on programs. */
export interface GateReport {
  readonly breaking: readonly string[]
  readonly additive: readonly string[]
  readonly documentation: readonly string[]
}

/** The report on a contract equal to the released one, or different only in words. */
export const unnoticed: GateReport = { breaking: [], additive: [], documentation: [] }

const tableFiles = ['migrations.ts', 'schema.ts', 'migrated-catalog.ts', 'migration-locks.ts'].map(
  (name) => `server/src/platform/db/${name}`,
)
const workspaces = ['contract', 'server', 'sdk']
const generatedFiles = ['sdk/src/generated.ts', 'sdk/src/generated-examples.ts', 'sdk/src/index.ts']

/** Compiles the copy, then compares generated files and runs tests of the contract in parallel. */
export async function consequencesIn(copy: RepositoryCopy): Promise<Consequences> {
  const compile = await compileErrors(copy)
  const [docs, sdk, tests, gate] = await Promise.all([
    staleDocs(copy),
    staleSdk(copy),
    failingTests(copy),
    gateReport(copy),
  ])
  return { compile, stale: [...docs, ...sdk].toSorted(), tests, gate }
}

/** Runs the gate, which must fail exactly when it reports a breaking change. */
async function gateReport(copy: RepositoryCopy): Promise<GateReport> {
  const { isFailure, output } = await run(copy, ['contract/gate/main.ts', '--json'])
  const [json] = /^\{.*\}$/m.exec(output) ?? []
  if (json === undefined) throw new Error(`npm run contract:diff breaks down:\n${output}`)
  const { changes } = JSON.parse(json) as { changes: (Change & { level: keyof GateReport })[] }
  const linesOf = (level: keyof GateReport) =>
    changes
      .filter((change) => change.level === level)
      .map(({ subject, where, what }) => [subject, where, what].filter(Boolean).join(' '))
  const report = {
    breaking: linesOf('breaking'),
    additive: linesOf('additive'),
    documentation: linesOf('documentation'),
  }
  if (isFailure !== report.breaking.length > 0)
    throw new Error(`npm run contract:diff ends wrongly:\n${output}`)
  return report
}

interface Change {
  readonly subject: string
  readonly where: string
  readonly what: string
}

/** The files that do not compile, by default of contract, server and SDK. */
export async function compileErrors(
  copy: RepositoryCopy,
  folders: readonly string[] = workspaces,
): Promise<string[]> {
  const words = ['node_modules/oxlint/bin/oxlint', '-c', 'oxlint.config.js', '-f', 'unix', ...folders]
  const { output } = await run(copy, words)
  const files = [...output.matchAll(/^(\S+?):\d+:\d+: .*\(TS\d+\)\]$/gm)].map(([, file = '']) => file)
  // Tests are ignored, because their errors follow from those of the sources.
  return [...new Set(files)].filter((file) => !/\.(test|given)\.tsx?$/.test(file)).toSorted()
}

/** Generates the files derived from the contract and the migrations, like npm run generate. */
export async function generateAll(copy: RepositoryCopy): Promise<void> {
  for (const file of [...tableFiles, ...generatedFiles]) await copy.write(file, await copy.read(file))
  await runOrThrow(copy, ['server/generate-schema.ts'])
  await runOrThrow(copy, ['sdk/generate.ts'])
  await runOrThrow(copy, ['docs/build.ts'])
}

/** Makes the current contract of the copy the released one. */
export async function releaseContract(copy: RepositoryCopy): Promise<void> {
  await runOrThrow(copy, ['contract/gate/release.ts', '--again', '--contract-alone'])
}

async function staleDocs(copy: RepositoryCopy): Promise<string[]> {
  const { output } = await run(copy, ['docs/check.ts'])
  return [...output.matchAll(/^(\S+) is stale/gm)].map(([, file = '']) => file).toSorted()
}

/** Compares the SDK's generated files, because its own check stops at the first stale one. */
async function staleSdk(copy: RepositoryCopy): Promise<string[]> {
  const before = new Map<string, string>()
  for (const file of generatedFiles) {
    const content = await copy.read(file)
    before.set(file, content)
    // Written through the copy, so that restore() resets it.
    await copy.write(file, content)
  }
  await runOrThrow(copy, ['sdk/generate.ts'])
  const stale: string[] = []
  for (const [file, content] of before) if ((await copy.read(file)) !== content) stale.push(file)
  return stale.toSorted()
}

/** Whether the checks of npm test for stale files fail. */
export async function failingChecks(copy: RepositoryCopy): Promise<{ docs: boolean; sdk: boolean }> {
  const docs = await run(copy, ['docs/check.ts'])
  const sdk = await run(copy, ['sdk/generate.ts', '--check'])
  return { docs: docs.isFailure, sdk: sdk.isFailure }
}

interface FileReport {
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
}

async function failingTests(copy: RepositoryCopy): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-report-'))
  const report = join(folder, 'report.json')
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', 'contract/src/contract.test.ts', '--project=unit']
  try {
    const { output } = await run(copy, [...vitest, '--reporter=json', `--outputFile=${report}`])
    const text = await readFile(report, 'utf8').catch(() => undefined)
    if (text === undefined) throw new Error(`the tests of the contract do not run:\n${output}`)
    const { testResults } = JSON.parse(text) as { testResults: FileReport[] }
    const results = testResults.flatMap(({ assertionResults }) => assertionResults)
    return results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runOrThrow(copy: RepositoryCopy, args: readonly string[]): Promise<void> {
  const { isFailure, output } = await run(copy, args)
  if (isFailure) throw new Error(`${args.join(' ')} fails:\n${output}`)
}

/** Limit for hanging scripts; a loaded machine takes several times as long as an idle one. */
const timeLimitMs = 10 * 60_000

/**
 * Runs a script of the copy: TypeScript with tsx, others with node. The output of a killed script is incomplete,
 * so it throws.
 */
function run(copy: RepositoryCopy, args: readonly string[]): Promise<{ isFailure: boolean; output: string }> {
  const loader = args[0]?.endsWith('.ts') === true ? ['--conditions=source', '--import', 'tsx'] : []
  const bin = join(copy.root, 'node_modules/.bin')
  const env = { ...cleanEnvironment(), PATH: `${bin}:${process.env.PATH ?? ''}` }
  const options = { cwd: copy.root, env, timeout: timeLimitMs, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...loader, ...args], options, (error, stdout, stderr) => {
      const output = stdout + stderr
      if (typeof error?.code === 'number' || error === null) resolve({ isFailure: error !== null, output })
      else reject(new Error(`${args.join(' ')} did not come to an end:\n${output}`, { cause: error }))
    })
  })
}
