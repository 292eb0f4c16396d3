import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { writeCredentials } from '@portico/server/credentials-file'
import { startBackground } from '@portico/server/worker'
import { freePort } from '../given/free-port.js'
import { startService } from '../given/harness.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

const startDeadlineMs = 120_000

/**
 * Runs work in a directory with the credentials of a running service, like those of `npm start`. The service is
 * in this process, which costs a tenth; in the full run it is `npm start` itself.
 */
export async function besideService(work: (home: string) => Promise<void>): Promise<void> {
  if (process.env.PORTICO_TEST_FULL === '1') return besideStart(work)
  const service = await startService()
  const worker = startBackground(service.deps)
  const home = await mkdtemp(join(tmpdir(), 'portico-docs-'))
  try {
    const dataDir = join(home, '.data')
    await mkdir(dataDir)
    await writeCredentials(dataDir, {
      base_url: service.baseUrl,
      domain: service.account.domain,
      sandbox: await service.apiKey({ environment: 'sandbox' }),
      production: await service.apiKey({ environment: 'production' }),
    })
    await work(home)
  } finally {
    await worker.stop()
    await rm(home, { recursive: true, force: true })
  }
}

/** Runs work in a directory with the `.data` of a running `npm start`. */
export async function besideStart(work: (home: string) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'portico-docs-'))
  try {
    const service = await startBeside(home)
    try {
      await work(home)
    } finally {
      await stopScript(service)
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Runs `npm start` with its data in `.data` of another directory, and waits until it is ready. */
async function startBeside(home: string): Promise<ChildProcess> {
  const port = await freePort()
  const variables = {
    DATA_DIR: join(home, '.data'),
    PORT: String(port),
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
  }
  return startScript('start', variables, `http://localhost:${port}/readyz`)
}

/** Runs a script of the package.json, and waits until an address answers. */
export async function startScript(
  name: string,
  variables: Record<string, string>,
  readyUrl: string,
  words: readonly string[] = [],
): Promise<ChildProcess> {
  const { PATH, HOME } = process.env
  const script = spawn('npm', ['run', '--silent', name, '--', ...words], {
    cwd: root,
    env: { PATH, HOME, ...variables },
    // In its own process group, so that it ends together with the processes started by npm.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [script.stdout, script.stderr]) stream.on('data', (text) => (said += String(text)))

  const deadline = performance.now() + startDeadlineMs
  while (!(await isReady(readyUrl))) {
    if (script.exitCode !== null) throw new Error(`npm run ${name} ended before it was ready: ${said}`)
    if (performance.now() > deadline) {
      await stopScript(script)
      throw new Error(`npm run ${name} was not ready in time: ${said}`)
    }
    await sleep(100)
  }
  return script
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

export async function stopScript(script: ChildProcess): Promise<void> {
  if (script.pid === undefined || script.exitCode !== null) return
  process.kill(-script.pid, 'SIGTERM')
  // npm may end before its child processes.
  while (isGroupAlive(script.pid)) await sleep(50)
}

function isGroupAlive(pid: number): boolean {
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}
