import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Application } from '@portico/sdk'
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { atFileEnd } from '../file-end.js'
import { startService, type Service } from '../given/harness.js'
import { codeGivenOf, exchange } from '../protocols/code-given.js'
import { serviceProcess } from './service-process.js'
import { until } from './until.js'

const users = 10
const sessionsOfUser = 100
const kills = 5
const minutesMs = 60_000
/** The answers of the slow receiver. */
const slowMs = 300

/** An application's server, with the token of each request that it has accepted. */
interface Receiver {
  readonly url: string
  readonly accepted: string[]
  readonly counts: { requests: number }
  answer: (res: ServerResponse) => boolean | Promise<boolean>
}

let service: Service
let receivers: Record<'healthy' | 'slow' | 'dead', Receiver>
let applications: Application[]
let sessionIds: string[]
let seconds = 0

async function startReceiver(answer: Receiver['answer']): Promise<Receiver> {
  const receiver: Receiver = { url: '', accepted: [], counts: { requests: 0 }, answer }
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      receiver.counts.requests += 1
      const token = new URLSearchParams(Buffer.concat(chunks).toString()).get('logout_token') ?? ''
      void Promise.resolve(receiver.answer(res)).then((isAccepted) => {
        if (isAccepted) receiver.accepted.push(token)
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  // Only the address of a pipe is a string.
  const { port } = server.address() as AddressInfo
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}/backchannel-logout` })
}

const accept: Receiver['answer'] = (res) => {
  res.writeHead(204).end()
  return true
}
const acceptLate: Receiver['answer'] = async (res) => {
  await pause(slowMs)
  return accept(res)
}
const die: Receiver['answer'] = (res) => {
  res.destroy()
  return false
}

/** A thousand sessions, each at three applications; copies of one each, because as many sign-ins would take minutes. */
async function givenSessions(): Promise<string> {
  const client = await service.client()
  const codes = codeGivenOf(service, client)
  const { domain: org_domain } = await service.given.organization()
  const addresses = Object.values(receivers).map(({ url }) => url)
  applications = await Promise.all(
    addresses.map((backchannel_logout_uri) =>
      service.given.application({
        org_domain,
        organization_domain_scope: org_domain,
        backchannel_logout_uri,
      }),
    ),
  )
  const [application] = applications
  if (application === undefined) throw new Error('there is no application')
  for (let count = 0; count < users; count++) {
    const user = await service.given.user({ org_domain })
    await exchange(service, { code: await codes.code({ org_domain, application, user }) })
  }
  await service.query(
    `insert into sessions (account_id, environment, organization_id, id, user_id, application_id, amr, authenticated_at,
      last_used_at, expires_at)
    select account_id, environment, organization_id, gen_random_uuid(), user_id, application_id, amr, authenticated_at,
      last_used_at, expires_at
    from sessions cross join generate_series(2, $1)`,
    [sessionsOfUser],
  )
  await service.query(
    `insert into session_clients (account_id, environment, organization_id, session_id, application_id, issuer,
      first_used_at, last_used_at)
    select sessions.account_id, sessions.environment, sessions.organization_id, sessions.id, application.id,
      '/t/' || $2, authenticated_at, authenticated_at
    from sessions cross join unnest($1::uuid[]) as application (id)
    on conflict do nothing`,
    [applications.map(({ id }) => id), org_domain],
  )
  const rows = await service.query<{ id: string }>('select id from sessions')
  sessionIds = rows.map(({ id }) => id).sort()
  return org_domain
}

async function waitingTokens(): Promise<number> {
  const rows = await service.query<{ count: number }>(
    `select count(*)::integer as count from jobs where name = 'send_logout_token'`,
  )
  return rows[0]?.count ?? 0
}

beforeAll(async () => {
  service = await startService()
  receivers = {
    healthy: await startReceiver(accept),
    slow: await startReceiver(acceptLate),
    dead: await startReceiver(die),
  }
  const org_domain = await givenSessions()
  const variables = {
    DATABASE_URL: service.databaseUrl,
    MASTER_KEYS: service.masterKeys,
    BASE_URL: service.baseUrl,
    OUTBOUND_ALLOW: '127.0.0.0/8',
  }
  const worker = await serviceProcess(variables, ['worker'])
  await worker.start()
  const client = await service.client()
  const { data } = await client.users.list({ org_domain, per_page: 100 })
  const perRound = Math.ceil(data.length / kills)
  const startTick = performance.now()
  for (let round = 0; round < kills; round++) {
    for (const user of data.slice(round * perRound, (round + 1) * perRound))
      await client.sessions.endAll({ org_domain, user_id: user.id })
    // The kill must happen at a random moment, with tokens on their way.
    await pause(500 + Math.random() * 1_500)
    await worker.kill()
    await worker.start()
  }
  receivers.dead.answer = accept
  await until(async () => (await waitingTokens()) === 0, { withinMs: 9 * minutesMs, everyMs: 500 })
  seconds = Math.round((performance.now() - startTick) / 1000)
  expect(await worker.terminate()).toBe(0)
}, 12 * minutesMs)

test('a thousand sessions at three applications were ended, while each receiver was asked', () => {
  expect(sessionIds).toHaveLength(users * sessionsOfUser)
  const { healthy, slow, dead } = receivers
  // The dead one was tried, and has refused.
  expect(dead.counts.requests).toBeGreaterThan(dead.accepted.length)
  // Kills have cut attempts off: their tokens come again.
  expect(slow.counts.requests).toBeGreaterThan(sessionIds.length)
  console.log(
    `3,000 logout tokens in ${seconds} s; requests: healthy ${healthy.counts.requests}, slow ${slow.counts.requests}, dead ${dead.counts.requests}`,
  )
})

test.each(['healthy', 'slow', 'dead'] as const)(
  'the receiver that is %s has accepted a valid token of each session, and of no other',
  async (name) => {
    const index = (['healthy', 'slow', 'dead'] as const).indexOf(name)
    const audience = applications[index]?.id ?? ''
    const keys = await keySet()
    const sids = new Set<string>()
    for (const token of new Set(receivers[name].accepted)) {
      const { payload } = await jwtVerify(token, keys, {
        audience,
        typ: 'logout+jwt',
        requiredClaims: ['jti', 'sid', 'events'],
        // The whole run is over by now.
        currentDate: new Date((issuedAt(token) + 1) * 1000),
      })
      sids.add(String(payload['sid']))
    }
    expect([...sids].sort()).toEqual(sessionIds)
  },
)

test('no token was given up, and each delivery is in the log', async () => {
  const rows = await service.query<{ code: string; client_id: string; count: number }>(
    `select event_code as code, client_id, count(*)::integer as count from log_events
    where event_code like 'BACKCHANNEL_LOGOUT%' group by 1, 2`,
  )
  expect(new Set(rows.map(({ code }) => code))).toEqual(new Set(['BACKCHANNEL_LOGOUT_DELIVERED']))
  expect(rows.map(({ client_id }) => client_id).sort()).toEqual(applications.map(({ id }) => id).sort())
  for (const { count } of rows) expect(count).toBeGreaterThanOrEqual(sessionIds.length)
  expect(await service.query(`select name from jobs where run_at = 'infinity'`)).toEqual([])
})

async function keySet() {
  const rows = await service.query<{ public_jwk: JSONWebKeySet['keys'][number] }>(
    'select public_jwk from signing_keys',
  )
  return createLocalJWKSet({ keys: rows.map(({ public_jwk }) => public_jwk) })
}

function issuedAt(token: string): number {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return typeof claims === 'object' && claims !== null && 'iat' in claims ? Number(claims.iat) : 0
}
