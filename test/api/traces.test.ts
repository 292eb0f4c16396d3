import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { startCollector, type CollectedSpan } from '../given/collector.js'
import { answerOf, flowGivenOf, goodPassword } from '../given/flow-given.js'
import { freePort } from '../given/free-port.js'
import { startService, type Service } from '../given/harness.js'
import { oidcGivenOf } from '../given/oidc-given.js'
import { sendJson } from '../given/openid-provider.js'
import { startReceiver } from '../given/receiver.js'
import { createVisitor, pkcePair } from '../given/visitor.js'
import { exchange } from '../protocols/code-given.js'
import { until } from '../resilience/until.js'
import { linkGivenOf } from './magic-link-given.js'
import { webhooksOf } from './webhook-given.js'

const collector = await startCollector()
const secretOfCollector = 'Bearer ' + randomBytes(12).toString('hex')
const service = await startService({
  variables: {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(secretOfCollector)}`,
  },
})
const client = await service.client()

/** A trace that a caller has begun, and what it sends along. */
function givenTrace() {
  const traceId = randomBytes(16).toString('hex')
  const parentId = randomBytes(8).toString('hex')
  const headers = { traceparent: `00-${traceId}-${parentId}-01` }
  const ask: typeof fetch = (url, init = {}) => {
    const all = new Headers(init.headers)
    all.set('traceparent', headers.traceparent)
    return fetch(url, { ...init, headers: all })
  }
  return { traceId, parentId, headers, ask }
}

/** The spans of a trace, once this many of its requests are logged and all that has ended was sent. */
async function collected(traceId: string, requests: number, of: Service = service): Promise<CollectedSpan[]> {
  const { traces } = of.deps
  await until(() => linesOf(traceId, of).length >= requests)
  await traces?.flush()
  return collector.spans.filter((span) => span.traceId === traceId)
}

/** The lines of the log for the requests of a trace. */
function linesOf(traceId: string, of: Service = service) {
  return of.logLines
    .filter((line) => line.includes('"msg":"request"') && line.includes(traceId))
    .map((line) => JSON.parse(line) as { request_id: string; span_id: string })
}

function childrenOf(spans: readonly CollectedSpan[], parent: CollectedSpan | undefined): CollectedSpan[] {
  return spans.filter(({ parentId }) => parentId === parent?.spanId)
}

function isStatement({ attributes }: CollectedSpan): boolean {
  return attributes['db.system.name'] === 'postgresql'
}

/** The texts that the collector has been told, wherever in a span. */
function toldOf(texts: readonly string[]): string[] {
  const told = Buffer.concat(collector.bodies)
  return texts.filter((text) => told.includes(text))
}

test('a sign-in on the pages is in the trace of its caller, from /authorize to the token, with each statement', async () => {
  const { traceId, parentId, headers, ask } = givenTrace()
  const flows = flowGivenOf(service, client)
  const { verifier, challenge } = pkcePair()
  const visitor = createVisitor(service.baseUrl, ask)
  const { scene, landed } = await flows.signIn(undefined, { code_challenge: challenge }, visitor)
  const code = answerOf(landed).get('code') ?? ''
  const form = { code, code_verifier: verifier, client_id: scene.application.client_id }
  const { body } = await exchange(service, form, { headers })

  const spans = await collected(traceId, 6)

  const requests = spans.filter(({ kind }) => kind === 'server')
  expect(requests.map(({ name }) => name)).toEqual([
    'GET /authorize',
    'GET /sign-in/:flow_id',
    'POST /sign-in/:flow_id',
    'GET /sign-in/:flow_id',
    'POST /sign-in/:flow_id',
    'POST /oauth/token',
  ])
  for (const request of requests) {
    expect(request.parentId).toBe(parentId)
    expect(childrenOf(spans, request).filter(isStatement).length).toBeGreaterThan(0)
  }
  const token = requests.at(-1)
  expect(token?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/oauth/token',
    'http.response.status_code': 200,
    'portico.operation': 'oauth.token',
  })
  const statements = childrenOf(spans, token).map(({ name }) => name)
  expect(statements).toContain('update authorization_codes')
  expect(spans.map(({ name }) => name)).toContain('commit')
  // Each span is a request of the caller, or below one.
  const ids = new Set([parentId, ...spans.map(({ spanId }) => spanId)])
  expect(spans.filter((span) => !ids.has(span.parentId))).toEqual([])
  const lines = linesOf(traceId)
  expect(lines.map(({ span_id, request_id }) => [span_id, request_id])).toEqual(
    requests.map(({ spanId, attributes }) => [spanId, attributes['portico.request_id']]),
  )

  const { access_token = '', id_token = '' } = body
  const ofTheUser = [goodPassword, scene.user.email, visitor.sessionSecret() ?? '', access_token, id_token]
  const secrets = [...ofTheUser, code, verifier, challenge, scene.org_domain, 'state-1', ' where ', ' = $']
  expect(secrets).not.toContain('')
  expect(toldOf(secrets)).toEqual([])
})

test('an event has a trace of its own, which its receiver goes on with', async () => {
  const receiver = await startReceiver()
  const given = webhooksOf(service, client)
  await given.subscribed(receiver, {
    target_url: `${receiver.url}/path-of-the-receiver?key=value-of-the-key`,
  })
  await given.happen()
  await service.runJobs()

  const [received] = receiver.received
  const [, traceId = '', spanId] = traceIn(received?.headers)
  const spans = await collected(traceId, 0)
  const call = spans.find((span) => span.spanId === spanId)
  const delivery = spans.find((span) => span.spanId === call?.parentId)
  const { port } = new URL(receiver.url)
  expect(call).toMatchObject({
    name: 'POST',
    kind: 'client',
    attributes: {
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'http.response.status_code': 204,
    },
  })
  expect(delivery).toMatchObject({
    name: 'webhook delivery',
    parentId: '',
    attributes: {
      'portico.event.code': 'user.user.create.success',
      'portico.delivery.id': received?.event.id,
    },
  })
  expect(toldOf(['path-of-the-receiver', 'value-of-the-key'])).toEqual([])
})

function traceIn(headers: IncomingHttpHeaders | undefined): readonly string[] {
  return /^00-([\da-f]{32})-([\da-f]{16})-01$/.exec(String(headers?.['traceparent'])) ?? []
}

test('a job is in the trace of the request that has added it', async () => {
  const { traceId, headers } = givenTrace()
  const { org_domain, user } = await linkGivenOf(service, client).scene()
  const answer = await fetch(`${service.baseUrl}/api/v2/magic-link-challenge`, {
    method: 'POST',
    headers: {
      ...headers,
      authorization: `Bearer ${await service.token()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      org_domain,
      user_email: user.email,
      send_email: true,
      redirect_uri: 'https://store.example/callback',
    }),
  })
  expect(answer.status).toBe(201)
  await service.runJobs()

  const spans = await collected(traceId, 1)
  const request = spans.find(({ kind }) => kind === 'server')
  const job = spans.find(({ name }) => name === 'job send_magic_link')
  expect(request?.attributes).toMatchObject({
    'portico.operation': 'magicLink.createChallenge',
    'portico.environment': 'sandbox',
    'portico.account_id': service.account.id,
  })
  expect(job).toMatchObject({ kind: 'consumer', isError: false, attributes: { 'portico.job.attempt': 1 } })
  expect(childrenOf(spans, request)).toContainEqual(job)
  expect(childrenOf(spans, job).filter(isStatement).length).toBeGreaterThan(0)
})

test('calls to an identity provider are told, and it is told of no trace', async () => {
  const { traceId, ask } = givenTrace()
  const given = oidcGivenOf(service, client)
  const of = await given.scene()
  const seen: IncomingHttpHeaders[] = []
  of.idp.answer('/keys', (res, req) => {
    seen.push(req.headers)
    sendJson(res, { keys: [of.idp.publicJwk] })
  })
  await given.signIn(of, undefined, {}, {}, createVisitor(service.baseUrl, ask))

  const spans = await collected(traceId, 2)
  const calls = spans.filter(
    ({ attributes }) => attributes['server.port'] === Number(new URL(of.idp.issuer).port),
  )
  expect(calls.map(({ name }) => name).toSorted()).toEqual(expect.arrayContaining(['GET', 'POST']))
  expect(seen).toHaveLength(1)
  expect(seen[0]).not.toHaveProperty('traceparent')
  expect(toldOf([of.idp.client.secret])).toEqual([])
})

test('the collector is sent the headers of the settings, and the log has none of them', async () => {
  const { traceId, ask } = givenTrace()
  await ask(`${service.baseUrl}/api/v2/organizations`)
  const [span] = await collected(traceId, 1)

  expect(span).toMatchObject({
    name: 'GET /api/v2/organizations',
    attributes: { 'http.response.status_code': 401 },
  })
  expect(collector.headers.at(-1)?.authorization).toBe(secretOfCollector)
  expect(collector.resource()).toMatchObject({ 'service.name': 'portico' })
  expect(service.logLines.join('')).not.toContain(secretOfCollector)
})

test('a traceparent that is none begins a trace, and probes and files have none', async () => {
  const { traceId, parentId } = givenTrace()
  const invalid = [
    `00-${traceId}-${parentId}`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    'x',
    `ff-${traceId}-${parentId}-01`,
  ]
  for (const traceparent of invalid) {
    const answer = await fetch(`${service.baseUrl}/api/v2/organizations`, { headers: { traceparent } })
    expect(answer.status).toBe(401)
  }
  await fetch(`${service.baseUrl}/healthz`, { headers: givenTrace().headers })
  await fetch(`${service.baseUrl}/readyz`)
  const spans = await collected('', invalid.length)

  expect(spans.filter((span) => span.traceId === traceId.toLowerCase())).toEqual([])
  expect(
    collector.spans.filter(({ attributes }) =>
      /^(healthz|readyz)$/.test(String(attributes['portico.operation'])),
    ),
  ).toEqual([])
})

test('a collector that cannot be reached changes no answer and no time, and its absence is logged once', async () => {
  // The SDK reads it, so that this test need not wait for ten seconds of attempts.
  process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '200'
  const alone = await startService({
    databaseUrl: service.databaseUrl,
    variables: {
      MASTER_KEYS: service.masterKeys,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20not-for-the-log',
    },
  })
  delete process.env['OTEL_EXPORTER_OTLP_TIMEOUT']
  const warnings = () =>
    alone.logLines.filter((line) => line.includes('spans cannot be sent to the collector'))
  const token = await alone.token()
  for (let batch = 0; batch < 2; batch += 1) {
    const answer = await fetch(`${alone.baseUrl}/api/v2/organizations`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(200)
    await alone.deps.traces?.flush()
  }

  expect(warnings()).toHaveLength(1)
  expect(JSON.parse(warnings()[0] ?? '{}')).toMatchObject({
    level: 'warn',
    reason: expect.stringContaining('ECONNREFUSED'),
  })
  expect(alone.logLines.join('')).not.toContain('not-for-the-log')
})
