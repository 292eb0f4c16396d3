import type { LookupAddress } from 'node:dns'
import { setTimeout as sleep } from 'node:timers/promises'
import { isIP, type LookupFunction } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { openOutbound, type Outbound, type OutboundPost } from './post.js'
import { startRawReceiver, startReceiver, startSelfSignedReceiver } from './receivers.given.js'
import type { OutboundRules } from './target.js'

const strict: OutboundRules = { allowed: [], isHttpAllowed: true }
const open: OutboundRules = { allowed: ['127.0.0.0/8', '::1'], isHttpAllowed: true }
/** ::1 stands for the world, and 127.0.0.1 for what is inside. */
const worldOnly: OutboundRules = { allowed: ['::1'], isHttpAllowed: true }

const opened: Outbound[] = []

afterEach(() => {
  for (const outbound of opened.splice(0)) outbound.close()
})

function outboundOf(rules: OutboundRules, lookup?: LookupFunction): Outbound {
  const outbound = openOutbound(rules, lookup && { lookup })
  opened.push(outbound)
  return outbound
}

function post(outbound: Outbound, url: string, changes: Partial<OutboundPost> = {}) {
  return outbound.post({ url, headers: {}, body: '{}', timeoutMs: 5_000, maxAnswerBytes: 1_000, ...changes })
}

/** A name server that gives these answers in turn. */
function answering(...answers: string[][]): LookupFunction & { calls(): number } {
  let calls = 0
  const lookup: LookupFunction = (_hostname, options, callback) => {
    const addresses = answers[calls % answers.length] ?? []
    calls += 1
    const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = found
    if (options.all === true || first === undefined) callback(null, found)
    else callback(null, first.address, first.family)
  }
  return Object.assign(lookup, { calls: () => calls })
}

describe('a receiver inside the network', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0',
    '0.0.0.0',
    '127.255.255.254',
    '１２７.０.０.１',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'x.localhost',
    'ⓛocalhost',
    'l\u00adocalhost',
    'user:password@127.0.0.1',
    'example.com@127.0.0.1',
    'example.com\\@127.0.0.1',
  ])('is not reached as %s', async (host) => {
    const receiver = await startReceiver()
    const outbound = outboundOf(strict, answering(['127.0.0.1']))

    const outcomes = await Promise.all(
      ['https', 'http'].map((scheme) => post(outbound, `${scheme}://${host}:${receiver.port}/`)),
    )

    expect(outcomes).toEqual([{ outcome: 'not_allowed' }, { outcome: 'not_allowed' }])
    expect(receiver.connections()).toBe(0)
  })

  test('is not reached by a name that leads to it', async () => {
    const receiver = await startReceiver()
    const outbound = outboundOf(strict, answering(['127.0.0.1']))

    expect(await post(outbound, `https://rebind.example:${receiver.port}/`)).toEqual({
      outcome: 'not_allowed',
    })
    expect(receiver.connections()).toBe(0)
  })

  test('is not reached by a name server that changes its mind between the check and the connection', async () => {
    const inside = await startReceiver(undefined, '127.0.0.1')
    const lookup = answering(['::1'], ['127.0.0.1'])
    const outbound = outboundOf(worldOnly, lookup)

    const outcomes = []
    for (let attempt = 0; attempt < 6; attempt += 1)
      outcomes.push((await post(outbound, `http://rebind.example:${inside.port}/`)).outcome)

    // Nobody listens at the outer address: what is refused there was tried there.
    expect(outcomes).toEqual(Array.from({ length: 3 }).flatMap(() => ['unreachable', 'not_allowed']))
    expect(lookup.calls()).toBe(6)
    expect(inside.connections()).toBe(0)
  })

  test('is not reached by a name that leads to it and to a public address', async () => {
    const inside = await startReceiver()
    const outbound = outboundOf(worldOnly, answering(['::1', '127.0.0.1'], ['127.0.0.1', '::1']))

    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await post(outbound, `http://mixed.example:${inside.port}/`)).toEqual({ outcome: 'not_allowed' })
    expect(inside.connections()).toBe(0)
  })

  test('is not reached by a redirect, wherever that leads', async () => {
    const inside = await startReceiver()
    const receiver = await startReceiver(
      (_req, res) => void res.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end(),
    )

    const answer = await post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`)

    expect(answer).toMatchObject({ outcome: 'answered', status: 302 })
    expect(inside.connections()).toBe(0)
  })

  test('is not spoken to in the clear where http is not allowed', async () => {
    const receiver = await startReceiver()
    const outbound = outboundOf({ ...open, isHttpAllowed: false }, answering(['127.0.0.1']))

    for (const host of ['127.0.0.1', 'localhost', 'receiver.example'])
      expect(await post(outbound, `http://${host}:${receiver.port}/`)).toEqual({ outcome: 'not_allowed' })
    expect(receiver.connections()).toBe(0)
  })
})

describe('a receiver that the operator has opened', () => {
  test('gets the request, and its answer comes back', async () => {
    let seen = {}
    const receiver = await startReceiver((req, res) => {
      seen = { method: req.method, url: req.url, host: req.headers.host, 'x-test': req.headers['x-test'] }
      res.writeHead(503, { 'retry-after': '120' }).end('später')
    })

    const answer = await post(outboundOf(open), `http://127.0.0.1:${receiver.port}/hooks?a=b`, {
      headers: { 'x-test': 'yes' },
    })

    expect(answer).toEqual({
      outcome: 'answered',
      status: 503,
      headers: { retryAfter: '120' },
      body: 'später',
      isWhole: true,
    })
    expect(seen).toEqual({
      method: 'POST',
      url: '/hooks?a=b',
      host: `127.0.0.1:${receiver.port}`,
      'x-test': 'yes',
    })
  })

  test('is asked by a GET, too, and says of what type its answer is', async () => {
    let seen = {}
    const receiver = await startReceiver((req, res) => {
      seen = { method: req.method, accept: req.headers.accept, length: req.headers['content-length'] }
      res.setHeader('content-type', 'application/json').end('{}')
    })

    const answer = await outboundOf(open).get({
      url: `http://127.0.0.1:${receiver.port}/keys`,
      headers: { accept: 'application/json' },
      timeoutMs: 5_000,
      maxAnswerBytes: 2,
    })

    expect(answer).toEqual({
      outcome: 'answered',
      status: 200,
      headers: { contentType: 'application/json' },
      body: '{}',
      isWhole: true,
    })
    expect(seen).toEqual({ method: 'GET', accept: 'application/json', length: undefined })
  })

  test('is reached by the system’s lookup of its name', async () => {
    const receiver = await startReceiver()

    const answer = await post(outboundOf(open), `http://localhost:${receiver.port}/`)

    expect(answer).toMatchObject({ outcome: 'answered', status: 200 })
  })

  test('is spoken to over one connection while it keeps that open', async () => {
    const receiver = await startReceiver()
    const outbound = outboundOf(open)

    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await post(outbound, `http://127.0.0.1:${receiver.port}/`)).toMatchObject({ status: 200 })

    expect(receiver.connections()).toBe(1)
    expect(receiver.requests()).toBe(3)
  })

  test('gets a request again, over a connection of its own, when it closed an idle one just then', async () => {
    const served = new WeakSet<object>()
    const receiver = await startReceiver((req, res) => {
      if (served.has(req.socket)) return void req.socket.destroy()
      served.add(req.socket)
      res.end('ok')
    })
    const outbound = outboundOf(open)
    const url = `http://127.0.0.1:${receiver.port}/`

    expect(await post(outbound, url)).toMatchObject({ status: 200 })
    expect(await post(outbound, url)).toMatchObject({ status: 200 })

    expect(receiver.requests()).toBe(3)
    expect(receiver.connections()).toBe(2)
  })

  test('gets it no third time', async () => {
    const receiver = await startReceiver((req, res) => {
      if (receiver.requests() === 1) res.end('ok')
      else req.socket.destroy()
    })
    const outbound = outboundOf(open)
    const url = `http://127.0.0.1:${receiver.port}/`

    expect(await post(outbound, url)).toMatchObject({ status: 200 })
    expect(await post(outbound, url)).toEqual({ outcome: 'disconnected' })

    expect(receiver.requests()).toBe(3)
  })
})

describe('an answer', () => {
  test('is cut where it is too long, without waiting for its end', async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const chunk = `400\r\n${'€'.repeat(341)}x\r\n`
      const more = () => socket.write(chunk)
      socket.on('drain', more)
      const timer = setInterval(more, 1)
      socket.once('close', () => clearInterval(timer))
    })

    const waiting = post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`, { timeoutMs: 30_000 })
    const answer = await Promise.race([waiting, sleep(10_000, 'waiting')])

    // Of the character that the cut halves nothing is left.
    expect(answer).toEqual({
      outcome: 'answered',
      status: 200,
      headers: {},
      body: '€'.repeat(333),
      isWhole: false,
    })
  })

  test('that is no text is made one that the database takes', async () => {
    const receiver = await startReceiver((_req, res) => void res.end(Buffer.from([0x61, 0x00, 0xff, 0x62])))

    const answer = await post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`)

    expect(answer).toMatchObject({ body: 'a\uFFFD\uFFFDb' })
  })

  test('counts by its status when the body does not end in time', async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.write('HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\nbegun')
    })

    const answer = await post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`, { timeoutMs: 200 })

    expect(answer).toEqual({ outcome: 'answered', status: 500, headers: {}, body: 'begun', isWhole: false })
  })

  test.each([
    ['closes without one', (): string => ''],
    ['answers nonsense', () => 'nonsense\r\n\r\n'],
    ['breaks off within the headers', () => 'HTTP/1.1 200 OK\r\ncontent-'],
    ['has two lengths', () => 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['has headers without end', () => `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}`],
    [
      'switches protocols',
      () => 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    ],
  ])('is none when the receiver %s', async (_what, answerOf) => {
    const receiver = await startRawReceiver((socket) => {
      socket.once('data', () => socket.end(answerOf()))
    })

    expect(await post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`)).toEqual({
      outcome: 'disconnected',
    })
    expect(receiver.connections()).toBe(1)
  })

  test('counts by its status where the body breaks off', async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 503 No\r\ncontent-length: 100\r\n\r\nab'))
    })

    const answer = await post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`)

    expect(answer).toEqual({ outcome: 'answered', status: 503, headers: {}, body: 'ab', isWhole: false })
  })

  test('is not whole where it is one byte too long', async () => {
    const receiver = await startReceiver((_req, res) => void res.end('x'.repeat(1_001)))

    const answer = await post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`)

    expect(answer).toMatchObject({ body: 'x'.repeat(1_000), isWhole: false })
  })

  test('is none when the receiver resets the connection', async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.once('data', () => socket.resetAndDestroy())
    })

    expect(await post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`)).toEqual({
      outcome: 'disconnected',
    })
  })

  test('is not waited for longer than the time allows', async () => {
    const receiver = await startRawReceiver(() => undefined)

    expect(await post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`, { timeoutMs: 100 })).toEqual({
      outcome: 'timed_out',
    })
  })

  test('is not waited for while it trickles', async () => {
    const receiver = await startRawReceiver((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 10)
      socket.once('close', () => clearInterval(timer))
    })
    const waiting = post(outboundOf(open), `http://127.0.0.1:${receiver.port}/`, { timeoutMs: 200 })

    expect(await Promise.race([waiting, sleep(10_000, 'waiting')])).toEqual({ outcome: 'timed_out' })
  })

  test('is not waited for when the name is not found in time', async () => {
    const silent: LookupFunction = () => undefined

    expect(await post(outboundOf(open, silent), 'https://receiver.example/', { timeoutMs: 100 })).toEqual({
      outcome: 'timed_out',
    })
  })

  test('is none where nobody listens, the name has no address, or TLS is not spoken', async () => {
    const plain = await startReceiver(undefined, '127.0.0.1')
    const outbound = outboundOf(open, (_hostname, _options, callback) => {
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), '')
    })

    for (const url of [
      `http://[::1]:${plain.port}/`,
      'https://receiver.example/',
      `https://127.0.0.1:${plain.port}/`,
    ])
      expect(await post(outbound, url)).toEqual({ outcome: 'unreachable' })
  })

  test('is none when the certificate is not one of an authority', async () => {
    const receiver = await startSelfSignedReceiver()

    expect(await post(outboundOf(open), `https://127.0.0.1:${receiver.port}/`)).toEqual({
      outcome: 'unreachable',
    })
    expect(receiver.connections()).toBe(1)
  })

  test('does not come once the way out is closed', async () => {
    const receiver = await startReceiver((_req, res) => {
      if (receiver.requests() === 1) res.end('ok')
    })
    const outbound = outboundOf(open)
    const url = `http://127.0.0.1:${receiver.port}/`
    await post(outbound, url)
    const waiting = post(outbound, url)
    while (receiver.requests() < 2) await sleep(1)

    outbound.close()

    // An outcome would tell that it was the receiver who hung up.
    await expect(waiting).rejects.toThrow('closed before an answer')
    expect(receiver.requests()).toBe(2)
  })
})
