import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from '@portico/server/embedded'
import { freePort } from '../given/free-port.js'
import { forgetSince, skewedData, type Environment, type PreparedData } from './data.js'
import { onKept } from './kept.js'
import { moveToServerCore, startOn } from './machine.js'
import type { Settings } from './measure.js'

/** The one setting that is not the shipped default, and printed with every table. */
export const raisedLimit = { API_RATE_PER_MINUTE: '999999999' }

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const serviceCommand = [join(root, 'server/dist/cli/main.js'), 'serve']

/** A server under load. */
export interface Contender {
  readonly port: number
  readonly process: ChildProcess
  readonly pid: number
}

/** The sample with Postgres on it, the service, and the bare server on the same Postgres. */
export interface Stage {
  readonly data: PreparedData
  readonly databaseUrl: string
  readonly postgresPid: number
  readonly ours: Contender
  readonly bare: Contender
  readonly tokens: Readonly<Record<Environment, string>>
}

/** Limits that are far below what some rows measure, and that each browser is in a network of its own, as behind a proxy. */
export const rowVariables = {
  scim: { SCIM_RATE_PER_SECOND: '999999999' },
  signIns: { SIGN_INS_BEGUN_PER_IP: '999999999' },
  proxy: { TRUSTED_PROXIES: '127.0.0.1' },
} as const

/** What memoryMb() needs of a process. */
export const memoryOptions = ['--expose-gc', '--import', join(root, 'test/bench/memory-hook.mjs')]

/**
 * Runs work on a stage, and takes the stage down. In a quick look rows share it, with the variables of all of them.
 *
 * @param variables Of the service.
 */
export function onStage<Result>(
  settings: Settings,
  work: (stage: Stage) => Promise<Result>,
  variables: NodeJS.ProcessEnv = {},
): Promise<Result> {
  const { scim, signIns, proxy } = rowVariables
  const all = settings.isQuick ? { ...scim, ...signIns, ...proxy } : variables
  return onKept(settings, 'stage', (use) => onOwnStage(settings, use, all), work)
}

async function onOwnStage<Result>(
  settings: Settings,
  work: (stage: Stage) => Promise<Result>,
  variables: NodeJS.ProcessEnv,
): Promise<Result> {
  const data = await skewedData(settings)
  return onPostgres(data, async (databaseUrl, postgresPid) => {
    const started: Contender[] = []
    try {
      const ours = await startService(data.dataDir, settings.isQuick ? memoryOptions : [], variables)
      started.push(ours)
      // A quick look leaves out what ours is compared with: none of its cases is sent to the bare server.
      const bare = settings.isQuick ? ours : await startBare(databaseUrl, ours)
      if (bare !== ours) started.push(bare)
      return await work({ data, databaseUrl, postgresPid, ours, bare, tokens: await getTokens(ours, data) })
    } finally {
      await Promise.all(started.map(stopContender))
    }
  })
}

/** Runs work on a sample's Postgres, and removes every row that the work has added. */
export async function onPostgres<Result>(
  data: Pick<PreparedData, 'dataDir'>,
  work: (url: string, pid: number) => Promise<Result>,
): Promise<Result> {
  const start = new Date()
  const postgres = await startEmbedded({ dataDir: data.dataDir })
  if (postgres.attached) throw new Error(`another row has Postgres on ${data.dataDir}: take that down first`)
  try {
    const pid = postmasterPid(data.dataDir)
    moveToServerCore(pid)
    return await work(postgres.url, pid)
  } finally {
    await forgetSince(postgres.url, start)
    await postgres.stop()
  }
}

/** Starts the service as it ships, on a data directory; ready when it says so. */
export async function startService(
  dataDir: string,
  nodeOptions: string[] = [],
  variables: NodeJS.ProcessEnv = {},
): Promise<Contender> {
  const port = await freePort()
  return startServer([process.execPath, ...nodeOptions, ...serviceCommand], port, {
    // Where no .env of the repository is read.
    cwd: dataDir,
    env: { ...serviceVariables(dataDir), ...variables, PORT: String(port) },
  })
}

/** The environment of the service and of a worker on a data directory. */
export function serviceVariables(dataDir: string): NodeJS.ProcessEnv {
  return { ...systemVariables(), ...raisedLimit, DATA_DIR: dataDir, METRICS_PORT: '0' }
}

/** Starts the bare server beside the service, whose tokens it takes. */
export async function startBare(databaseUrl: string, service: Contender): Promise<Contender> {
  const port = await freePort()
  const issuer = issuerOf(service)
  const file = join(root, 'test/bench/bare.ts')
  return startServer([process.execPath, '--import', 'tsx', file, databaseUrl, String(port), issuer], port, {
    cwd: root,
    env: systemVariables(),
  })
}

export function systemVariables(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TMPDIR } = process.env
  return { PATH, HOME, LANG, TMPDIR }
}

/** Starts a server that listens on this port; ready when it says so. */
export async function startServer(
  command: string[],
  port: number,
  where: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Contender> {
  // Log lines are written as in production, and discarded by the system.
  const child = startOn('server', command, { ...where, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await untilReady(child, port)
  if (child.pid === undefined) throw new Error('a server has no process')
  return { port, process: child, pid: child.pid }
}

/** Waits for 200 from /readyz. */
async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null)
      throw new Error(`a server ended with code ${child.exitCode} while it started`)
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    await sleep(5)
  }
  throw new Error('a server was not ready within a minute')
}

export async function stopContender({ process: child }: Pick<Contender, 'process'>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

export async function getTokens(ours: Contender, data: PreparedData): Promise<Stage['tokens']> {
  return {
    sandbox: await getToken(ours, data, 'sandbox'),
    production: await getToken(ours, data, 'production'),
  }
}

/** The token of one account and environment. */
export async function getToken(
  ours: Contender,
  data: Pick<PreparedData, 'account' | 'credentials'>,
  environment: Environment,
): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${ours.port}/api/v2/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(grantOf(data, environment)),
  })
  const body: unknown = await answer.json()
  if (typeof body === 'object' && body !== null && 'access_token' in body) return String(body.access_token)
  throw new Error(`no token: ${answer.status} ${JSON.stringify(body)}`)
}

/** The body of a client-credentials grant. */
export function grantOf(
  { account, credentials }: Pick<PreparedData, 'account' | 'credentials'>,
  environment: Environment,
): object {
  return { grant_type: 'client_credentials', domain: account.domain, ...credentials[environment] }
}

export function issuerOf({ port }: Contender): string {
  return `http://localhost:${port}`
}

function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
}
