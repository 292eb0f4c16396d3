import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type RequestOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished, expect, test } from 'vitest'
import type { Control } from './control.js'
import { createDns } from './dns.js'
import { createFaults } from './faults.js'
import { createEmulatorApp } from './router.js'

const unused = () => Promise.reject(new Error('not asked for'))
const control: Control = {
  faults: createFaults(),
  dns: createDns(),
  state: () => {
    throw new Error('not asked for')
  },
  clock: () => ({ now: '2026-03-14T09:26:53.589Z', jobs_run: 0 }),
  reset: unused,
  moveClock: unused,
  runJobs: unused,
  messages: unused,
  clearMessages: unused,
  createAccount: () => Promise.reject(new Error('secret of the inside')),
  createKey: unused,
}

/** An emulator whose service answers everything with its name, on a port of its own. */
async function givenEmulator({ isReady = true } = {}) {
  const logged: unknown[] = []
  const { app, open } = createEmulatorApp({ error: (entry: unknown) => void logged.push(entry) })
  if (isReady) open(control, (_req, res) => void res.send('the service'))
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  // Only the address of a pipe is a string.
  const { port } = server.address() as AddressInfo

  async function ask(path: string, options: RequestOptions = {}, body?: string) {
    const sent = request({ host: '127.0.0.1', port, path, ...options })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
  }
  return {
    port,
    logged,
    ask,
    statusOf: async (path: string, headers: Record<string, string> = {}) =>
      (await ask(path, { headers })).status,
  }
}

const json = { 'content-type': 'application/json' }
const errorOf = (code: string) => ({ error: { code, message: expect.any(String) } })

test('a program on this machine asks the control', async () => {
  const { statusOf } = await givenEmulator()

  expect(await statusOf('/_emulator/clock')).toBe(200)
})

test('the service is asked by names of this machine, with a port or without', async () => {
  const { statusOf, port } = await givenEmulator()

  for (const name of ['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])
    for (const host of [name, `${name}:${port}`])
      expect([host, await statusOf('/api/v2/organizations', { host })]).toEqual([host, 200])
})

test.each([
  'rebound.example',
  'rebound.example:3000',
  'localhost.rebound.example',
  '127.0.0.1.rebound.example',
  '[2001:db8::1]:3000',
  '203.0.113.9',
  '0x7f.1',
])('nobody asks the service, or anything else, by the name "%s"', async (host) => {
  const { ask } = await givenEmulator()

  for (const path of ['/api/v2/oauth/token', '/outbox', '/docs', '/_emulator/clock', '/']) {
    const { status, body } = await ask(path, { headers: { host } })
    expect([path, status]).toEqual([path, 421])
    expect(JSON.parse(body)).toEqual(errorOf('misdirected'))
    expect(body).toContain('ask localhost, 127.0.0.1 or [::1]')
  }
})

test('nobody asks the control through a proxy', async () => {
  const { ask } = await givenEmulator()

  const { body } = await ask('/_emulator/clock', { headers: { 'x-forwarded-for': '203.0.113.9' } })

  expect(body).toBe('the service')
})

test.each([
  ['origin', 'https://evil.example'],
  ['origin', 'http://localhost:3000'],
])('no page in a browser asks the control: %s: %s', async (name, value) => {
  const { ask } = await givenEmulator()

  expect((await ask('/_emulator/clock', { headers: { [name]: value } })).body).toBe('the service')
})

test.each(['cross-site', 'same-site'])('no page of another site asks the control: %s', async (site) => {
  const { ask } = await givenEmulator()
  const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' }

  expect((await ask('/_emulator/clock', { headers })).body).toBe('the service')
})

test('who types the address of the control sees it', async () => {
  const { statusOf } = await givenEmulator()

  expect(await statusOf('/_emulator/clock', { 'sec-fetch-site': 'none' })).toBe(200)
})

test('before it is ready it says to wait', async () => {
  const { ask } = await givenEmulator({ isReady: false })

  const { status, headers, body } = await ask('/api/v2/organizations')

  expect([status, headers['retry-after'], JSON.parse(body)]).toEqual([503, '1', errorOf('not_ready')])
})

test.each([
  ['a body that is too large', '/clock', 'a'.repeat(200_000), 413, 'body_too_large'],
  ['a body that is no JSON', '/clock', '{', 400, 'malformed_request'],
  ['a body that is no JSON, where none is taken', '/reset', '{', 400, 'malformed_request'],
  ['a body of too many members', '/clock', `{"a":[${'1,'.repeat(2000)}1]}`, 400, 'malformed_request'],
  ['a parameter of another type', '/clock', '{"by_seconds":"x"}', 422, 'invalid_parameters'],
  ['a path that is not encoded', '/accounts/%zz/api-keys', '{}', 400, 'malformed_request'],
  ['a failure inside', '/accounts', '{"name":"Acme"}', 500, 'internal_error'],
])('the control answers JSON to %s', async (_, path, body, status, code) => {
  const { ask } = await givenEmulator()

  const answer = await ask(`/_emulator${path}`, { method: 'POST', headers: json }, body)

  expect([answer.status, JSON.parse(answer.body)]).toEqual([status, errorOf(code)])
})

test('what failed inside is in the log, and not in the answer', async () => {
  const { ask, logged } = await givenEmulator()

  const { body } = await ask('/_emulator/accounts', { method: 'POST', headers: json }, '{"name":"Acme"}')

  expect(body).not.toContain('secret of the inside')
  expect(logged).toEqual([{ err: new Error('secret of the inside') }])
})
