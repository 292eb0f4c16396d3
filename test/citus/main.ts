import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cleanEnvironment } from '../guards/vitest-run.js'
import { root } from '../full/pieces.js'
import { citusMissing, findCitus } from './citus-programs.js'
import { startCluster } from './cluster.js'
import { files } from './files.js'

/*
 *     npm run test:citus                          the tests of the service on a Citus cluster, and those of the cluster
 *     npm run test:citus -- test/api/users        those whose path contains a word
 */
const bin = findCitus()
if (bin === undefined) {
  process.stderr.write(citusMissing)
  process.stdout.write(`0 passed, 0 failed, ${files.length} skipped\n`)
} else process.exitCode = await run(bin, process.argv.slice(2))

async function run(bin: string, words: readonly string[]): Promise<number> {
  const chosen = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
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
