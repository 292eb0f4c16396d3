import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { cleanEnvironment } from '../guards/vitest-run.js'
import { root } from '../full/pieces.js'
import { citusMissing, findCitus } from './citus-programs.js'
import { startCluster } from './cluster.js'
import { chooseFiles, filesOfCluster } from './files.js'

// A service's database is made there in ten seconds, one at a time, and a hook or a test may start several.
const timeouts = ['--hookTimeout=180000', '--testTimeout=180000']

/*
 *     npm run test:citus                          the tests that use a service on a Citus cluster, and those of the cluster
 *     npm run test:citus -- test/api/users        those whose path contains a word
 *     npm run test:citus -- --shard=1/4           the first of four parts
 */
try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { shard: { type: 'string' } },
  })
  const { chosen, unknown } = chooseFiles(filesOfCluster(root), positionals, values.shard)
  // Vitest would run every file when none is named.
  if (unknown.length > 0)
    throw new Error(`No test that a cluster runs has in its path: ${unknown.join(', ')}`)
  if (chosen.length === 0) throw new Error('There are too few files for so many parts')
  const bin = findCitus()
  if (bin !== undefined) return run(bin, chosen)
  process.stderr.write(citusMissing)
  process.stdout.write(`0 passed, 0 failed, ${chosen.length} skipped\n`)
  return 0
}

async function run(bin: string, files: readonly string[]): Promise<number> {
  const cluster = await startCluster(bin)
  try {
    const child = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--project=service', ...timeouts, ...files],
      {
        cwd: root,
        env: {
          ...cleanEnvironment(),
          PORTICO_TEST_FULL: '1',
          TEST_DATABASE_URL: cluster.url,
          TEST_CITUS_WORKERS: cluster.workers.join(),
        },
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    )
    // The code is null after a signal.
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  } finally {
    await cluster.close()
  }
}
