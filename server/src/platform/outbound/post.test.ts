import { describe, expect, test } from 'vitest'
import { startReceiver } from './receivers.given.js'
import { answering, open, outboundOf, post, strict, worldOnly } from './post.given.js'

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

    // The public address has no listener, so a refused connection proves the attempt.
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
