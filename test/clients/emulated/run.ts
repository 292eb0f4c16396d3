import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnvironment } from '../../guards/vitest-run.js'
import { packedConsumer, root } from '../sdk/packed.js'

/**
 * Runs tests of a service against an emulator, started by startPortico() of the packed SDK, with that SDK as the client.
 *
 * @param words Parts of paths, of which a file's path must contain one; empty: all files.
 * @returns The exit code, and the output unless it was inherited.
 */
export async function runThroughEmulator(
  words: readonly string[],
  stdout: 'inherit' | 'pipe',
): Promise<{ code: number; output: string }> {
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
      env: { ...cleanEnvironment(), PORTICO_TEST_SDK: consumer.installed, TMPDIR: temporary },
      stdio: ['ignore', stdout, 'inherit'],
    })
    const exit = once(child, 'exit')
    const output = child.stdout === null ? '' : await text(child.stdout)
    // The code is null after a signal.
    const [code] = (await exit) as [number | null]
    const left = await findLeft(temporary)
    for (const name of left)
      process.stderr.write(`${name} was left behind in the folder of temporary files\n`)
    return { code: left.length > 0 ? 1 : (code ?? 1), output }
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
