import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { startQueue, type Queue } from '../../delivery/jobs/run.given.js'
import { purgeDeleted } from './purge.js'

let queue: Queue
const account = uuidv7()
const cause = { requestId: 'x', actor: { type: 'system', id: 'purge' }, params: () => ({}) } as const

beforeAll(async () => {
  queue = await startQueue()
  await queue.db
    .insertInto('accounts')
    .values({ id: account, domain: 'acme', plan: 'free', inserted_at: queue.now() })
    .execute()
}, 60_000)

beforeEach(async () => {
  await queue.reset()
  for (const table of ['events', 'users', 'organizations'] as const)
    await queue.db.deleteFrom(table).execute()
})

/** An organization with users, some of them deleted. */
async function givenUsers(deleted: number, isOrganizationDeleted = false): Promise<void> {
  const id = uuidv7()
  const at = queue.now()
  await sql`
    insert into organizations (account_id, id, domain, name, color, inserted_at, updated_at, deleted_at)
    values (${account}, ${id}, ${id}, 'x', 'x', ${at}, ${at}, ${isOrganizationDeleted ? at : null})`.execute(
    queue.db,
  )
  await sql`
    insert into users (account_id, environment, organization_id, id, active, email, email_normalized, phone_numbers,
      profile, address, avatar_hexa_color, inserted_at, updated_at, deleted_at)
    select ${account}, case when n % 2 = 0 then 'sandbox' else 'production' end, ${id}, gen_random_uuid(), true,
      n || '@a.example', n || '@a.example', '[]', '{}', '{}', '#000000', ${at}, ${at},
      case when n <= ${deleted} then ${at}::timestamptz end
    from generate_series(1, 700) n`.execute(queue.db)
}

function purge() {
  const before = new Date(queue.now().getTime() + 1)
  return purgeDeleted(queue.deps, cause, { before, onErased: () => undefined })
}

/** The ids of the erasure events, repetitions included. */
async function told(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select data->>'id' as id from events where code = 'user.user.erase.success' order by 1`.execute(queue.db)
  return rows.map(({ id }) => id)
}

async function userIds(): Promise<string[]> {
  const rows = await queue.db.selectFrom('users').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

test('an erasure is told once, however many purge at the same time', async () => {
  await givenUsers(700)
  const ids = await userIds()

  await Promise.all([purge(), purge(), purge()])

  expect(await userIds()).toEqual([])
  expect(await told()).toEqual(ids)
})

test('an erasure is told once, and none without its event, where the purge is interrupted and begins anew', async () => {
  await givenUsers(700)
  const ids = await userIds()
  for (let round = 0; round < 2; round += 1) {
    const waiting = await userIds()
    const unlucky = waiting[Math.floor(waiting.length / 2)]
    await sql`
      create function fail() returns trigger language plpgsql as $$ begin raise 'interrupted'; end $$`.execute(
      queue.db,
    )
    await sql`
      create trigger fail before delete on users for each row when (old.id = ${sql.lit(unlucky)})
      execute function fail()`.execute(queue.db)

    await expect(purge()).rejects.toThrow('interrupted')

    const left = await userIds()
    expect([...left, ...(await told())].toSorted()).toEqual(ids)
    await sql`drop function fail cascade`.execute(queue.db)
  }
  await purge()
  expect(await told()).toEqual(ids)
})

test('every user of an organization that is erased is told, deleted or not, and stays told', async () => {
  await givenUsers(10, true)
  const ids = await userIds()

  const { organizations, rows } = await purge()

  expect([organizations, rows['users']]).toEqual([1, 700])
  expect(await told()).toEqual(ids)
})

test('who is not deleted is not erased', async () => {
  await givenUsers(10)

  const { users } = await purge()

  expect(users).toBe(10)
  expect(await userIds()).toHaveLength(690)
})
