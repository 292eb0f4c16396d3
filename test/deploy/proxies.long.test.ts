import { setTimeout as pause } from 'node:timers/promises'
import { migrateDatabase } from '@portico/server/migrate'
import { beforeAll, describe, expect, test } from 'vitest'
import { porticoJson } from '../cli/portico.js'
import { given, masterKeys, type Key } from '../cli/portico-given.js'
import { hasTool } from '../debian-tools.js'
import { anyEmail } from '../given/given.js'
import { serviceProcess, type ServiceProcess } from '../resilience/service-process.js'
import { proxies, type Asked, type Proxy } from './proxy-given.js'

/** How many callers ask at once, each for one thing after the other. */
const callers = 8

let variables: Record<string, string>
let domain: string
let key: Key

beforeAll(async () => {
  const { DATABASE_URL } = await given.database()
  await migrateDatabase(DATABASE_URL)
  variables = {
    DATABASE_URL,
    MASTER_KEYS: masterKeys,
    BASE_URL: 'https://auth.example.com',
    TRUSTED_PROXIES: '127.0.0.1',
    SMTP_URL: 'smtp://localhost',
  }
  const account = await porticoJson<{ domain: string }>(
    ['account', 'create', 'Proxied', '--plan', 'unlimited'],
    variables,
  )
  domain = account.domain
  key = await porticoJson<Key>(
    ['api-key', 'create', '--account', domain, '--environment', 'sandbox', '--name', 'Load'],
    variables,
  )
}, 60_000)

describe.each(['nginx', 'caddy'] as const)('two processes behind %s', (name) => {
  test.skipIf(!hasTool(name))(
    'are stopped and started in turn, and no request of the load is lost or done twice',
    async () => {
      const processes = [await serviceProcess(variables), await serviceProcess(variables)]
      await Promise.all(processes.map((each) => each.start()))
      const proxy = await proxies[name](processes.map(({ baseUrl }) => new URL(baseUrl).host))
      const load = await startLoad(proxy)

      for (const stopped of [...processes, ...processes]) {
        await Promise.all(processes.map(isAsked))
        const { host } = new URL(stopped.baseUrl)
        await proxy.leaveOut(host)
        expect(await stopped.terminate()).toBe(0)
        await stopped.start()
        await proxy.takeBack(host)
      }
      await Promise.all(processes.map(isAsked))
      const { done, failures } = await load.stop()

      expect(failures).toEqual([])
      expect(done.GET).toBeGreaterThan(100)
      expect(done.POST).toBeGreaterThan(100)
      expect(await load.usersThatAre()).toBe(done.POST)
    },
    300_000,
  )
})

test.skipIf(!hasTool('nginx'))(
  'without the grace of a stop requests are lost behind nginx: the load would tell',
  async () => {
    const processes = [await serviceProcess(variables), await serviceProcess(variables)]
    await Promise.all(processes.map((each) => each.start()))
    const proxy = await proxies.nginx(processes.map(({ baseUrl }) => new URL(baseUrl).host))
    const load = await startLoad(proxy)
    await Promise.all(processes.map(isAsked))
    await Promise.all(processes.map((each) => each.kill()))
    await pause(200)

    expect((await load.stop()).failures).not.toEqual([])
  },
  60_000,
)

/** Waits until the proxy gives a process requests of the load. */
async function isAsked({ metricsUrl }: ServiceProcess): Promise<void> {
  for (;;) {
    const figures = await (await fetch(metricsUrl)).text()
    if (/request_duration_seconds_count\{[^}]*users\.create/.test(figures)) return
    await pause(100)
  }
}

/** Callers that create users and read the list, without a pause and without a second try. */
async function startLoad({ ask }: Proxy) {
  const form = { 'content-type': 'application/json' }
  const asToken = JSON.stringify({ grant_type: 'client_credentials', domain, ...key })
  const tokenAnswer = await ask({ method: 'POST', path: '/api/v2/oauth/token', headers: form, body: asToken })
  const { access_token } = JSON.parse(tokenAnswer.body) as { access_token: string }
  const headers = { ...form, authorization: `Bearer ${access_token}` }
  const made = await ask({
    method: 'POST',
    path: '/api/v2/organizations',
    headers,
    body: JSON.stringify({ name: 'Behind a proxy' }),
  })
  const organization = JSON.parse(made.body) as { domain: string }
  const path = `/api/v2/org/${organization.domain}/users`
  const done = { GET: 0, POST: 0 }
  const failures: string[] = []
  let isStopped = false

  async function send(asked: Asked): Promise<void> {
    try {
      const { status, body } = await ask(asked)
      if (status === 200 || status === 201) done[asked.method] += 1
      else failures.push(`${asked.method} ${status} ${body.slice(0, 200)}`)
    } catch (error) {
      failures.push(`${asked.method} ${String(error)}`)
    }
  }

  async function keepAsking(): Promise<void> {
    while (!isStopped) {
      await send({ method: 'POST', path, headers, body: JSON.stringify({ email: anyEmail() }) })
      await send({ method: 'GET', path, headers })
    }
  }

  const running = Array.from({ length: callers }, keepAsking)
  return {
    async stop() {
      isStopped = true
      await Promise.all(running)
      return { done, failures }
    },
    /** As many as the list has in all its pages. */
    async usersThatAre(): Promise<number> {
      const last = async (page: number) =>
        JSON.parse(
          (await ask({ method: 'GET', path: `${path}?per_page=100&page=${page}`, headers })).body,
        ) as {
          data: unknown[]
          pagination: { total_pages: number }
        }
      const { total_pages } = (await last(1)).pagination
      return (total_pages - 1) * 100 + (await last(total_pages)).data.length
    },
  }
}
