import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { TraceSettings } from '../config/config.js'
import { createLog } from './log.js'
import { openTraces } from './open-traces.js'
import { activeSpan, traceparentOf, within, type Traces } from './traces.js'

let status = 200
const bodies: Buffer[] = []
const collector = createServer((req, res) => {
  req.on('data', (chunk: Buffer) => void bodies.push(chunk)).on('end', () => res.writeHead(status).end())
})
await once(collector.listen(0, '127.0.0.1'), 'listening')
afterAll(() => {
  collector.closeAllConnections()
  collector.close()
})
// Only the address of a pipe is a string.
const { port } = collector.address() as AddressInfo

async function open(settings: Partial<TraceSettings>) {
  const lines: { level: string; msg: string; reason?: string; spans?: number }[] = []
  const log = createLog(
    { logLevel: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
  )
  const all = {
    url: `http://127.0.0.1:${port}/v1/traces`,
    headers: {},
    ratio: 1,
    isParentBased: true,
    ...settings,
  }
  const traces = await openTraces(all, log)
  if (traces === undefined) throw new Error('there are settings, and no traces')
  afterAll(() => traces.close())
  return { traces, lines }
}

function anyTraceparent(flags: string): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-${flags}`
}

/** How many of a hundred requests are sampled, at one moment. */
function sampledOf(traces: Traces, traceparent: () => string | undefined): number {
  vi.useFakeTimers({ toFake: ['performance'] })
  const requests = Array.from({ length: 100 }, () => traces.startRequest('GET', traceparent()))
  vi.useRealTimers()
  return requests.filter(({ isSampled }) => isSampled).length
}

describe('a sampler', () => {
  test.each([
    { ratio: 1, isParentBased: true, root: 100, yes: 100, no: 0 },
    { ratio: 1, isParentBased: false, root: 100, yes: 100, no: 100 },
    // Callers, who may be anybody, have ten a second.
    { ratio: 0, isParentBased: true, root: 0, yes: 10, no: 0 },
    { ratio: 0, isParentBased: false, root: 0, yes: 0, no: 0 },
  ])('with ratio $ratio and isParentBased $isParentBased', async ({ root, yes, no, ...settings }) => {
    const { traces } = await open(settings)

    expect(sampledOf(traces, () => undefined)).toBe(root)
    expect(sampledOf(traces, () => anyTraceparent('01'))).toBe(yes)
    expect(sampledOf(traces, () => anyTraceparent('00'))).toBe(no)
  })

  test('decides for all spans of a request, and for its jobs', async () => {
    const { traces } = await open({ ratio: 0 })
    const request = traces.startRequest('GET', anyTraceparent('01'))
    expect(request.isSampled).toBe(true)
    const about = { name: 'job', attributes: {}, traceparent: traceparentOf(request) }
    const inJob = await traces.runInBackground(about, () => Promise.resolve(activeSpan()))

    expect(inJob).toMatchObject({ traceId: request.traceId, isSampled: true })
    expect(inJob?.spanId).not.toBe(request.spanId)
  })
})

test('a receiver is told of a trace that is sampled, and of no other', async () => {
  const told: unknown[] = []
  for (const ratio of [1, 0]) {
    const { traces } = await open({ ratio })
    const post = { method: 'POST', url: 'https://receiver.example/', isTraceContinued: true } as const
    const send = (more: object) => {
      told.push(more)
      return Promise.resolve({ outcome: 'timed_out' } as const)
    }
    await within(traces.startRequest('GET', undefined), () => traces.watchCall(post, send))
    await traces.watchCall(post, send)
  }

  expect(told).toEqual([
    { traceparent: expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/) },
    {},
    {},
    {},
  ])
})

test('what a job throws is thrown, and the collector is told its class alone', async () => {
  const { traces } = await open({})
  const work = () => Promise.reject(new RangeError('ada@example.com is away'))

  await expect(traces.runInBackground({ name: 'job', attributes: {} }, work)).rejects.toThrow('is away')
  await traces.flush()
  const told = Buffer.concat(bodies)
  expect(told.includes('RangeError')).toBe(true)
  expect(told.includes('ada@example.com')).toBe(false)
})

test('a collector that refuses spans is logged once, and once more when it takes them', async () => {
  const { traces, lines } = await open({ headers: { authorization: 'Bearer hunter2' } })
  const tell = async (answer: number) => {
    status = answer
    traces.startRequest('GET', undefined).end({
      status: 200,
      route: '/x',
      operation: 'x',
      requestId: 'r',
      accountId: undefined,
      environment: undefined,
      apiKeyId: undefined,
    })
    await traces.flush()
  }
  for (const answer of [401, 401, 200, 200, 401, 200]) await tell(answer)

  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', 'spans cannot be sent to the collector, and are dropped'],
    ['info', 'the collector takes spans again'],
  ])
  expect(lines[0]).toMatchObject({ spans: 1, reason: '401 Unauthorized' })
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})
