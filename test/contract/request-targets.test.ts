import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../harness.js'

let service: Service

beforeAll(async () => {
  service = await startService()
})

/** Sends bytes as they are, and resolves to what comes back. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(service.port, '127.0.0.1')
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    // A server may well drop the connection of a request that it cannot read.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')))
    // Not ended: what comes after the end of a request may be dropped with it.
    socket.write(text)
  })
}

const targets = [
  'http://[',
  'http://[::1',
  '*',
  'x',
  '//',
  '//[',
  '/%',
  '/api/v2/org/%zz/users',
  '/\\..\\..',
  `/${'a'.repeat(15_000)}`,
  'http://a b/',
  'ftp://x/y',
]

test.each(targets)('a request for %s gets a 4xx, and the next caller an answer', async (target) => {
  const answer = await sendRaw(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect(answer).not.toMatch(/node_modules|at \w+ \(/)
  expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200)
})

test('an answer is kept by nobody and is of the type it says', async () => {
  const { headers } = await fetch(`${service.baseUrl}/api/v2/organizations`)
  expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
    'no-store',
    'nosniff',
  ])
})
