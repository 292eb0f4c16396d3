import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError, type ApiError, type Client } from '@portico/sdk'
import { samplesIn } from '../given/scrape.js'
import type { Fault } from './faults.js'
import type { ServiceProcess } from './service-process.js'

/** Interval of probes in ms, longer than the second for which /readyz caches its commit. */
const everyMs = 1_100
/** Longer than an answer takes if each of its statements times out. */
const patienceMs = 15_000

/** The answers of one round: statuses, or 0 without an answer. */
interface Round {
  readonly ready: number
  readonly worker: number
  readonly read: number
  readonly write: number
  /** Whether the whole round was within the fault. */
  readonly isWithin: boolean
}

export interface WitnessOptions {
  readonly service: ServiceProcess
  readonly worker: ServiceProcess
  /** Client of a dedicated key. */
  readonly client: Client
  readonly org_domain: string
}

/** Probes as a caller, a load balancer and an operator during faults. */
export function witnessOf({ service, worker, client, org_domain }: WitnessOptions) {
  const processes = { service, worker }

  /** Runs a fault, and then the rest. @returns Messages about unexpected answers. */
  async function watch(fault: Fault, afterwards: () => Promise<void>): Promise<string[]> {
    const wrong: string[] = []
    const rounds: Promise<Round>[] = []
    let isOver = false

    async function told(request: Promise<unknown>): Promise<number> {
      try {
        await request
        return 200
      } catch (error) {
        if (error instanceof ConnectionError) return 0
        const { status, code, retryAfterSeconds } = error as ApiError
        if (status === 503 && retryAfterSeconds === undefined) wrong.push('503 without Retry-After')
        // A jump of the clock expires tokens early.
        if (status !== 503 && code !== 'invalid_token') wrong.push(`${status}: ${String(error)}`)
        return status
      }
    }
    async function round(number: number): Promise<Round> {
      const limits = { timeoutMs: patienceMs }
      const [ready, atWorker, read, write] = await Promise.all([
        statusOf(`${service.baseUrl}/readyz`, patienceMs),
        statusOf(new URL('/readyz', worker.metricsUrl).href, patienceMs),
        told(client.users.list({ org_domain, per_page: 5 }, limits)),
        told(client.organizations.update({ org_domain, name: `Faults ${number}` }, limits)),
      ])
      return { ready, worker: atWorker, read, write, isWithin: !isOver }
    }

    for (const process of Object.values(processes)) process.loggedSince()
    const before = await counted(fault).catch((error: unknown) => void wrong.push(String(error)))
    const happening = fault.happen().finally(() => (isOver = true))
    happening.catch(() => undefined)
    while (!isOver) {
      rounds.push(round(rounds.length))
      await Promise.race([happening.catch(() => undefined), pause(everyMs)])
    }
    await happening.catch((error: unknown) => wrong.push(String(error)))
    const [seen] = await Promise.all([Promise.all(rounds), afterwards()])
    wrong.push(...faultsIn(seen, fault))
    const after = await counted(fault).catch((error: unknown) => void wrong.push(String(error)))
    if (typeof before === 'number' && typeof after === 'number' && after <= before)
      wrong.push(`${String(fault.counts?.sample)} stays ${after}`)
    const logged = service.loggedSince() + worker.loggedSince()
    if (fault.logs !== undefined && !fault.logs.test(logged))
      wrong.push(`the log has no ${String(fault.logs)}: ${logged.slice(0, 500)}`)
    const line = logged.split('\n').find((each) => each.includes('"stack":'))
    if (line !== undefined) wrong.push(`the log has a stack: ${line.slice(0, 500)}`)
    return [...new Set(wrong)].map((each) => `${fault.name}: ${each}`)
  }

  /** The sum of the metric's samples. */
  async function counted({ counts }: Fault): Promise<number | undefined> {
    if (counts === undefined) return undefined
    const text = await fetch(processes[counts.by].metricsUrl).then((answer) => answer.text())
    const samples = [...samplesIn(text)].filter(([name]) => counts.sample.test(name))
    return samples.reduce((sum, [, value]) => sum + value, 0)
  }

  return { watch }
}

/** Faults of the answers to requests, and contradictions of /readyz. */
function faultsIn(rounds: readonly Round[], { requests }: Fault): string[] {
  const wrong: string[] = []
  const within = rounds.filter(({ isWithin }) => isWithin)
  const summary = JSON.stringify(rounds.map(({ ready, worker, read, write }) => [ready, worker, read, write]))
  // Single probes may be answered after the end of a fault of a few seconds; isLasting finds longer contradictions.
  const isTold = rounds.some(({ ready }) => ready === 503) && rounds.some(({ write }) => write === 503)
  if (requests === 'refused' && !isTold) wrong.push(`nobody was told to come back: ${summary}`)
  const isAnswered = ({ ready, read, write }: Round) => ready === 200 && read === 200 && write === 200
  if (requests === 'answered' && !rounds.every(isAnswered)) wrong.push(`requests were refused: ${summary}`)
  const isContrary = ({ ready, write }: Round) =>
    (ready === 200 && write === 503) || (ready === 503 && write === 200)
  const isLasting = within
    .slice(1)
    .some((round, at) => isContrary(round) && within.slice(at, at + 1).every(isContrary))
  if (requests !== undefined && isLasting)
    wrong.push(`/readyz says something else than requests get: ${summary}`)
  return wrong
}

/** The status of an answer; 0 without one in time. */
export async function statusOf(url: string, withinMs: number): Promise<number> {
  return fetch(url, { signal: AbortSignal.timeout(withinMs) }).then(
    ({ status }) => status,
    () => 0,
  )
}
