import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BareWave } from './bare-deliveries.js'
import {
  countPending,
  insertDeliveries,
  onDeliveryStage,
  startBareLoop,
  startWorker,
  type Background,
  type DeliveryStage,
} from './delivery-stage.js'
import { besideBare, type Figure } from './figures.js'
import { cpuSecondsOf } from './machine.js'
import { median, sized, type Measured, type Settings } from './measure.js'
import type { Arrival } from './receivers.js'
import { stopContender } from './stage.js'

/** As the sender's own default. */
const perWebhook = 4

/** Due at once, and how often before they are measured. */
const waveOf = (settings: Settings) => sized(settings, 5_000, 1_000)
const warmUpsOf = (settings: Settings) => sized(settings, 2, 1)
const dueInMsOf = (settings: Settings) => sized(settings, 3_000, 1_000)

/** D1: deliveries of 5,000 due events to 100 webhooks, from the first to arrive to the last. */
export function deliver(settings: Settings): Promise<Figure[]> {
  return onDeliveryStage(settings, async (stage) => {
    const size = waveOf(settings)
    const worker = await startWorker(stage)
    // A quick look leaves out what ours is compared with.
    const loop = settings.isQuick ? undefined : await startBareLoop(stage)
    const ours: Measured[] = []
    const bare: Measured[] = []
    try {
      for (let round = -warmUpsOf(settings); round < settings.rounds; round += 1) {
        const due = await oneWave(stage, {
          size,
          by: worker,
          prepare: () => runWorker(stage, size, dueInMsOf(settings)),
        })
        const posted =
          loop && (await oneWave(stage, { size, by: loop, prepare: () => runLoop(stage, loop, size) }))
        if (round < 0) continue
        // The loop needs no database: what Postgres does meanwhile is the vacuum of what the worker has left.
        ours.push({ ...due.measured, cpuMs: due.measured.cpuMs + (posted?.postgresCpuMs ?? 0) })
        if (posted !== undefined) bare.push({ ...posted.measured, cpuMs: posted.measured.serverCpuMs })
      }
    } finally {
      await Promise.all([worker, ...(loop === undefined ? [] : [loop])].map(stopContender))
    }
    return besideBare('D1', 'webhook deliveries', { ours, bare })
  })
}

interface Wave {
  readonly size: number
  readonly by: Background
  /** Resolves with what begins the wave and waits until all of it has ended. */
  readonly prepare: () => Promise<() => Promise<void>>
}

async function oneWave(
  { postgresPid, receivers }: DeliveryStage,
  { size, by: { pid }, prepare }: Wave,
): Promise<{ measured: Measured; postgresCpuMs: number }> {
  const run = await prepare()
  const before = { server: cpuSecondsOf(pid) ?? NaN, postgres: cpuSecondsOf(postgresPid) ?? NaN }
  receivers.forget()
  await run()
  const seconds = secondsOf(await receivers.arrivals(size))
  const perDeliveryMs = (used: number) => (used * 1000) / size
  const serverCpuMs = perDeliveryMs((cpuSecondsOf(pid) ?? NaN) - before.server)
  const postgresCpuMs = perDeliveryMs((cpuSecondsOf(postgresPid) ?? NaN) - before.postgres)
  const rate = size / seconds
  const cpuMs = serverCpuMs + postgresCpuMs
  return {
    measured: { requests: size, rate, cpuMs, serverCpuMs, p50Ms: NaN, p99Ms: NaN, failures: 0 },
    postgresCpuMs,
  }
}

/** Rows become due once they are all there, so that their making is in no figure. */
async function runWorker(stage: DeliveryStage, count: number, inMs: number): Promise<() => Promise<void>> {
  await insertDeliveries(stage, { count, inMs })
  return async () => {
    await sleep(inMs)
    while ((await countPending(stage)) > 0) await sleep(50)
  }
}

function runLoop({ receivers: { urls } }: DeliveryStage, { process: child }: Background, count: number) {
  return Promise.resolve(async () => {
    const wave: BareWave = { urls, count, perTarget: perWebhook }
    const sent = once(child, 'message')
    child.send(wave)
    await sent
  })
}

function secondsOf(arrivals: readonly Arrival[]): number {
  const times = arrivals.map(({ atMs }) => atMs)
  return (Math.max(...times) - Math.min(...times)) / 1000
}

/** Of the sender. */
const leaseMs = 30_000
const inFlight = 100

/** D4: from the SIGKILL of a worker to the next attempts of what it was sending, by another. */
export function recover(settings: Settings): Promise<Figure[]> {
  return onDeliveryStage(settings, async (stage) => {
    const waits: number[] = []
    const skippedMs = sized(settings, 0, 25_000)
    for (let round = 0; round < settings.rounds; round += 1) waits.push(await oneRecoveryMs(stage, skippedMs))
    const wait = median(waits)
    return [
      {
        row: 'D4',
        what: 'SIGKILL of a worker to the last next attempt',
        ours: `${(wait / 1000).toFixed(1)} s`,
        beside: `lease ${leaseMs / 1000} s`,
        ratio: wait / leaseMs,
      },
    ]
  })
}

/** @param skippedMs Of the lease, which counts as waited. */
async function oneRecoveryMs(stage: DeliveryStage, skippedMs: number): Promise<number> {
  const { client, receivers, webhookIds } = stage
  const everyone = webhookIds.map((_, receiver) => receiver)
  const first = await startWorker(stage)
  const second = await startWorker(stage)
  try {
    // It holds nothing yet, and takes nothing while the first one claims.
    second.process.kill('SIGSTOP')
    receivers.behave(everyone, 'dead')
    receivers.forget()
    await insertDeliveries(stage, { count: inFlight, inMs: 0 })
    await receivers.arrivals(inFlight)
    receivers.forget()
    first.process.kill('SIGKILL')
    const killedAtMs = performance.timeOrigin + performance.now()
    receivers.behave(everyone, 'prompt')
    if (skippedMs > 0)
      await client.query(
        `update webhook_deliveries set run_at = run_at - $1 * interval '1 millisecond' where state = 'pending'`,
        [skippedMs],
      )
    second.process.kill('SIGCONT')
    const again = await receivers.arrivals(inFlight)
    return Math.max(...again.map(({ atMs }) => atMs)) - killedAtMs + skippedMs
  } finally {
    receivers.behave(everyone, 'prompt')
    second.process.kill('SIGCONT')
    await Promise.all([first, second].map(stopContender))
  }
}
