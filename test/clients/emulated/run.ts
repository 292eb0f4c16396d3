import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnvironment } from '../../guards/vitest-run.js'
import { packedConsumer, root } from '../sdk/packed.js'

/**
 * Runs tests that use a service through an emulator, which startPortico() of the packed SDK starts, with that SDK as the client.
 *
 * @param words Of their paths, any of which a file must contain; none: all of them.
 * @returns The exit code, and what the run said unless it said so here.
 */
export async function runThroughEmulator(
  words: readonly string[],
  stdout: 'inherit' | 'pipe',
): Promise<{ code: number; output: string }> {
  const consumer = await packedConsumer()
  try {
    // What the mock is installed beside.
    await consumer.link('msw')
    // Where everything is put that goes with its process, so that the end shows whether it did.
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
    // Null after a signal.
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

/** @returns What was left behind, once the emulators have ended, which do so after the tests that started them. */
async function findLeft(folder: string): Promise<string[]> {
  for (const start = performance.now(); ; await sleep(100)) {
    const left = (await readdir(folder)).filter((name) => name.startsWith('portico-'))
    if (left.length === 0 || performance.now() - start > endsWithinMs) return left
  }
}
