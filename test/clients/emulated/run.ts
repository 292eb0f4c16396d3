import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnvironment } from '../../guards/vitest-run.js'
import { packedConsumer, root } from '../sdk/packed.js'

/**
 * Runs tests of a service against an emulator, started by startPortico() of the packed SDK, with that SDK as the client.
 *
 * @param words Parts of paths, of which a file's path must contain one; empty: all files.
 * @returns The exit code.
 */
export async function runThroughEmulator(words: readonly string[]): Promise<number> {
  const consumer = await packedConsumer()
  try {
    // The peer dependency of the mock.
    await consumer.link('msw')
    // A separate folder for temporary files, so that leftovers are detected at the end.
    const temporary = join(consumer.folder, 'tmp')
    await mkdir(temporary)
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const args = ['run', '--config', 'test/clients/emulated/vitest.config.ts', ...words]
    const child = spawn(process.execPath, [vitest, ...args], {
      cwd: root,
      env: {
        ...cleanEnvironment(),
        PORTICO_TEST_FULL: '1',
        PORTICO_TEST_SDK: consumer.installed,
        TMPDIR: temporary,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    // The code is null after a signal.
    const [code] = (await once(child, 'exit')) as [number | null]
    const left = await findLeft(temporary)
    for (const name of left)
      process.stderr.write(`${name} was left behind in the folder of temporary files\n`)
    return left.length > 0 ? 1 : (code ?? 1)
  } finally {
    await consumer.remove()
  }
}

const endsWithinMs = 30_000

/** @returns Remaining temporary files after the emulators have ended, which happens after the end of their tests. */
async function findLeft(folder: string): Promise<string[]> {
  for (const start = performance.now(); ; await sleep(100)) {
    const left = (await readdir(folder)).filter((name) => name.startsWith('portico-'))
    if (left.length === 0 || performance.now() - start > endsWithinMs) return left
  }
}
