import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Control } from './emulator.js'
import { createFaults } from './faults.js'
import { controlRouter } from './router.js'

let port = 0
const unused = () => Promise.reject(new Error('not asked for'))
const control: Control = {
  faults: createFaults(),
  state: () => {
    throw new Error('not asked for')
  },
  clock: () => ({ now: '2026-03-14T09:26:53.589Z', jobs_run: 0 }),
  reset: unused,
  moveClock: unused,
  runJobs: unused,
  messages: unused,
  clearMessages: unused,
  createAccount: unused,
  createKey: unused,
}
const server = express().use(controlRouter(control)).listen(0, '127.0.0.1')

beforeAll(async () => {
  if (!server.listening) await once(server, 'listening')
  // The address of a TCP server is never a string; that is for pipes.
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

async function statusOf(headers: Record<string, string>): Promise<number | undefined> {
  const sent = request({ host: '127.0.0.1', port, path: '/_emulator/clock', headers })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

test('a program on this machine asks the control', async () => {
  expect(await statusOf({})).toBe(200)
})

test.each([
  ['host', 'rebound.example'],
  ['x-forwarded-for', '203.0.113.9'],
])('nobody from elsewhere asks the control: %s: %s', async (name, value) => {
  expect(await statusOf({ [name]: value })).toBe(404)
})

test('no page in a browser asks the control', async () => {
  expect(await statusOf({ origin: 'https://evil.example' })).toBe(404)
  expect(await statusOf({ origin: `http://localhost:${port}` })).toBe(404)
})
