import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { rawSenderOf, type RawAnswer } from '../given/raw.js'
import { untilWaiting } from '../given/waiting.js'

/** Connections available to a key, of eight. */
const share = 4

let service: Service

beforeAll(async () => {
  service = await startService({ variables: { DATABASE_POOL_SIZE: '8' } })
})

/** Keeps a row of the table users locked until the work is done, or until it is released. */
async function whileUserIsHeld(userId: string, work: (letGo: () => Promise<unknown>) => Promise<void>) {
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select from users where id = $1 for update', [userId])
    await work(() => holder.query('commit'))
  } finally {
    await holder.end()
  }
}

/** The number of changes of users that wait for a lock; waits of the worker are not counted. */
async function waiting(): Promise<number> {
  const rows = await service.query(
    `select from pg_stat_activity
     where wait_event_type = 'Lock' and datname = current_database() and application_name = 'portico'
       and query like '%"users"%'`,
  )
  return rows.length
}

async function givenUser() {
  const { domain } = await service.given.organization()
  const client = await service.client()
  const user = await client.users.create({ org_domain: domain, email: anyEmail() })
  return { ...user, path: `/api/v2/org/${domain}/users/${user.id}` }
}

describe('requests that wait for one row', () => {
  test('have half of the connections: those of another key are answered meanwhile', async () => {
    const { id, path } = await givenUser()
    const client = await service.client()
    const one = rawSenderOf(service.baseUrl, await service.token())
    let answers: Promise<RawAnswer[]> | undefined

    await whileUserIsHeld(id, async (letGo) => {
      answers = Promise.all(Array.from({ length: 20 }, () => one('PUT', path, { family_name: randomUUID() })))
      await untilWaiting(service, share)
      for (let count = 0; count < 20; count++) await client.organizations.list()
      expect(await waiting()).toBe(share)
      await letGo()
    })

    expect((await answers)?.map(({ status }) => status)).toEqual(Array(20).fill(200))
  })

  longTest('longer than 2 s are answered 503, and told when to come back', async () => {
    const { id, path } = await givenUser()
    const token = await service.token()

    await whileUserIsHeld(id, async () => {
      const answer = await fetch(service.baseUrl + path, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ family_name: 'Lovelace' }),
      })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      // Postgres ended the wait, and the connection remains usable.
      expect(service.logLines.some((line) => line.includes('"sqlstate":"55P03"'))).toBe(true)
    })
  })
})
