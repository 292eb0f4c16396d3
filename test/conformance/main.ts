import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { groups } from './checks.js'
import { outcomesAt } from './foreign-provider.js'
import { readOutcomes, type Outcome } from './outcome.js'
import { toMarkdown, toText } from './table.js'

const help = `npm run conformance [-- options]

Runs the checks against a service of its own, and prints the table.

  --write              writes docs/conformance.md
  --issuer URL         runs what needs no user at another provider instead
  --client-id ID       a client registered there, for the checks of its requests
  --redirect-uri URL   registered for that client

CONFORMANCE_CLIENT_SECRET is the secret of that client, if it has one.
`

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    issuer: { type: 'string' },
    'client-id': { type: 'string' },
    'redirect-uri': { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) process.stdout.write(help)
else await run()

async function run(): Promise<void> {
  const { issuer } = values
  const { outcomes, isAsDeclared } = issuer === undefined ? await outcomesHere() : await outcomesThere(issuer)
  process.stdout.write(toText(groups, outcomes))
  if (values.write && issuer === undefined) await writeTable(outcomes)
  process.exitCode = isAsDeclared ? 0 : 1
}

async function outcomesThere(issuer: string) {
  const { 'client-id': clientId, 'redirect-uri': redirectUri } = values
  const clientSecret = process.env['CONFORMANCE_CLIENT_SECRET']
  const outcomes = await outcomesAt({ issuer, clientId, clientSecret, redirectUri }, groups)
  return { outcomes, isAsDeclared: outcomes.every(({ result }) => result !== 'failure') }
}

/** Runs the tests of the suite, which start a service, and reads what became of each check. */
async function outcomesHere() {
  const folder = await mkdtemp(join(tmpdir(), 'portico-conformance-'))
  const file = join(folder, 'outcomes.json')
  try {
    const code = await vitest({ ...process.env, CONFORMANCE_OUTCOMES: file })
    return { outcomes: readOutcomes(await readFile(file, 'utf8')), isAsDeclared: code === 0 }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function vitest(env: NodeJS.ProcessEnv): Promise<number | null> {
  const words = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=dot',
    'test/conformance/conformance.test.ts',
  ]
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
}

/** The page, formatted as everything else is. */
async function writeTable(outcomes: readonly Outcome[]): Promise<void> {
  const page = join(root, 'docs/conformance.md')
  await writeFile(page, toMarkdown(groups, outcomes))
  const formatter = spawn('npx', ['oxfmt', page], { cwd: root, stdio: 'inherit' })
  await new Promise((resolve) => formatter.once('close', resolve))
}
