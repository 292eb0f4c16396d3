import { createClient } from '@portico/sdk'
import { expect, test, vi } from 'vitest'
import { startDatabaseProxy } from '../database-proxy.js'
import { startService } from '../harness.js'
import { serviceProcess } from './service-process.js'

test('SIGTERM ends a process whose database does not answer, and the log names what was open', async () => {
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
  expect(logged).toContain('connections to the database are cut while in use')
  expect(logged).toContain('"open":["the last use of API keys"')
})
