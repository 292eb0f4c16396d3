import { cpuSecondsOf } from './machine.js'
import { runLoad, type Load } from './load.js'
import type { Contender, Stage } from './stage.js'

export interface Settings {
  readonly rounds: number
  readonly seconds: number
  readonly users: number
  /** Whether a look at every row is to be short, with less of everything. */
  readonly isQuick: boolean
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
  /** None, unless the load may fail. */
  readonly failures: number
}

/** How many of something a row has; in a quick look, as many as the last says. */
export function sized({ isQuick }: Pick<Settings, 'isQuick'>, count: number, quickCount: number): number {
  return isQuick ? quickCount : count
}

/** A load, and the server it is sent to. */
export interface Case {
  readonly contender: Contender
  /** Other processes on the same Postgres, which get as much of the load. */
  readonly others?: readonly Contender[]
  /** Of the server, where it is not that of the stage. */
  readonly postgresPid?: number
  /** Or what writes another file before each run: of codes, which are good once. */
  readonly requestsFile: string | (() => Promise<string>)
  readonly kind?: Load['kind']
  readonly application?: string
  readonly connections?: number
  readonly mayFail?: boolean
}

const usualConnections = 25
let runs = 0

export async function measure(
  stage: Pick<Stage, 'postgresPid'>,
  { contender, others = [], requestsFile, kind = 'requests', ...rest }: Case,
  seconds: number,
): Promise<Measured> {
  runs += 1
  const file = typeof requestsFile === 'string' ? requestsFile : await requestsFile()
  const contenders = [contender, ...others]
  const { postgresPid = stage.postgresPid, connections = usualConnections, ...load } = rest
  const cpuOf = () => ({
    server: sum(contenders.map(({ pid }) => cpuSecondsOf(pid) ?? NaN)),
    postgres: cpuSecondsOf(postgresPid) ?? NaN,
  })
  const before = cpuOf()
  const seed = `${Date.now().toString(36)}x${runs}x`
  const results = await Promise.all(
    contenders.map(({ port }, index) =>
      runLoad({
        kind,
        port,
        requestsFile: file,
        connections: Math.ceil(connections / contenders.length),
        seconds,
        seed: `${seed}${index}x`,
        ...load,
      }),
    ),
  )
  const after = cpuOf()
  const requests = sum(results.map((result) => result.requests))
  const perRequestMs = (used: number) => (used * 1000) / requests
  const serverCpuMs = perRequestMs(after.server - before.server)
  return {
    requests,
    rate: sum(results.map((result) => result.requests / result.seconds)),
    cpuMs: serverCpuMs + perRequestMs(after.postgres - before.postgres),
    serverCpuMs,
    p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    failures: sum(results.map(({ failures }) => failures)),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Cases that ours are compared with. A quick look compares ours with the page. */
const comparisons: ReadonlySet<string> = new Set(['bare', 'others'])

/** Every case in turn, round by round, after a warm-up each: what disturbs the machine disturbs all of them. */
export async function interleaved<Name extends string>(
  stage: Pick<Stage, 'postgresPid'>,
  cases: Readonly<Record<Name, Case>>,
  settings: Pick<Settings, 'rounds' | 'seconds' | 'isQuick'>,
): Promise<Record<Name, Measured[]>> {
  const { rounds, seconds, isQuick } = settings
  const all = Object.keys(cases) as Name[]
  const measured = Object.fromEntries(all.map((name) => [name, [] as Measured[]])) as Record<Name, Measured[]>
  const names = all.filter((name) => !(isQuick && comparisons.has(name)))
  for (const name of names) await warmUp(stage, cases[name], settings)
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) measured[name].push(await measure(stage, cases[name], seconds))
  }
  return measured
}

/** How long a warm-up takes at most. */
interface WarmUp {
  readonly rounds: number
  /** The length of each, in that of a measured round. */
  readonly lengths: number
}

const longWarmUp: WarmUp = { rounds: 6, lengths: 1 }
/** One: a quick look has as little of everything as it can. */
const quickWarmUp: WarmUp = { rounds: 1, lengths: 2 }

/** As many requests as it takes until V8 has compiled what they run, however slow the machine is at the moment. */
export async function warmUp(
  stage: Pick<Stage, 'postgresPid'>,
  each: Case,
  { seconds, isQuick }: Pick<Settings, 'seconds' | 'isQuick'>,
): Promise<void> {
  const { rounds, lengths } = isQuick ? quickWarmUp : longWarmUp
  let requests = 0
  for (let round = 0; round < rounds && requests < warmUpRequests; round += 1)
    requests += (await measure(stage, each, seconds * lengths)).requests
}

const warmUpRequests = 8_000

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
