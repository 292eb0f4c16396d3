import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../given/free-port.js'
import type { Figure } from './figures.js'
import { median, type Settings } from './measure.js'
import { root } from './stage.js'

/** F1: start-up of a fresh clone, from `npm start` until /readyz answers. */
export async function startFromClone({ rounds }: Settings): Promise<Figure[]> {
  const seconds: number[] = []
  await inClone(async (folder) => {
    for (let round = 0; round < rounds; round += 1) seconds.push(await firstStart(folder))
  })
  const middle = median(seconds)
  return [
    {
      row: 'F1',
      what: 'npm start of a fresh clone, after npm ci, to /readyz',
      ours: `${middle.toFixed(1)} s`,
    },
  ]
}

/** F2: `npm test` of a fresh clone, once, on all cores; it leaves out the slow files. */
export async function testClone(): Promise<Figure[]> {
  const { seconds, cpuSeconds, tally } = await inClone(async (folder) => {
    const [begun, cpuBefore] = [performance.now(), childrenCpuSeconds()]
    const child = spawn('npm', ['test'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)))
    await once(child, 'close')
    return {
      seconds: (performance.now() - begun) / 1000,
      cpuSeconds: childrenCpuSeconds() - cpuBefore,
      tally: /^\d+ passed, \d+ failed/m.exec(said)?.[0] ?? 'no tally',
    }
  })
  const minutes = (value: number) => `${(value / 60).toFixed(1)} min`
  return [
    {
      row: 'F2',
      what: 'npm test of a fresh clone',
      ours: minutes(seconds),
      beside: `CPU ${minutes(cpuSeconds)}; ${tally}`,
    },
  ]
}

/** Gives a clone of what is committed here, with its packages. */
async function inClone<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const place = mkdtempSync(join(tmpdir(), 'portico-clone-'))
  const folder = join(place, 'portico')
  try {
    execFileSync('git', ['clone', '--quiet', root, folder])
    execFileSync('npm', ['ci'], { cwd: folder, stdio: 'ignore' })
    return await use(folder)
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function firstStart(folder: string): Promise<number> {
  execFileSync('git', ['clean', '-xfdq', '--exclude=node_modules'], { cwd: folder })
  const port = await freePort()
  const address = `http://localhost:${port}`
  const env = { ...process.env, PORT: String(port), BASE_URL: address, METRICS_PORT: '0' }
  const begun = performance.now()
  // A group of its own: npm does not pass a signal on to all that it has started.
  const child = spawn('npm', ['start'], { cwd: folder, env, detached: true, stdio: 'ignore' })
  try {
    while (!(await isReady(address))) {
      if (child.exitCode !== null) throw new Error('npm start ended before it was ready')
      await sleep(20)
    }
    const seconds = (performance.now() - begun) / 1000
    // The build of the documentation continues in a separate process, which would slow down the next round.
    await siteIsBuilt(folder)
    return seconds
  } finally {
    await stopGroup(child)
  }
}

async function isReady(address: string): Promise<boolean> {
  return fetch(`${address}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  process.kill(-child.pid, 'SIGTERM')
  // npm ends before the service and its database do.
  for (let left = 600; left > 0 && isAlive(-child.pid); left -= 1) await sleep(100)
}

async function siteIsBuilt(folder: string): Promise<void> {
  const builder = readFileSync(join(folder, 'docs/dist/.builder'), 'utf8')
  for (let left = 600; left > 0 && isAlive(Number(builder)); left -= 1) await sleep(100)
}

/** @param pid of a process, or the negative one of a group. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Of the processes that have ended and theirs, which Linux alone tells. */
function childrenCpuSeconds(): number {
  if (process.platform !== 'linux') return Number.NaN
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  // cutime and cstime (proc_pid_stat(5)), in hundredths of a second.
  return (Number(fields[13]) + Number(fields[14])) / 100
}
