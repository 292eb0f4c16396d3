import { createClient } from '@portico/sdk'
import { startBackground } from '@portico/server/worker'
import { expect, test, vi } from 'vitest'
import { startDatabaseProxy } from '../given/database-proxy.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { startReceiver } from '../given/receiver.js'
import { serviceProcess } from './service-process.js'

// The network between service and database drops data but keeps the connections open, like a firewall that has lost the state of
// connections: no error occurs. The tests run concurrently, because each takes as long as the timeout of an answer.

test.concurrent('where answers of the database are lost, requests are told so, and deliveries and jobs go on afterwards', async () => {
  const service = await startService()
  const client = await service.client()
  const { domain: org_domain } = await service.given.organization()
  const receiver = await startReceiver()
  await client.webhooks.create({ name: 'Receiver', target_url: receiver.url, event_codes: ['user.all'] })
  const proxy = await startDatabaseProxy(service.databaseUrl)
  const behind = await startService({ databaseUrl: proxy.url, variables: { BASE_URL: service.baseUrl } })
  const token = await service.token()
  const list = () =>
    fetch(`http://localhost:${behind.port}/api/v2/org/${org_domain}/users`, {
      headers: { authorization: `Bearer ${token}` },
    })
  const background = startBackground(behind.deps)
  try {
    const lost = await proxy.during('silent', list)
    await client.users.create({ org_domain, email: anyEmail() })
    await receiver.arrived(1)

    expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])
    expect((await list()).status).toBe(200)
    expect(receiver.received).toHaveLength(1)
  } finally {
    await background.stop()
  }
})

test.concurrent('where answers of the database are lost, a worker is not ready, and is ready again at the next question', async () => {
  const service = await startService()
  const proxy = await startDatabaseProxy(service.databaseUrl)
  const worker = await serviceProcess({ DATABASE_URL: proxy.url, MASTER_KEYS: service.masterKeys }, [
    'worker',
  ])
  await worker.start()
  const ready = async () => {
    const answer = await fetch(new URL('/readyz', worker.metricsUrl))
    return { status: answer.status, body: (await answer.json()) as unknown }
  }

  // Several at once, so that the next query finds an open connection.
  await Promise.all([1, 2, 3].map(ready))
  const lost = await proxy.during('silent', ready)
  const afterwards = await ready()
  await worker.kill()

  expect(lost).toEqual({
    status: 503,
    body: { status: 'down', reason: 'the database cannot be reached' },
  })
  expect(afterwards).toEqual({ status: 200, body: { status: 'up' } })
})

test.concurrent('SIGTERM ends a process whose database does not answer, and the log names what was left', async () => {
  const service = await startService()
  const { domain: org_domain } = await service.given.organization()
  const { client_id: clientId, client_secret: clientSecret } = await service.apiKey()
  const proxy = await startDatabaseProxy(service.databaseUrl)
  const process = await serviceProcess({
    DATABASE_URL: proxy.url,
    DRAIN_SECONDS: '1',
    MASTER_KEYS: service.masterKeys,
  })
  await process.start()
  const { domain } = service.account
  const client = createClient({ baseUrl: process.baseUrl, domain, clientId, clientSecret, maxRetries: 0 })
  await client.users.list({ org_domain })

  const code = await proxy.during('silent', async () => {
    const cutOff = Array.from({ length: 5 }, () => client.users.list({ org_domain }))
    const outcomes = Promise.allSettled(cutOff)
    await vi.waitUntil(() => proxy.dropped() >= 5, { timeout: 10_000 })
    const exited = await process.terminate()
    expect((await outcomes).map(({ status }) => status)).toEqual(cutOff.map(() => 'rejected'))
    return exited
  })

  expect(code).toBe(0)
  const logged = process.logged()
  expect(logged).toMatch(/"connections":\d+,"msg":"requests were left unfinished"/)
  expect(logged).toContain('the last use of API keys cannot be written')
  // With --json the log goes elsewhere in the same form: texts quoted by an error may be personal data.
  expect(logged).toContain('"err":{"type":"Error","message":"Query read timeout"}')
  expect(logged).not.toContain('"stack"')
})
