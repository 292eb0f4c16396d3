import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { startMetrics } from '../given/scrape.js'

const service = await startService()

let metrics: Promise<string> | undefined
/** The port of the metrics, which an emulator does not have: only the tests that need it are excluded there. */
async function metricsPort(): Promise<number> {
  return Number(new URL(await (metrics ??= startMetrics(service))).port)
}

/** Sends raw bytes, and resolves to the answer. */
function sendRaw(text: string, port = service.port): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    // A server may close the connection of a malformed request.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')))
    // The socket is not ended, because the answer could then be dropped.
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

const hosts = [
  ['two', 'Host: localhost\r\nHost: localhost'],
  ['two, in other letters', 'Host: localhost\r\nhOST: evil.example'],
  ['none', 'X-Other: 1'],
  ['a path', 'Host: localhost/x'],
  ['a name and a password', 'Host: ada@localhost'],
  ['two names', 'Host: localhost, evil.example'],
  ['a space', 'Host: local host'],
  ['a port that is none', 'Host: localhost:80x'],
  ['brackets that do not end', 'Host: [::1'],
]

test.each(hosts)(
  '400: HTTP/1.1 whose Host is %s, at the service and at the metrics (RFC 9112 section 3.2)',
  async (_what, host) => {
    for (const port of [service.port, await metricsPort()])
      for (const path of ['/healthz', '/metrics'])
        expect(await sendRaw(`GET ${path} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`, port)).toMatch(
          /^HTTP\/1\.1 400 /,
        )
  },
)

test.each([
  'localhost',
  'LOCALHOST:1',
  '127.0.0.1:65535',
  '[::1]:80',
  'xn--bcher-kva.example',
  'a_b.example',
  '',
])('200: a Host such as %j', async (host) => {
  const answer = await sendRaw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})

test('an answer is kept by nobody and is of the type it says', async () => {
  const { headers } = await fetch(`${service.baseUrl}/api/v2/organizations`)
  expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
    'no-store',
    'nosniff',
  ])
})
