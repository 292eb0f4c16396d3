import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../given/free-port.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Starts the program of `npm run docs`, and waits until it answers. */
async function givenPreview() {
  const port = await freePort()
  const { PATH, HOME } = process.env
  const tsx = ['node_modules/tsx/dist/cli.mjs', '--conditions=source', 'docs/site/main.ts']
  const child = spawn(process.execPath, tsx, {
    cwd: root,
    env: { PATH, HOME, PORT: String(port) },
    // In its own process group, so that all of it can be ended whatever the outcome.
    detached: true,
    stdio: 'ignore',
  })
  const { pid } = child
  if (pid === undefined) throw new Error('tsx cannot be started')
  onTestFinished(() => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // All processes have already ended.
    }
  })
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
  for (let left = 600; left > 0 && !(await answers()); left -= 1) await sleep(100)
  expect(await answers()).toBe(true)
  return { pid, answers }
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  '%s of tsx ends npm run docs, and its server with it',
  async (signal) => {
    const { pid, answers } = await givenPreview()

    process.kill(pid, signal)

    for (let left = 100; left > 0 && (await answers()); left -= 1) await sleep(100)
    expect(await answers()).toBe(false)
  },
  90_000,
)
