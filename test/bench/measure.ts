import { cpuSecondsOf } from './machine.js'
import { runLoad, type Load } from './load.js'
import type { Contender, Stage } from './stage.js'

export interface Settings {
  readonly rounds: number
  readonly seconds: number
  readonly users: number
  /** Where samples are kept between runs. */
  readonly folder: string
}

/** One run of load against one server. CPU is that of the server and Postgres together, a request. */
export interface Measured {
  readonly requests: number
  readonly rate: number
  readonly cpuMs: number
  readonly serverCpuMs: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** A load, and the server it is sent to. */
export interface Case {
  readonly contender: Contender
  /** Or what writes another file before each run: of codes, which are good once. */
  readonly requestsFile: string | (() => Promise<string>)
  readonly kind?: Load['kind']
  readonly application?: string
  readonly connections?: number
}

const connections = 25
let runs = 0

export async function measure(
  { postgresPid }: Pick<Stage, 'postgresPid'>,
  { contender, requestsFile, kind = 'requests', ...rest }: Case,
  seconds: number,
): Promise<Measured> {
  runs += 1
  const file = typeof requestsFile === 'string' ? requestsFile : await requestsFile()
  const cpuOf = () => ({
    server: cpuSecondsOf(contender.pid) ?? NaN,
    postgres: cpuSecondsOf(postgresPid) ?? NaN,
  })
  const before = cpuOf()
  const seed = `${Date.now().toString(36)}x${runs}x`
  const result = await runLoad({
    kind,
    port: contender.port,
    requestsFile: file,
    connections,
    seconds,
    seed,
    ...rest,
  })
  const after = cpuOf()
  const perRequestMs = (used: number) => (used * 1000) / result.requests
  const serverCpuMs = perRequestMs(after.server - before.server)
  return {
    requests: result.requests,
    rate: result.requests / result.seconds,
    cpuMs: serverCpuMs + perRequestMs(after.postgres - before.postgres),
    serverCpuMs,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
  }
}

/** Measures the cases alternately in rounds, after a warm-up each, so that disturbances of the machine affect all of them. */
export async function interleaved<Name extends string>(
  stage: Pick<Stage, 'postgresPid'>,
  cases: Readonly<Record<Name, Case>>,
  { rounds, seconds }: Pick<Settings, 'rounds' | 'seconds'>,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(cases) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as Measured[]])) as Record<
    Name,
    Measured[]
  >
  for (const name of names) await warmUp(stage, cases[name], seconds)
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) measured[name].push(await measure(stage, cases[name], seconds))
  }
  return measured
}

/** Sends requests until V8 has compiled their code, however slow the machine currently is. */
async function warmUp(stage: Pick<Stage, 'postgresPid'>, each: Case, seconds: number): Promise<void> {
  let requests = 0
  for (let round = 0; round < maxWarmUpRounds && requests < warmUpRequests; round += 1)
    requests += (await measure(stage, each, seconds)).requests
}

const warmUpRequests = 8_000
const maxWarmUpRounds = 6

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}

export function medianOf(rounds: readonly Measured[], figure: keyof Measured): number {
  return median(rounds.map((round) => round[figure]))
}

/** The median over the rounds of one case's figure divided by the other's of the same round. */
export function ratioOf(
  rounds: readonly Measured[],
  others: readonly Measured[],
  figure: keyof Measured,
): number {
  return median(rounds.map((round, index) => round[figure] / (others[index]?.[figure] ?? NaN)))
}
