import { randomBytes } from 'node:crypto'
import { openMagicLink, type Client } from '@portico/sdk'
import { EmulatorError } from '@portico/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startReceiver } from '../../given/receiver.js'
import { longTest, sampled } from '../../sampled.js'
import { ada, givenEmulator, smallSeed } from './emulator.js'

const portico = await givenEmulator({ seed: smallSeed })

// Each test has a user or a webhook of its own, because a reset takes a second.

const { org_domain } = ada

async function givenUser() {
  const client = portico.client()
  const { id, email } = await client.users.create({
    org_domain,
    email: `grace-${randomBytes(4).toString('hex')}@awesome.example`,
  })
  return { client, user: { org_domain, user_id: id }, user_email: email }
}

async function signIn() {
  const given = await givenUser()
  const { client, user_email } = given
  const made = await client.magicLink.createChallenge({ org_domain, user_email, send_email: false })
  const { code } = await openMagicLink(made.magic_link ?? '')
  await client.oauth.token({ grant_type: 'authorization_code', code })
  return given
}

/** A webhook for events of users, deleted after the test. */
async function givenWebhook(client: Client, target_url: string) {
  const { id: webhook_id } = await client.webhooks.create({
    name: 'Events',
    target_url,
    event_codes: ['user.all'],
  })
  onTestFinished(async () => void (await client.webhooks.delete({ webhook_id })))
}

longTest('a reset and a move of the clock that meet come one after the other', async () => {
  // A reset sets the clock back to the time of this machine.
  const start = Date.now()
  const year = 365 * 86_400

  const [state, moved] = await Promise.all([
    portico.control.state.reset(),
    portico.control.clock.move({ by_seconds: year }),
  ])

  expect(Date.parse(state.now) - start).toBeLessThan(year * 1000)
  expect(Date.parse(moved.now) - start).toBeGreaterThanOrEqual(year * 1000)
})

test('a magic link works until its time is over by the clock of the emulator', async () => {
  const { client, user_email } = await givenUser()
  const make = () => client.magicLink.createChallenge({ org_domain, user_email, send_email: false })
  const inTime = await make()
  await portico.clock.advance('14m')
  const { code } = await openMagicLink(inTime.magic_link ?? '')
  expect(code).toBeTruthy()

  const late = await make()
  await portico.clock.advance('16m')

  await expect(openMagicLink(late.magic_link ?? '')).rejects.toThrow()
})

test('a session ends when its time is over', async () => {
  const { client, user } = await signIn()
  const [session] = (await client.sessions.list(user)).data
  const left = Date.parse(session?.expires_at ?? '') - portico.clock.now().getTime()

  await portico.clock.advance(left / 1000 - 60)
  const before = await client.sessions.list(user)
  await portico.clock.advance('2m')
  const after = await client.sessions.list(user)

  expect([before.data.length, after.data.length]).toEqual([1, 0])
})

test('every retry of a delivery comes at its own time, however far the clock moves at once', async () => {
  const receiver = await startReceiver(500)
  await givenWebhook(portico.client(), receiver.url)
  await givenUser()
  await portico.runJobs()
  expect(receiver.received).toHaveLength(1)

  await portico.clock.advance('12h')

  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(ids.size).toBe(1)
  expect(times.length).toBeGreaterThan(3)
  expect(waits).toEqual([...waits].sort((one, other) => one - other))
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(3_600)
})

test('a retry that the receiver takes is the last one', async () => {
  const receiver = await startReceiver(500)
  await givenWebhook(portico.client(), receiver.url)
  await givenUser()
  await portico.runJobs()

  receiver.answer(204)
  await portico.clock.advance('1d')

  expect(receiver.received).toHaveLength(2)
})

test('a recurring job has run when the clock was moved past it', async () => {
  const { client, user_email } = await givenUser()
  await client.magicLink.createChallenge({ org_domain, user_email })
  const { rows } = await challenges()
  expect(rows).toBe(1)

  await portico.clock.advance('3d')

  expect((await challenges()).rows).toBe(0)

  /** The number of stored challenges, of which the hourly job deletes expired ones. */
  async function challenges() {
    const { default: pg } = await import('pg')
    const { database_url } = await portico.control.state.get()
    const looker = new pg.Client({ connectionString: database_url })
    await looker.connect()
    try {
      const found = await looker.query<{ rows: number }>(
        'select count(*)::integer as rows from magic_link_challenges where email = $1',
        [user_email],
      )
      return found.rows[0] ?? { rows: -1 }
    } finally {
      await looker.end()
    }
  }
})

test('the clock does not go back, and says so', async () => {
  const now = portico.clock.now()

  const attempt = portico.control.clock.move({ to: new Date(now.getTime() - 60_000).toISOString() })

  await expect(attempt).rejects.toBeInstanceOf(EmulatorError)
  await expect(attempt).rejects.toMatchObject({ status: 409, code: 'clock_behind' })
})

test('a move by nothing is none back, whatever millisecond it falls into', async () => {
  const milliseconds = sampled([...Array(500).keys()], 100)
  const moves = milliseconds.map(() => portico.control.clock.move({ by_seconds: 0, run_jobs: false }))

  await expect(Promise.all(moves)).resolves.toHaveLength(milliseconds.length)
})

test('the time is known here however the clock was moved', async () => {
  const before = portico.clock.now().getTime()

  await portico.control.clock.move({ by_seconds: 86_400 })

  expect((portico.clock.now().getTime() - before) / 1000).toBeCloseTo(86_400, -2)
})

longTest('everything that changes an emulator may be asked for while it is reset', async () => {
  const { control } = portico

  const all = Promise.all([
    control.state.reset(),
    control.clock.move({ by_seconds: 90 * 86_400 }),
    control.jobs.run(),
    control.outbox.list({}),
    control.accounts.create({ name: 'Globex' }),
    control.outbox.clear(),
    control.state.reset(),
  ])

  await expect(all).resolves.toHaveLength(7)
})

test('the clock can be set to a moment', async () => {
  const to = new Date(portico.clock.now().getTime() + 500 * 86_400_000).toISOString()

  await portico.control.clock.move({ to })
  const { now } = await portico.control.clock.get()

  expect(Date.parse(now) - Date.parse(to)).toBeGreaterThanOrEqual(0)
  expect(Date.parse(now) - Date.parse(to)).toBeLessThan(60_000)
})
