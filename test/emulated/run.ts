import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { cleanEnvironment } from '../guards/vitest-run.js'
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
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const args = ['run', '--config', 'test/emulated/vitest.config.ts', ...words]
    const child = spawn(process.execPath, [vitest, ...args], {
      cwd: root,
      env: { ...cleanEnvironment(), PORTICO_TEST_SDK: consumer.installed },
      stdio: ['ignore', stdout, 'inherit'],
    })
    const exit = once(child, 'exit')
    const output = child.stdout === null ? '' : await text(child.stdout)
    // Null after a signal.
    const [code] = (await exit) as [number | null]
    return { code: code ?? 1, output }
  } finally {
    await consumer.remove()
  }
}
