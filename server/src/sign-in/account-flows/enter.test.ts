import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test } from 'vitest'
import { startQueue, type Queue } from '../../delivery/jobs/run.given.js'
import { causeBy } from '../../platform/tenant.js'
import { findOrJoin } from './enter.js'

let queue: Queue
const account = uuidv7()

beforeAll(async () => {
  queue = await startQueue()
  await sql`
    insert into accounts (id, domain, plan, inserted_at)
    values (${account}, 'acme', 'unlimited', ${queue.now()})`.execute(queue.db)
}, 60_000)

// Between the offer and the entrance a domain can lapse, and an invitation can be revoked.
test.each([
  ['link', true],
  ['invitation', false],
  ['join', false],
] as const)(
  'an organization that was offered by the %s, of which nothing is there any more: a user is created: %s',
  async (createdBy, isCreated) => {
    const id = uuidv7()
    const at = queue.now()
    await sql`
      insert into organizations (account_id, id, domain, name, color, allowed_email_domains, inserted_at, updated_at)
      values (${account}, ${id}, ${id}, 'x', 'x', '{}', ${at}, ${at})`.execute(queue.db)
    const tenant = {
      ...({ accountId: account, accountDomain: 'acme', environment: 'sandbox', domain: id } as const),
      ...{ organizationIds: null, cause: causeBy('r', 'system', 'test') },
    }
    const email = 'ada@corp.example'
    const proof = { email, emailNormalized: email, provedAt: at, isLinkReturned: false }

    const user = await queue.db
      .transaction()
      .execute((trx) => findOrJoin(queue.deps, trx, { tenant, proof, createdBy }))

    expect(user?.email).toBe(isCreated ? email : undefined)
    const { rows } = await sql`select from users where organization_id = ${id}`.execute(queue.db)
    expect(rows).toHaveLength(isCreated ? 1 : 0)
  },
)
