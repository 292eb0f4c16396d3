import { setTimeout as sleep } from 'node:timers/promises'
import { onDeliveryStage, post, type DeliveryStage } from './delivery-stage.js'
import { milliseconds, type Figure } from './figures.js'
import { median, sized, type Settings } from './measure.js'
import { getToken, startService, stopContender, type Contender } from './stage.js'

/** Far below what the service can do, so that nothing waits but for what is measured. */
const perSecond = 40
/** So many that the hundredth part of them is more than one. */
const events = 500
const quickEvents = 100
/** The receivers that are dead and slow in the rounds with both. */
const dead = 0
const slow = 1
/** How long the last deliveries have to arrive. */
const settlingMs = 1_500

interface Place {
  readonly domain: string
  readonly token: string
}

/** D2: from an event, as its issued_at tells, to its first arrival at a receiver that is prompt. */
export function firstAttempt(settings: Settings): Promise<Figure[]> {
  return onDeliveryStage(settings, async (stage) => {
    const service = await startService(stage.data.dataDir, [], stage.receivers.senderVariables)
    try {
      const places = await makeOrganizations(stage, service)
      const sick: Latencies[] = []
      const healthy: Latencies[] = []
      const count = sized(settings, events, quickEvents)
      const oneRound = () => arrivalsOf(stage, { service, places, count })
      for (let round = 0; round < sized(settings, 1, 0); round += 1) await oneRound()
      for (let round = 0; round < settings.rounds; round += 1) {
        // A quick look leaves out what ours is compared with.
        if (!settings.isQuick) healthy.push(await oneRound())
        stage.receivers.behave([dead], 'dead')
        stage.receivers.behave([slow], 'slow')
        sick.push(await oneRound())
        if (round + 1 < settings.rounds) await heal(stage)
      }
      return [figureOf(healthy, sick)]
    } finally {
      // The service waits for the deliveries that it has begun.
      stage.receivers.behave([dead, slow], 'prompt')
      await stopContender(service)
    }
  })
}

function figureOf(healthy: readonly Latencies[], sick: readonly Latencies[]): Figure {
  const ratio = median(sick.map(({ p99Ms }, round) => p99Ms / (healthy[round]?.p99Ms ?? NaN)))
  const what = 'event to first attempt, 1 dead and 1 slow receiver in 100: p99'
  return { row: 'D2', what, ours: textOf(sick), beside: `none ${textOf(healthy)}`, ratio }
}

function textOf(rounds: readonly Latencies[]): string {
  const of = (figure: keyof Latencies) => milliseconds(median(rounds.map((round) => round[figure])))
  return `${of('p99Ms')} (median ${of('p50Ms')})`
}

async function makeOrganizations({ accounts }: DeliveryStage, service: Contender): Promise<Place[]> {
  const places: Place[] = []
  for (const account of accounts) {
    const token = await getToken(service, account, 'sandbox')
    // The contract of organizations.create.
    const { domain } = (await post(service, '/api/v2/organizations', token, { name: 'Bench' })) as Place
    places.push({ domain, token })
  }
  return places
}

interface Latencies {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Users made at an even pace, in accounts in turn, and when each one's event arrived. */
async function arrivalsOf(
  stage: DeliveryStage,
  { service, places, count }: { service: Contender; places: readonly Place[]; count: number },
): Promise<Latencies> {
  const { client, receivers } = stage
  receivers.forget()
  const start = performance.now()
  const answers: Promise<unknown>[] = []
  for (let index = 0; index < count; index += 1) {
    await sleep(start + (index * 1000) / perSecond - performance.now())
    const { domain, token } = places[index % places.length] ?? { domain: '', token: '' }
    const body = { email: `${Date.now().toString(36)}x${index}@people.example` }
    answers.push(post(service, `/api/v2/org/${domain}/users`, token, body))
  }
  await Promise.all(answers)
  await sleep(settlingMs)
  const arrivals = await receivers.arrivals()
  const prompt = arrivals.filter(({ receiver }) => receiver !== dead && receiver !== slow)
  const { rows } = await client.query<{ id: string; issued_at: Date }>(
    'select id, issued_at from events where id = any($1)',
    [prompt.map(({ eventId }) => eventId)],
  )
  const issuedAt = new Map(rows.map((row) => [row.id, row.issued_at.getTime()]))
  const latencies = prompt
    .map(({ eventId, atMs }) => atMs - (issuedAt.get(eventId) ?? NaN))
    .toSorted((a, b) => a - b)
  const expected = (count / places.length) * (places.length - 2)
  if (latencies.length !== expected) throw new Error(`${latencies.length} of ${expected} events have arrived`)
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? NaN
  return { p50Ms: percentile(0.5), p99Ms: percentile(0.99) }
}

/** Ends what the dead and the slow receiver have left, so that the next round begins as the first one did. */
async function heal({ client, receivers, webhookIds }: DeliveryStage): Promise<void> {
  const sick = [webhookIds[dead], webhookIds[slow]]
  await client.query(`delete from webhook_deliveries where webhook_id = any($1) and state = 'pending'`, [
    sick,
  ])
  receivers.behave([dead, slow], 'prompt')
  // The slow one answers what it has in this time.
  await sleep(10_000)
  await client.query(`update webhooks set failing_since = null where id = any($1)`, [sick])
}
