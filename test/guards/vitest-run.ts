import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { escaped } from './repository-copy.js'

/** A test by its file, from the root of the repository, and its title prefixed with those of the enclosing groups. */
export interface NamedTest {
  readonly file: string
  readonly title: string
}

export interface TestOutcome extends NamedTest {
  readonly state: 'passed' | 'failed' | 'skipped'
  /** The errors, each beginning with the name of its class. */
  readonly errors: readonly string[]
}

/** The report of a vitest run: the outcome of every test, and the output. */
export interface RunReport {
  outcomeOf(test: NamedTest): TestOutcome | undefined
  readonly outcomes: readonly TestOutcome[]
  readonly output: string
}

/** For each file of a run. */
const timeLimitMs = 180_000

/**
 * Runs only these tests in one process of vitest, until a number of failures.
 *
 * @param databaseUrl A running Postgres; without it the run starts its own, which is slow.
 */
export function runTests(
  root: string,
  tests: readonly NamedTest[],
  databaseUrl = process.env.TEST_DATABASE_URL,
  maxFailures = 0,
): Promise<RunReport> {
  const files = [...new Set(tests.map(({ file }) => file))]
  const titles = [...new Set(tests.map(({ title }) => escaped(title)))]
  const options = ['--testNamePattern', `^(${titles.join('|')})$`, `--bail=${maxFailures}`]
  // Named tests run also where the suite runs a sample of their table.
  return run(root, files, databaseUrl, options, { PORTICO_TEST_FULL: '1' })
}

/** Runs the tests of these files whose titles match, in one process of vitest. */
export function runFiles(
  root: string,
  files: readonly string[],
  databaseUrl: string | undefined,
  { pattern }: { readonly pattern?: string } = {},
): Promise<RunReport> {
  return run(root, files, databaseUrl, pattern === undefined ? [] : ['--testNamePattern', pattern])
}

async function run(
  root: string,
  files: readonly string[],
  databaseUrl: string | undefined,
  options: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<RunReport> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-report-'))
  const report = join(folder, 'report.json')
  try {
    const environment = { ...variables, TEST_DATABASE_URL: databaseUrl }
    const output = await execute(root, environment, timeLimitMs * files.length, [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...files,
      // The project of unit tests starts no database.
      ...[...new Set(files.map(projectOf))].map((project) => `--project=${project}`),
      // Reuses compiled modules that the edit does not affect.
      '--experimental.fsModuleCache',
      ...options,
      '--reporter=json',
      `--outputFile=${report}`,
    ])
    const outcomes = outcomesOf(root, await readReport(report))
    const byKey = new Map(outcomes.map((outcome) => [keyOf(outcome), outcome]))
    return { outcomeOf: (test) => byKey.get(keyOf(test)), outcomes, output }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The project of a file, as in vitest.config.ts. */
function projectOf(file: string): string {
  return file.startsWith('test/') ? 'service' : 'unit'
}

/** The variables of this process without those that mark a nested vitest, or a run that leaves files out. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV$|PORTICO_TEST_QUICK$)/.test(name),
  )
  return Object.fromEntries(own)
}

function execute(
  root: string,
  variables: NodeJS.ProcessEnv,
  timeout: number,
  args: string[],
): Promise<string> {
  const given = Object.entries(variables).filter(([, value]) => value !== undefined)
  const env = { ...cleanEnvironment(), ...Object.fromEntries(given) }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, env, timeout })
    const chunks: string[] = []
    child.stdout.on('data', (chunk) => chunks.push(String(chunk)))
    child.stderr.on('data', (chunk) => chunks.push(String(chunk)))
    child.once('error', reject)
    child.once('close', () => resolve(chunks.join('')))
  })
}

interface FileReport {
  readonly name: string
  readonly assertionResults: readonly {
    readonly ancestorTitles: readonly string[]
    readonly title: string
    readonly status: string
    readonly failureMessages: readonly string[] | null
  }[]
}

/** Throws without a report, because vitest then failed before its end, regardless of test outcomes. */
async function readReport(path: string): Promise<readonly FileReport[]> {
  try {
    const { testResults } = JSON.parse(await readFile(path, 'utf8')) as { testResults: FileReport[] }
    return testResults
  } catch {
    return []
  }
}

function outcomesOf(root: string, files: readonly FileReport[]): TestOutcome[] {
  return files.flatMap(({ name, assertionResults }) => {
    const file = name.slice(name.indexOf(root) + root.length + 1)
    return assertionResults.map((result) => ({
      file,
      title: [...result.ancestorTitles, result.title].join(' '),
      state: result.status === 'passed' || result.status === 'failed' ? result.status : ('skipped' as const),
      errors: result.failureMessages ?? [],
    }))
  })
}

function keyOf({ file, title }: NamedTest): string {
  return `${file} > ${title}`
}
