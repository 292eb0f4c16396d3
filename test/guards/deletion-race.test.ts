import { ApiError, type Client } from '@portico/sdk'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given.js'
import { startService, type Service } from '../harness.js'
import { untilWaiting } from '../waiting.js'

let service: Service
let client: Client

beforeAll(async () => {
  service = await startService()
  client = await service.client()
})

describe('of a request under an Idempotency-Key and the deletion of its organization', () => {
  /** Creates the same user under the same key at every call; gives the error's code when it is refused. */
  function givenCreator(org_domain: string) {
    const input = { org_domain, email: anyEmail() }
    const options = { idempotencyKey: anything() }
    return () =>
      client.users.create(input, options).then(
        () => 'created',
        (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
      )
  }

  test('the deletion that ends first leaves nothing to repeat', async () => {
    const { domain: org_domain } = await service.given.organization()
    const create = givenCreator(org_domain)

    const first = await whileWaiting('user.user.create.success', create, () =>
      client.organizations.delete({ org_domain }),
    )

    expect(first).toBe('organization_not_found')
    await expectNothingToRepeat(create)
  })

  test('the deletion that is under way is waited for, and leaves nothing to repeat', async () => {
    const { domain: org_domain } = await service.given.organization()
    const create = givenCreator(org_domain)
    const attempts: Promise<string>[] = []

    await whileWaiting(
      'organization.organization.delete.success',
      () => client.organizations.delete({ org_domain }),
      async () => {
        const attempt = create()
        attempts.push(attempt)
        const ended = new AbortController()
        void attempt.finally(() => ended.abort())
        await untilWaiting(service, 2, ended.signal)
      },
    )

    expect(await Promise.all(attempts)).toEqual(['organization_not_found'])
    await expectNothingToRepeat(create)
  })
})

/** Asks until the key is free, which a request that failed frees just after its answer. */
async function expectNothingToRepeat(create: () => Promise<string>): Promise<void> {
  await expect.poll(create, { interval: 5, timeout: 10_000 }).toBe('organization_not_found')
}

/** Lets a change wait where it records its event, its transaction open, until something else is done. */
async function whileWaiting<Result>(
  eventCode: string,
  change: () => Promise<Result>,
  meanwhile: () => Promise<unknown>,
): Promise<Result> {
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  await holder.query(`
    select pg_advisory_lock(1);
    create function wait_for_holder() returns trigger language plpgsql
      as 'begin perform pg_advisory_xact_lock(1); return new; end';
    create trigger wait_for_holder before insert on events for each row
      when (new.code = '${eventCode}') execute function wait_for_holder()`)
  const changed = change()
  try {
    await untilWaiting(service, 1)
    await meanwhile()
  } finally {
    await holder.query('select pg_advisory_unlock(1)')
    await Promise.allSettled([changed])
    await holder.query('drop trigger wait_for_holder on events; drop function wait_for_holder()')
    await holder.end()
  }
  return changed
}
