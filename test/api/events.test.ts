import pg from 'pg'
import type { Client, Event } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'

const daySeconds = 24 * 60 * 60

const service = await startService()

/** The clients of a new account without events. */
async function newAccount() {
  const account = await service.createAccount()
  const client = await service.client({ account })
  const production = await service.client({ account, environment: 'production' })
  const { cursor } = await client.events.list({ after: 'latest' })
  return { account, client, production, given: givenOf(client), start: cursor }
}

/** Reads every event after a cursor in small pages. */
async function readAll(client: Client, after?: string, limit = 3): Promise<Event[]> {
  const events: Event[] = []
  for (let cursor = after; ;) {
    const page = await client.events.list({ limit, ...(cursor !== undefined && { after: cursor }) })
    events.push(...page.data)
    if (!page.has_more) return events
    cursor = page.cursor
  }
}

const codesOf = (events: readonly Event[]) => events.map(({ code }) => code)

describe('the stream of events', () => {
  test('has every change once, in its order, with the record, the actor and the request', async () => {
    const { client, given, start, account } = await newAccount()
    const { domain } = await given.organization()
    const user = await given.user({ org_domain: domain })
    await client.users.update({ org_domain: domain, user_id: user.id, active: false })
    await client.users.delete({ org_domain: domain, user_id: user.id })

    const events = await readAll(client, start, 2)

    expect(codesOf(events)).toEqual([
      'organization.organization.create.success',
      'user.user.create.success',
      'user.user.update.success',
      'user.user.delete.success',
    ])
    const created = events.find((event) => event.code === 'user.user.create.success')
    expect(created).toMatchObject({
      __type__: 'Event',
      __domain__: domain,
      __environment__: 'sandbox',
      data: user,
      errors: null,
      params: { org_domain: domain, email: user.email, via: 'api' },
      actor: { type: 'api_key' },
      webhook_id: null,
    })
    expect(created?.issued_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(new Set(events.map(({ id }) => id)).size).toBe(4)
    expect(account.domain).not.toBe(domain)
  })

  test('goes on behind the cursor of any event, and of an answer without events', async () => {
    const { client, given, start } = await newAccount()
    await given.organization()
    await given.organization()
    const [first, second] = await readAll(client, start)

    expect(await client.events.list({ after: first?.cursor ?? '' })).toMatchObject({ data: [second] })
    const end = await client.events.list({ after: second?.cursor ?? '' })
    expect(end).toEqual({ __type__: 'List', data: [], cursor: second?.cursor, has_more: false })

    await given.organization()
    expect((await client.events.list({ after: end.cursor })).data).toHaveLength(1)
  })

  test('has nothing of another environment or account', async () => {
    const { client, production, given, start } = await newAccount()
    const stranger = await newAccount()
    const { domain } = await given.organization()
    await givenOf(production).user({ org_domain: domain })

    expect(codesOf(await readAll(client, start))).toEqual(['organization.organization.create.success'])
    expect(codesOf(await readAll(production, start))).toEqual(['user.user.create.success'])
    expect(await readAll(stranger.client, start)).toEqual([])
  })

  test('gives those of a code, or of a family; and nothing, at the same place, for one that there is not', async () => {
    const { client, given, start } = await newAccount()
    const { domain } = await given.organization()
    await given.user({ org_domain: domain })
    const codes = async (code: 'user.all' | 'user.user.create.success' | 'all') =>
      codesOf((await client.events.list({ after: start, code })).data)

    expect(await codes('user.all')).toEqual(['user.user.create.success'])
    expect(await codes('user.user.create.success')).toEqual(['user.user.create.success'])
    expect(await codes('all')).toHaveLength(2)
    // The compiler refuses unknown codes; callers without types can send one.
    const none = await client.events.list({ after: start, code: 'user.nothing' as 'all' })
    expect(none).toMatchObject({ data: [], cursor: start, has_more: false })
  })

  test('takes a reader of a rare code on behind all that is there, so that nothing it never missed expires for it', async () => {
    const { client, given, start } = await newAccount()
    const { domain } = await given.organization()
    await given.user({ org_domain: domain })
    const { cursor: latest } = await client.events.list({ after: 'latest' })

    const rare = await client.events.list({ after: start, code: 'api_key.api_key.revoke.success' })
    const first = await client.events.list({ after: start, code: 'all', limit: 1 })

    expect(rare).toMatchObject({ data: [], cursor: latest, has_more: false })
    expect(first).toMatchObject({ cursor: first.data[0]?.cursor, has_more: true })
  })

  test('has events as they were written, also without a member that records have since then', async () => {
    const { client, given, start } = await newAccount()
    const { domain } = await given.organization()
    await service.query(
      `update events set data = data - 'timezone' where domain = $1 and code like 'organization.%'`,
      [domain],
    )

    const [event] = await readAll(client, start)

    expect(event).toMatchObject({ code: 'organization.organization.create.success', data: { domain } })
    expect(event?.data).not.toHaveProperty('timezone')
  })

  test('422: an after that no answer has given out', async () => {
    const { client } = await newAccount()

    for (const after of ['nonsense', '', 'LTE', Buffer.from('01').toString('base64url'), '%00'])
      await expect(client.events.list({ after })).rejects.toMatchObject({
        status: 422,
        fields: [{ path: 'after' }],
      })
  })

  test('skips no event of a transaction that commits after later ones were read', async () => {
    const { client, given, start } = await newAccount()
    await given.organization()
    const slow = await holdCopyOfLastEvent()
    await given.organization()
    const before = await client.events.list({ after: start })
    expect(before.data).toHaveLength(2)

    await slow.commit()

    expect(await readAll(client, before.cursor)).toMatchObject([{ id: slow.id }])
    expect((await readAll(client, start)).map(({ id }) => id)).toContain(slow.id)
  })

  longTest('gives a reader who polls beside twenty writers each event exactly once', async () => {
    const { client, given, start } = await newAccount()
    const { domain } = await given.organization()
    let isWriting = true
    const writing = Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let count = 0; count < 5; count += 1) await given.user({ org_domain: domain, email: anyEmail() })
      }),
    ).finally(() => {
      isWriting = false
    })

    const seen: Event[] = []
    while (isWriting) seen.push(...(await readAll(client, seen.at(-1)?.cursor ?? start, 7)))
    await writing
    seen.push(...(await readAll(client, seen.at(-1)?.cursor ?? start, 7)))

    expect(seen).toHaveLength(101)
    expect(new Set(seen.map(({ id }) => id)).size).toBe(101)
  })

  longTest('410: a reader whose next events are not kept any more is told', async () => {
    const own = await startService()
    const account = await own.createAccount()
    const client = await own.client({ account })
    const given = givenOf(client)
    const { cursor: start } = await client.events.list({ after: 'latest' })
    await given.organization()
    const [first] = await readAll(client, start)
    await own.clock.advance(91 * daySeconds)
    await own.runJobs()
    const later = await own.client({ account })
    await givenOf(later).organization()

    await expect(later.events.list({ after: start })).rejects.toMatchObject({
      status: 410,
      code: 'events_expired',
    })
    expect(await readAll(later, first?.cursor ?? '')).toHaveLength(1)
    expect(await readAll(later)).toHaveLength(1)
    const { cursor: latest } = await later.events.list({ after: 'latest' })
    expect(await readAll(later, latest)).toEqual([])
  })
})

describe('listening with the SDK', () => {
  test('yields what is there and what comes, and goes on later behind the last that was dealt with', async () => {
    const { client, given, start } = await newAccount()
    await given.organization({ name: 'One' })
    const stop = new AbortController()
    const names: string[] = []
    let cursor: string | null = start

    const listening = (async () => {
      for await (const event of client.events.listen({ after: start, signal: stop.signal, pauseMs: 1 })) {
        if (event.code !== 'organization.organization.create.success' || 'truncated' in event.data) continue
        names.push(event.data.name)
        ;({ cursor } = event)
        if (names.length === 1) await given.organization({ name: 'Two' })
        else stop.abort(new Error('enough'))
      }
    })()
    await expect(listening).rejects.toThrow('enough')
    expect(names).toEqual(['One', 'Two'])

    await given.organization({ name: 'Three' })
    for await (const event of client.events.listen({ after: cursor ?? '', code: 'organization.all' })) {
      expect(event).toMatchObject({ data: { name: 'Three' } })
      break
    }
  })
})

/** An open transaction that inserted a copy of the latest event. */
async function holdCopyOfLastEvent() {
  const connection = new pg.Client({ connectionString: service.databaseUrl })
  await connection.connect()
  await connection.query('begin')
  const { rows } = await connection.query<{ id: string }>(`
    insert into events (account_id, environment, id, organization_id, domain, code, data, params, actor_type,
      actor_id, request_id, issued_at)
    select account_id, environment, gen_random_uuid(), organization_id, domain, code, data, params, actor_type,
      actor_id, request_id, issued_at
    from events order by issued_at desc, id desc limit 1
    returning id`)
  return {
    id: rows[0]?.id ?? '',
    async commit() {
      await connection.query('commit')
      await connection.end()
    },
  }
}
