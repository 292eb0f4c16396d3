import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'

const service = await startService()

async function newAccount() {
  const account = await service.createAccount()
  const client = await service.client({ account })
  return { account, client, given: givenOf(client) }
}

/** An open transaction with one statement; rolled back at the end of the test at the latest. */
async function hold(statement: string, values: unknown[]) {
  const connection = new pg.Client({ connectionString: service.databaseUrl })
  await connection.connect()
  onTestFinished(() => connection.end())
  await connection.query('begin')
  const { rowCount } = await connection.query(statement, values)
  return { rowCount, rollBack: () => connection.query('rollback') }
}

test('cursors count the events of one account and environment, and tell nothing of how many others have', async () => {
  const one = await newAccount()
  const two = await newAccount()
  const production = await service.client({ account: one.account, environment: 'production' })
  const { domain } = await one.given.organization()
  for (let count = 0; count < 3; count += 1) {
    await two.given.organization()
    await one.given.user({ org_domain: domain })
    await givenOf(production).user({ org_domain: domain })
  }

  const positions = async (client: typeof one.client) => {
    const { data, cursor } = await client.events.list()
    expect(cursor).toBe(data.at(-1)?.cursor)
    return data.map((event) => Buffer.from(event.cursor ?? '', 'base64url').toString())
  }
  expect(await positions(one.client)).toEqual(['1', '2', '3', '4'])
  expect(await positions(two.client)).toEqual(['1', '2', '3'])
  expect(await positions(production)).toEqual(['1', '2', '3'])
})

test('while events of one account are being numbered, those of another are read', async () => {
  const busy = await newAccount()
  const other = await newAccount()
  await busy.given.organization()
  await busy.client.events.list()
  await busy.given.organization()
  await other.given.organization()
  const numbering = await hold('select from event_sequencers where account_id = $1 for update', [
    busy.account.id,
  ])

  expect(numbering.rowCount).toBe(1)
  expect((await other.client.events.list()).data).toHaveLength(1)
})

test('an event that is being deleted keeps nobody from reading, and has its place if it stays', async () => {
  const { account, client, given } = await newAccount()
  await given.organization()
  const deletion = await hold('delete from events where account_id = $1', [account.id])
  await given.organization()
  const { data: first, cursor } = await client.events.list()

  await deletion.rollBack()

  expect(first).toHaveLength(1)
  expect((await client.events.list({ after: cursor })).data).toHaveLength(1)
  expect((await client.events.list()).data).toHaveLength(2)
})

test('an event is written once: its row stays as it is when it gets its place, and is read', async () => {
  const { account, client, given } = await newAccount()
  await given.organization()
  await given.organization()
  const rows = () =>
    service.query('select xmin::text, ctid::text, xmax::text, id from events where account_id = $1', [
      account.id,
    ])
  const written = await rows()

  expect((await client.events.list()).data).toHaveLength(2)
  await service.runJobs()

  expect(written).toHaveLength(2)
  expect(await rows()).toEqual(written)
})

test('an event that is deleted leaves nothing, with its place or before it has one', async () => {
  const { account, client, given } = await newAccount()
  await given.organization()
  await client.events.list()
  await given.organization()

  await service.query('delete from events where account_id = $1', [account.id])

  for (const table of ['event_positions', 'unnumbered_events'])
    expect(await service.query(`select from ${table} where account_id = $1`, [account.id])).toEqual([])
  await given.organization()
  const { data } = await client.events.list()
  expect(data.map(({ cursor }) => Buffer.from(cursor ?? '', 'base64url').toString())).toEqual(['2'])
})
