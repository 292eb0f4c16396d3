import { setTimeout as sleep } from 'node:timers/promises'
import type { LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startRawReceiver, startReceiver, startSelfSignedReceiver } from './receivers.given.js'
import { open, outboundOf, post } from './post.given.js'

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
