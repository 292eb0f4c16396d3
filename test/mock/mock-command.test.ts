import { spawn } from 'node:child_process'
import { exampleOf } from '@portico/contract/record'
import { User } from '@portico/contract/users'
import { createClient } from '@portico/sdk'
import { beforeAll, expect, test } from 'vitest'
import { program } from '../cli/portico.js'
import { atFileEnd } from '../file-end.js'

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

test('404: what is no operation', async () => {
  const answer = await fetch(`${baseUrl}/api/v2/lost`)

  expect([answer.status, await answer.text()]).toEqual([404, 'No operation is GET /api/v2/lost.\n'])
})
