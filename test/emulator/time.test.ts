// About 20 s: two emulators, and seven resets of a second, each of which copies a database of 1,000 files.

import { openMagicLink } from '@portico/sdk'
import { EmulatorError, type Portico } from '@portico/sdk/testing'
import { beforeAll, expect, test } from 'vitest'
import { startReceiver } from '../receiver.js'
import { ada, givenEmulator, smallSeed } from './emulator.js'

let portico: Portico

beforeAll(async () => {
  portico = await givenEmulator({ seed: smallSeed })
})

// A reset takes a second: those who only ask for the time, or move it, do without one.

async function signIn() {
  const client = portico.client()
  const challenge = await client.password.createChallenge({
    ...ada,
    plain_text: 'engine-of-1843-analytical',
  })
  if (!challenge['valid?']) throw new Error('the password of the seed is right')
  await client.oauth.token({ grant_type: 'authorization_code', code: challenge.code })
  return { client, user: { org_domain: ada.org_domain, user_id: challenge.user_id } }
}

test('a magic link works until its time is over by the clock of the emulator', async () => {
  await portico.reset()
  const client = portico.client()
  const make = () => client.magicLink.createChallenge({ ...ada, send_email: false })
  const inTime = await make()
  await portico.clock.advance('14m')
  const { code } = await openMagicLink(inTime.magic_link ?? '')
  expect(code).toBeTruthy()

  const late = await make()
  await portico.clock.advance('16m')

  await expect(openMagicLink(late.magic_link ?? '')).rejects.toThrow()
})

test('a session ends when its time is over', async () => {
  await portico.reset()
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
  await portico.reset()
  const receiver = await startReceiver(500)
  const client = portico.client()
  await client.webhooks.create({ name: 'Events', target_url: receiver.url, event_codes: ['user.all'] })
  await client.users.create({ org_domain: ada.org_domain, email: 'grace@awesome.example' })
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
  await portico.reset()
  const receiver = await startReceiver(500)
  const client = portico.client()
  await client.webhooks.create({ name: 'Events', target_url: receiver.url, event_codes: ['user.all'] })
  await client.users.create({ org_domain: ada.org_domain, email: 'grace@awesome.example' })
  await portico.runJobs()

  receiver.answer(204)
  await portico.clock.advance('1d')

  expect(receiver.received).toHaveLength(2)
})

test('a recurring job has run when the clock was moved past it', async () => {
  await portico.reset()
  const { client } = await signIn()
  await client.magicLink.createChallenge(ada)
  const { rows } = await challenges()
  expect(rows).toBe(1)

  await portico.clock.advance('3d')

  expect((await challenges()).rows).toBe(0)

  /** Of links that nobody can use any more, the hourly job leaves nothing. */
  async function challenges() {
    const { default: pg } = await import('pg')
    const looker = new pg.Client({ connectionString: portico.databaseUrl })
    await looker.connect()
    try {
      const found = await looker.query<{ rows: number }>(
        'select count(*)::integer as rows from magic_link_challenges',
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
  const moves = Array.from({ length: 500 }, () =>
    portico.control.clock.move({ by_seconds: 0, run_jobs: false }),
  )

  await expect(Promise.all(moves)).resolves.toHaveLength(500)
})

test('the time is known here however the clock was moved', async () => {
  const before = portico.clock.now().getTime()

  await portico.control.clock.move({ by_seconds: 86_400 })

  expect((portico.clock.now().getTime() - before) / 1000).toBeCloseTo(86_400, -2)
})

test('a reset and a move of the clock that meet come one after the other', async () => {
  await portico.reset()
  const before = portico.clock.now().getTime()
  const year = 365 * 86_400

  const [state, moved] = await Promise.all([
    portico.control.state.reset(),
    portico.control.clock.move({ by_seconds: year }),
  ])

  expect(Date.parse(state.now) - before).toBeLessThan(year * 1000)
  expect(Date.parse(moved.now) - before).toBeGreaterThanOrEqual(year * 1000)
})

test('everything that changes an emulator may be asked for while it is reset', async () => {
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
  const to = '2030-01-01T00:00:00.000Z'

  await portico.control.clock.move({ to })
  const { now } = await portico.control.clock.get()

  expect(Date.parse(now) - Date.parse(to)).toBeGreaterThanOrEqual(0)
  expect(Date.parse(now) - Date.parse(to)).toBeLessThan(60_000)
})

test('without a worker nothing runs by itself, and a move runs nothing unless it is to', async () => {
  const manual = await givenEmulator({ seed: smallSeed, runsJobs: false })
  const receiver = await startReceiver()
  const client = manual.client()
  await client.webhooks.create({ name: 'Events', target_url: receiver.url, event_codes: ['user.all'] })
  await client.users.create({ org_domain: ada.org_domain, email: 'grace@awesome.example' })

  await manual.control.clock.move({ by_seconds: 3_600, run_jobs: false })
  expect(receiver.received).toHaveLength(0)
  const ended = await manual.runJobs()

  expect(receiver.received).toHaveLength(1)
  expect(ended).toBeGreaterThan(0)
})
