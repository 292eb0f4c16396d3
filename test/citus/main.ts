import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cleanEnvironment } from '../guards/vitest-run.js'
import { root } from '../full/pieces.js'
import { citusMissing, findCitus } from './citus-programs.js'
import { startCluster } from './cluster.js'
import { chooseFiles } from './files.js'

/*
 *     npm run test:citus                          the tests of the service on a Citus cluster, and those of the cluster
 *     npm run test:citus -- test/api/users        those whose path contains a word
 */
const { chosen, unknown } = chooseFiles(process.argv.slice(2))
const bin = findCitus()
if (unknown.length > 0) {
  // Vitest would run every file when none is named.
  process.stderr.write(`No path of test/citus/files.ts contains: ${unknown.join(', ')}\n`)
  process.exitCode = 1
} else if (bin === undefined) {
  process.stderr.write(citusMissing)
  process.stdout.write(`0 passed, 0 failed, ${chosen.length} skipped\n`)
} else process.exitCode = await run(bin)

async function run(bin: string): Promise<number> {
  const cluster = await startCluster(bin)
  try {
    const child = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--project=service', ...chosen],
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
