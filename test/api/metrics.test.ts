import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { longDescribe, longTest } from '../sampled.js'
import { startDatabaseProxy } from '../given/database-proxy.js'
import { expressionsOfDeployFiles, metricsIn } from '../given/deploy-files.js'
import { discoveryGivenOf } from '../given/discovery-given.js'
import { anyEmail } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { startReceiver } from '../given/receiver.js'
import { samplesIn, startMetrics } from '../given/scrape.js'
import { callback, linkGivenOf } from './magic-link-given.js'
import { webhooksOf, type WebhookGiven } from './webhook-given.js'

let service: Service
let url: string
let given: WebhookGiven

beforeAll(async () => {
  service = await startService({ variables: { MAILS_PER_ADDRESS: '1', SANDBOX_MAIL: 'send' } })
  url = await startMetrics(service)
  given = webhooksOf(service, await service.client())
})

async function scrape(at = url): Promise<Map<string, number>> {
  const answer = await fetch(at)
  expect(answer.status).toBe(200)
  return samplesIn(await answer.text())
}

/** The samples of these names, in their order. */
function pick(samples: Map<string, number>, ...names: string[]): (number | undefined)[] {
  return names.map((name) => samples.get(name))
}

longDescribe('what is due', () => {
  const jobs = ['portico_jobs_due', 'portico_jobs_dead']
  const deliveriesTo = (webhook: string) => [
    `portico_webhook_deliveries_due{webhook="${webhook}"}`,
    `portico_webhook_deliveries_oldest_due_seconds{webhook="${webhook}"}`,
    `portico_event_lag_seconds{webhook="${webhook}"}`,
  ]

  test('is told with its longest wait, of receivers that fail apart from others, and is 0 once it is done', async () => {
    const [healthy, failing, inactive] = await Promise.all([
      startReceiver(),
      startReceiver(500),
      startReceiver(),
    ])
    await given.subscribed(healthy)
    await given.subscribed(failing)
    await given.subscribed(inactive, { active: false })
    await given.happen()
    await service.runJobs()
    await service.query(
      `insert into jobs (name, payload, run_at, inserted_at) values ('x', '{}', 'infinity', 'epoch')`,
    )
    expect(pick(await scrape(), 'portico_db_up', ...jobs, ...deliveriesTo('healthy'))).toEqual([
      1, 0, 1, 0, 0, 0,
    ])

    await given.happen(2)
    await service.clock.advance(2)
    const soon = await scrape()
    await service.clock.advance(86_400)
    const late = await scrape()

    // The first event of the failing webhook waits for its next attempt.
    expect(pick(soon, deliveriesTo('healthy')[0] ?? '', deliveriesTo('failing')[0] ?? '')).toEqual([2, 2])
    const [due, ...waits] = pick(late, ...deliveriesTo('healthy'))
    expect(due).toBe(2)
    for (const seconds of waits) expect(Math.floor((seconds ?? 0) / 60)).toBe(1440)
    expect(late.get('portico_jobs_due')).toBeGreaterThan(0)
    expect(late.get('portico_jobs_oldest_due_seconds')).toBeGreaterThan(3600)

    failing.answer(204)
    await service.runJobs()
    const done = await scrape()
    expect(pick(done, ...deliveriesTo('healthy'), ...deliveriesTo('failing'))).toEqual([0, 0, 0, 0, 0, 0])
    expect(pick(done, 'portico_jobs_due', 'portico_jobs_oldest_due_seconds')).toEqual([0, 0])
  })

  test('is missing, and not what it was, while the database cannot be asked; the rest is told', async () => {
    const proxy = await startDatabaseProxy(service.databaseUrl)
    const behind = await startService({
      databaseUrl: proxy.url,
      variables: { MASTER_KEYS: service.masterKeys },
    })
    const at = await startMetrics(behind)
    expect(pick(await scrape(at), 'portico_db_up', 'portico_jobs_due')).toEqual([1, 0])

    const samples = await proxy.during('reset', () => scrape(at))

    expect(samples.get('portico_db_up')).toBe(0)
    expect([...samples.keys()].filter((name) => /_due|_dead|_lag_seconds\{webhook/.test(name))).toEqual([])
    expect(samples.get('portico_db_connections_refused_total{pool="primary",reason="network"}')).toBe(1)
    expect(samples.get('portico_db_pool_max{pool="primary"}')).toBe(8)
    expect((await scrape(at)).get('portico_db_up')).toBe(1)
  })
})

test('sign-ins are counted by method and outcome, and what a limit refuses by its name', async () => {
  const { org_domain, user } = await linkGivenOf(service, await service.client()).scene()
  const client = await service.client()
  await client.password.createConnection({ org_domain })
  const before = await scrape()
  const owner = { org_domain, user_email: user.email }
  await client.magicLink.createChallenge({ ...owner, send_email: true, redirect_uri: callback })
  await expect(
    client.magicLink.createChallenge({ ...owner, send_email: true, redirect_uri: callback }),
  ).rejects.toMatchObject({ status: 429 })
  await client.password.createChallenge({ ...owner, plain_text: 'wrong horse' })
  const after = await scrape()

  const more = [...after].flatMap(([name, value]) => {
    const rise = value - (before.get(name) ?? 0)
    return /portico_(sign_ins|rate_limit_hits)_total/.test(name) && rise !== 0 ? [[name, rise]] : []
  })
  expect(Object.fromEntries(more)).toEqual({
    'portico_sign_ins_total{method="magic_link",outcome="started"}': 1,
    'portico_sign_ins_total{method="password",outcome="failed"}': 1,
    'portico_rate_limit_hits_total{limit="mail"}': 1,
  })
})

test('sign-ins that name no organization are counted by step and outcome', async () => {
  const client = await service.client()
  const { org_domain, user, application } = await linkGivenOf(service, client).scene()
  const before = await scrape()
  const seeker = { user_email: user.email, application_id: application.id }
  const { discovery_token } = await discoveryGivenOf(service, client).discover(seeker)
  const entrance = { discovery_token, org_domain, redirect_uri: callback }
  const missing = client.discovery.enter({ ...entrance, org_domain: 'no-such-organization' })
  await expect(missing).rejects.toMatchObject({ status: 404 })
  await client.discovery.enter(entrance)
  await client.discovery.createChallenge({ ...seeker, user_email: anyEmail() })
  await service.runJobs()
  const after = await scrape()

  const more = [...after].flatMap(([name, value]) => {
    const rise = value - (before.get(name) ?? 0)
    return name.startsWith('portico_account_sign_in_total') && rise !== 0 ? [[name, rise]] : []
  })
  expect(Object.fromEntries(more)).toEqual({
    'portico_account_sign_in_total{step="link",outcome="started"}': 2,
    'portico_account_sign_in_total{step="link",outcome="not_offered"}': 1,
    'portico_account_sign_in_total{step="proof",outcome="success"}': 1,
    'portico_account_sign_in_total{step="enter",outcome="not_offered"}': 1,
    'portico_account_sign_in_total{step="enter",outcome="code"}': 1,
  })
})

longTest(
  'what an alert counts by labels is 0 from the start, so that the first one is an increase',
  async () => {
    const unused = await startService()
    const samples = await scrape(await startMetrics(unused))

    expect(
      pick(
        samples,
        'portico_breach_checks_total{outcome="failed"}',
        'portico_answers_repaired_total{route="users.create"}',
        'portico_jobs_total{name="send_magic_link",outcome="dead"}',
        'portico_sign_ins_total{method="password",outcome="failed"}',
        'portico_db_connections_refused_total{pool="primary",reason="network"}',
      ),
    ).toEqual([0, 0, 0, 0, 0])
  },
)

test('the alert rules and the dashboard name metrics that /metrics has', async () => {
  const receiver = await startReceiver()
  await given.subscribed(receiver)
  await given.happen()
  // Recurring jobs become due.
  await service.clock.advance(3600)
  await service.runJobs()
  const exposed = new Set([...(await scrape()).keys()].map((name) => name.replace(/\{.*/, '')))
  // Prometheus adds it.
  exposed.add('up')

  const expressions = expressionsOfDeployFiles()
  expect(expressions.length).toBeGreaterThan(30)
  const unknown = expressions.flatMap(({ name, expr }) =>
    metricsIn(expr)
      .filter((metric) => !exposed.has(metric))
      .map((metric) => `${name}: ${metric}`),
  )
  expect(unknown).toEqual([])
  for (const { name, expr } of expressions) expect(metricsIn(expr), name).not.toEqual([])
})

test('the guide for operators names every limit, and every reason why there is no connection', async () => {
  const guide = readFileSync(new URL('../../docs/guides/operate.md', import.meta.url), 'utf8')
  const counted = /^portico_(?:rate_limit_hits|db_connections_refused)_total\{.*(?:limit|reason)="([^"]+)"/
  const names = [...(await scrape()).keys()].flatMap((sample) => counted.exec(sample)?.[1] ?? [])

  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})
