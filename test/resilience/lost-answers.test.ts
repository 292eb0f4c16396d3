import { startBackground } from '@portico/server/worker'
import { expect, test } from 'vitest'
import { startDatabaseProxy } from '../database-proxy.js'
import { anyEmail } from '../given.js'
import { startService } from '../harness.js'
import { startReceiver } from '../receiver.js'

// What lies between service and database drops bytes and keeps the connections open, as a firewall does that has forgotten
// them: no error ever comes. It takes as long as the service waits for an answer.

test('where answers of the database are lost, requests are told so, and deliveries and jobs go on afterwards', async () => {
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
