import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, type Client } from '@portico/sdk'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { untilWaiting } from '../given/waiting.js'
import { serviceProcess, type ServiceProcess } from './service-process.js'

const writers = 20
/** Connections available to one key. */
const share = 15
const minutesMs = 60_000

/** An in-process service on the same database, to create the account and to query stored rows. */
let service: Service
let credentials: { client_id: string; client_secret: string }

beforeAll(async () => {
  service = await startService()
  credentials = await service.apiKey()
})

function processOnTheDatabase(): Promise<ServiceProcess> {
  return serviceProcess({
    DATABASE_URL: service.databaseUrl,
    MASTER_KEYS: service.masterKeys,
    DATABASE_POOL_SIZE: String(2 * share),
  })
}

/** A client that repeats each request with its key until it is answered, with short pauses. */
function patientClient(baseUrl: string): Client {
  const { client_id: clientId, client_secret: clientSecret } = credentials
  const { domain } = service.account
  const clock = { random: () => 0.1 }
  return createClient({ baseUrl, domain, clientId, clientSecret, maxRetries: 1000, clock })
}

interface Write {
  readonly email: string
  readonly key: string
  /** Id of the record, set after acknowledgement. */
  id?: string
}

/** The writes as known to clients. */
interface Ledger {
  readonly writes: Write[]
  /** Ends the writers; resolves when every write is acknowledged. */
  settle(): Promise<void>
  /** Lets the writers continue with other writes while their last one waits for its lease to expire. */
  goOn(): void
}

function startWriters(client: Client, org_domain: string): Ledger {
  const writes: Write[] = []
  const pending: Promise<unknown>[] = []
  let isStopped = false
  let goOn = () => {}
  let wake = nextWake()

  function nextWake(): Promise<void> {
    return new Promise((resolve) => (goOn = resolve))
  }

  async function write(): Promise<void> {
    const entry: Write = { email: anyEmail(), key: anything() + anything() }
    writes.push(entry)
    const user = await client.users.create({ org_domain, email: entry.email }, { idempotencyKey: entry.key })
    expect(user.email).toBe(entry.email)
    entry.id = user.id
  }

  async function keepWriting(): Promise<void> {
    while (!isStopped) {
      const current = write()
      pending.push(current)
      await Promise.race([current, wake])
    }
  }

  const running = Array.from({ length: writers }, keepWriting)
  return {
    writes,
    goOn() {
      const resolve = goOn
      wake = nextWake()
      resolve()
    },
    async settle() {
      isStopped = true
      goOn()
      await Promise.all(running)
      await Promise.all(pending)
    },
  }
}

async function killAtRandomMoments(portico: ServiceProcess, ledger: Ledger, kills: number): Promise<void> {
  for (let count = 0; count < kills; count++) {
    // The kill must happen at a random moment, not after a particular event.
    await pause(Math.random() * 500)
    await portico.kill()
    await portico.start()
    ledger.goOn()
  }
}

describe('50 kills under 20 writers', () => {
  test(
    'leave every acknowledged write exactly once, with its event, and no key in flight',
    async () => {
      const portico = await processOnTheDatabase()
      await portico.start()
      const client = patientClient(portico.baseUrl)
      const { domain } = await client.organizations.create({ name: `Ledger ${anything()}` })
      const ledger = startWriters(client, domain)
      await killAtRandomMoments(portico, ledger, 50)
      await ledger.settle()

      const { writes } = ledger
      expect(writes.length).toBeGreaterThan(200)
      const users = await service.query<{ id: string; email: string }>('select id, email from users')
      const acknowledged = new Map(writes.map(({ email, id }) => [email, id]))
      expect(users).toHaveLength(writes.length)
      expect(users.filter(({ id, email }) => acknowledged.get(email) !== id)).toEqual([])

      const events = await service.query<{ subject_id: string }>(
        `select subject_id from events where code = 'user.user.create.success'`,
      )
      expect(events.map((event) => event.subject_id).sort()).toEqual(users.map((user) => user.id).sort())
      expect(
        await service.query('select key_hash from idempotency_keys where answer_sealed is null'),
      ).toEqual([])
      expect(await client.users.list({ org_domain: domain })).toMatchObject({ total: writes.length })

      const [sample] = writes
      const again = client.users.create(
        { org_domain: domain, email: sample?.email ?? '' },
        { idempotencyKey: sample?.key },
      )
      expect((await again).id).toBe(sample?.id)
    },
    10 * minutesMs,
  )
})

describe('a client with its defaults', () => {
  test(
    'is carried through the kill and the start of the process, and each of its writes is done once',
    async () => {
      const portico = await processOnTheDatabase()
      await portico.start()
      const { client_id: clientId, client_secret: clientSecret } = credentials
      const { domain: account } = service.account
      const client = createClient({ baseUrl: portico.baseUrl, domain: account, clientId, clientSecret })
      const { domain: org_domain } = await client.organizations.create({ name: `Carried ${anything()}` })
      const made: string[] = []
      for (let round = 0; round < 5; round++) {
        const writes = Array.from({ length: writers }, () =>
          client.users.create({ org_domain, email: anyEmail() }),
        )
        await pause(Math.random() * 60)
        await portico.kill()
        await portico.start()
        made.push(...(await Promise.all(writes)).map(({ id }) => id))
      }

      const { total } = await client.users.list({ org_domain })
      expect([total, new Set(made).size]).toEqual([5 * writers, 5 * writers])
    },
    2 * minutesMs,
  )
})

describe('the embedded database', () => {
  const dataDir = mkdtemp(join(tmpdir(), 'portico-kills-'))
  afterAll(async () => rm(await dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }))

  test(
    'killed with its service, has every acknowledged write after the next start, exactly once',
    async () => {
      const portico = await serviceProcess({ DATA_DIR: await dataDir })
      await portico.start()
      const client = await firstClient(portico, await dataDir)
      const { domain } = await client.organizations.create({ name: 'Ledger' })
      const ledger = startWriters(client, domain)
      await killAtRandomMoments(portico, ledger, 8)
      await ledger.settle()

      const found: string[] = []
      for await (const user of client.users.list.all({ org_domain: domain }))
        found.push(`${user.id} ${user.email}`)
      expect(found.sort()).toEqual(ledger.writes.map(({ id, email }) => `${String(id)} ${email}`).sort())
      expect(await portico.terminate()).toBe(0)
    },
    5 * minutesMs,
  )

  async function firstClient({ baseUrl }: ServiceProcess, directory: string): Promise<Client> {
    const kept: unknown = JSON.parse(await readFile(join(directory, 'credentials.json'), 'utf8'))
    const { domain, sandbox } = kept as { domain: string; sandbox: typeof credentials }
    const key = { clientId: sandbox.client_id, clientSecret: sandbox.client_secret }
    return createClient({ baseUrl, domain, ...key, maxRetries: 1000, clock: { random: () => 0.1 } })
  }
})

describe('SIGTERM', () => {
  test(
    'answers every request that was accepted, refuses new connections, and ends with 0',
    async () => {
      const { portico, client, domain } = await started()
      const holder = new pg.Client({ connectionString: service.databaseUrl })
      await holder.connect()
      await holder.query('begin; lock table events in exclusive mode')
      const requests = Array.from({ length: share }, () =>
        client.users.create({ org_domain: domain, email: anyEmail() }),
      )
      await untilWaiting(service, share)

      const exit = portico.terminate()
      while (await isConnectable(portico.baseUrl)) await pause(20)
      await holder.query('rollback')
      await holder.end()
      const users = await Promise.all(requests)
      expect(new Set(users.map((user) => user.id)).size).toBe(share)
      expect(await exit).toBe(0)
      expect(await isConnectable(portico.baseUrl)).toBe(false)
    },
    minutesMs,
  )

  test(
    'under load loses nothing: what was not answered has not happened',
    async () => {
      for (let round = 0; round < 5; round++) {
        const { portico, client, domain } = await started()
        let isStopped = false
        const answered: string[] = []
        const keepWriting = async () => {
          while (!isStopped) {
            const user = await client.users.create({ org_domain: domain, email: anyEmail() })
            answered.push(user.id)
          }
        }
        const running = Array.from({ length: writers }, () => keepWriting().catch((error: unknown) => error))
        await pause(300 + Math.random() * 300)
        expect(await portico.terminate()).toBe(0)
        isStopped = true
        for (const error of await Promise.all(running))
          expect(error).toMatchObject({ name: 'ConnectionError', reason: 'network' })

        const stored = await service.query<{ id: string }>(
          'select users.id from users join organizations on organizations.id = organization_id where domain = $1',
          [domain],
        )
        expect(answered.length).toBeGreaterThan(0)
        expect(answered.sort()).toEqual(stored.map((row) => row.id).sort())
      }
    },
    2 * minutesMs,
  )

  /** A process, and a client without retries. */
  async function started() {
    const portico = await processOnTheDatabase()
    await portico.start()
    const { client_id: clientId, client_secret: clientSecret } = credentials
    const { domain: account } = service.account
    const client = createClient({
      baseUrl: portico.baseUrl,
      domain: account,
      clientId,
      clientSecret,
      maxRetries: 0,
    })
    const { domain } = await client.organizations.create({ name: `Drained ${anything()}` })
    return { portico, client, domain }
  }

  function isConnectable(baseUrl: string): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
  }
})
