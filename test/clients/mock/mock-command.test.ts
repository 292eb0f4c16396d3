import { spawn } from 'node:child_process'
import { exampleOf } from '@portico/contract/record'
import { User } from '@portico/contract/users'
import { createClient } from '@portico/sdk'
import type { MockCall } from '@portico/sdk/mock'
import { beforeAll, expect, test } from 'vitest'
import { program } from '../../cli/portico.js'
import { runBlock } from '../../docs/testing-guide.js'
import { atFileEnd } from '../../file-end.js'

let baseUrl = ''

beforeAll(async () => {
  const child = spawn(process.execPath, [program, 'mock', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  atFileEnd(() => child.kill('SIGTERM'))
  const line = await new Promise<string>((done) => {
    child.stdout.setEncoding('utf8').once('data', done)
  })
  baseUrl = (JSON.parse(line) as { base_url: string }).base_url
})

function givenClient() {
  return createClient({
    baseUrl,
    domain: 'acme',
    clientId: '0190c8b0-0000-7000-8000-000000000000',
    clientSecret: 'keysandbox_x',
    maxRetries: 0,
  })
}

test('portico mock answers examples over HTTP', async () => {
  const client = givenClient()

  const found = await client.users.get({ org_domain: 'awesome-company', user_id: 'u1' })
  const made = await client.users.create({ org_domain: 'awesome-company', email: 'ada@awesome.example' })

  expect([found, made]).toEqual([exampleOf(User), exampleOf(User)])
})

test('portico mock answers the errors that Prefer asks for', async () => {
  const attempt = givenClient().users.get(
    { org_domain: 'awesome-company', user_id: 'u1' },
    { headers: { prefer: 'status=404, code=user_not_found' } },
  )

  await expect(attempt).rejects.toMatchObject({ status: 404, code: 'user_not_found' })
})

async function callsOf(query = '') {
  const answer = await fetch(`${baseUrl}/_mock/calls${query}`)
  expect(answer.status).toBe(200)
  const { data } = (await answer.json()) as { data: MockCall[] }
  return data
}

test('portico mock tells over HTTP what it was asked, as mock.calls() does, until it is told to forget it', async () => {
  await fetch(`${baseUrl}/_mock/calls`, { method: 'DELETE' })
  const client = givenClient()
  await client.users.create({ org_domain: 'awesome-company', email: 'grace@awesome.example' })
  await client.users.list({ org_domain: 'awesome-company', per_page: 5 })

  expect((await callsOf()).map(({ operation }) => operation)).toEqual([
    'oauth.apiToken',
    'users.create',
    'users.list',
  ])
  const [created, ...others] = await callsOf('?operation=users.create')
  expect([created, others]).toEqual([
    {
      operation: 'users.create',
      params: { org_domain: 'awesome-company' },
      query: {},
      body: { email: 'grace@awesome.example' },
      headers: expect.objectContaining({ 'idempotency-key': expect.any(String) }),
      status: 201,
    },
    [],
  ])
  expect(created?.headers).not.toHaveProperty('authorization')
  expect(await (await fetch(`${baseUrl}/_mock/calls`, { method: 'DELETE' })).json()).toEqual({ cleared: 3 })
  expect(await callsOf()).toEqual([])
})

test('the record of calls is for programs on this machine', async () => {
  const statusOf = async (headers: Record<string, string>, method = 'GET') =>
    (await fetch(`${baseUrl}/_mock/calls`, { method, headers })).status

  expect(await statusOf({ origin: 'https://evil.example' })).toBe(403)
  expect(await statusOf({ origin: 'https://evil.example' }, 'DELETE')).toBe(403)
  expect(await statusOf({ 'x-forwarded-for': '203.0.113.9' })).toBe(403)
  expect(await statusOf({}, 'PUT')).toBe(405)
})

test('the guide asks for the calls and forgets them', async () => {
  await givenClient().users.create({ org_domain: 'awesome-company', email: 'grace@awesome.example' })

  const [asked = '', forgot] = runBlock('mock', baseUrl)

  expect(JSON.parse(asked)).toMatchObject({ data: [{ operation: 'users.create' }] })
  expect(JSON.parse(forgot ?? '')).toEqual({ cleared: expect.any(Number) })
})

test('404: what is no operation', async () => {
  const answer = await fetch(`${baseUrl}/api/v2/lost`)

  expect([answer.status, await answer.text()]).toEqual([404, 'No operation is GET /api/v2/lost.\n'])
})
