import { openMagicLink, type Client, type LogEvent } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { callback, linkGivenOf } from './magic-link-given.js'

const service = await startService()

/** An organization in which one user signed in with a magic link. */
async function givenSignIn() {
  const client = await service.client()
  const given = linkGivenOf(service, client)
  const scene = await given.scene()
  const { redirectedTo } = await openMagicLink(await given.link(scene))
  const code = redirectedTo.searchParams.get('code') ?? ''
  await client.oauth.token({ grant_type: 'authorization_code', code, redirect_uri: callback })
  return { client, given, ...scene }
}

const codesOf = (events: readonly LogEvent[]) => events.map(({ event_code }) => event_code)

describe('the log events of an organization', () => {
  test('tell each step of a sign-in, newest first, in an envelope of their own', async () => {
    const { client, org_domain, user, application } = await givenSignIn()

    const page = await client.logEvents.list({ org_domain })

    expect(codesOf(page.data)).toEqual([
      'TOKEN_EXCHANGED',
      'END_USER_MAGIC_LINK_SUCCESS',
      'END_USER_MAGIC_LINK_STARTED',
    ])
    expect(page.data[1]).toMatchObject({
      __type__: 'Event',
      client_id: application.id,
      database: 'sandbox',
      email: user.email,
      resource_owner_id: user.id,
      saml_identity_provider_id: '',
      tenant_domain: org_domain,
    })
    expect(page).toMatchObject({
      __type__: 'List',
      paginate: { current_page: 1, total_pages: 1 },
      total_count: 3,
      next_cursor: null,
    })
  })

  test('are filtered, and a value that none can have gives none', async () => {
    const { client, org_domain, application } = await givenSignIn()
    const total = async (filter: object) =>
      (await client.logEvents.list({ org_domain, ...filter })).total_count

    expect(await total({ code: 'TOKEN_EXCHANGED' })).toBe(1)
    expect(await total({ client_id: application.id })).toBe(3)
    expect(await total({ client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4' })).toBe(0)
    expect(await total({ saml_identity_provider_id: 'none' })).toBe(0)
    for (const impossible of [
      { code: 'NOTHING' },
      { client_id: 'nobody' },
      { saml_identity_provider_id: '\0' },
    ])
      expect(await total(impossible)).toBe(0)
  })

  test('are filtered by user, address and request, which another organization may share', async () => {
    const { client, org_domain, user } = await givenSignIn()
    const given = givenOf(client)
    const other = await given.user({ org_domain })
    const linked = { org_domain, send_email: false }
    await client.magicLink.createChallenge({ ...linked, user_email: other.email })
    const neighbour = await given.organization()
    const [all, ofUser] = [
      (await client.logEvents.list({ org_domain })).data,
      (await client.logEvents.list({ org_domain, user_id: user.id })).data,
    ]
    const listed = async (query: object, at = org_domain) => {
      const { data, total_count } = await client.logEvents.list({ org_domain: at, ...query })
      expect(total_count).toBe(data.length)
      return data
    }

    expect(ofUser).toEqual(all.slice(1))
    expect(ofUser).toHaveLength(3)
    expect(await listed({ user_id: user.id, s: 'code' })).toHaveLength(3)
    expect(await listed({ email: user.email.toUpperCase() })).toEqual(ofUser)
    expect(await listed({ request_id: all[0]?.request_id })).toEqual(all.slice(0, 1))
    expect(await listed({ user_id: user.id, code: 'TOKEN_EXCHANGED' })).toEqual(ofUser.slice(0, 1))
    for (const query of [{ user_id: user.id }, { email: user.email }, { request_id: all[0]?.request_id }])
      expect(await listed(query, neighbour.domain)).toEqual([])
    for (const query of [{ user_id: 'ada' }, { email: 'ada' }, { request_id: '\0' }, { user_id: '' }])
      expect(await listed(query)).toEqual([])
    await expect(client.logEvents.list({ org_domain: 'missing', user_id: user.id })).rejects.toMatchObject({
      code: 'organization_not_found',
    })
  })

  test('are those of a time: from its first moment on, before its last one', async () => {
    const { client, given, ...scene } = await givenSignIn()
    const { org_domain } = scene
    const total = async (query: object) => (await client.logEvents.list({ org_domain, ...query })).total_count
    await service.clock.advance(60)
    await given.link(scene)
    const [last] = (await client.logEvents.list({ org_domain })).data
    const at = last?.inserted_at ?? ''

    expect([await total({ since: at }), await total({ until: at })]).toEqual([1, 3])
    expect(await total({ since: at, until: at })).toBe(0)
    const elsewhere = new Date(Date.parse(at) + 3_600_000).toISOString().replace('Z', '+01:00')
    expect(await total({ since: elsewhere })).toBe(1)
    expect(await total({ since: '0000-01-01T00:00:00Z', until: '9999-12-31T23:59:59-23:59' })).toBe(4)
    for (const never of ['yesterday', '2026-02-30T00:00:00Z', '2026-03-14', '2026-03-14T09:26:53+24:00', ''])
      expect([never, await total({ since: never }), await total({ until: never })]).toEqual([never, 0, 0])
  })

  test('of a user go on behind a cursor', async () => {
    const { client, org_domain, user } = await givenSignIn()
    const of = { org_domain, user_id: user.id }
    const all = await client.logEvents.list(of)
    const first = await client.logEvents.list({ ...of, per_page: 2 })

    const rest = await client.logEvents.list({ ...of, per_page: 2, after: first.next_cursor ?? '' })

    expect([...first.data, ...rest.data]).toEqual(all.data)
    expect((await client.logEvents.list({ ...of, per_page: 2, page: 2 })).data).toEqual(rest.data)
  })

  test('are sorted by code, either way', async () => {
    const { client, org_domain } = await givenSignIn()
    const sorted = async (s: string) => codesOf((await client.logEvents.list({ org_domain, s })).data)

    const descending = await sorted('code desc')
    expect(descending).toEqual([...descending].sort().reverse())
    expect(await sorted('-code')).toEqual(descending)
    expect(await sorted('code')).toEqual([...descending].reverse())
  })

  test('go on behind a cursor, whatever happens meanwhile', async () => {
    const { client, given, org_domain, user, application } = await givenSignIn()
    const all = (await client.logEvents.list({ org_domain })).data
    const first = await client.logEvents.list({ org_domain, per_page: 2 })
    await given.link({ org_domain, user, application })

    const rest = await client.logEvents.list({ org_domain, per_page: 2, after: first.next_cursor ?? '' })

    expect([...first.data, ...rest.data]).toEqual(all)
  })

  longTest('are in one order over the months, by page and behind a cursor', async () => {
    const own = await startService()
    const client = await own.client()
    const given = linkGivenOf(own, client)
    const scene = await given.scene()
    const daySeconds = 24 * 60 * 60
    for (const days of [0, 40, 40, 1]) {
      await own.clock.advance(days * daySeconds)
      await own.runJobs()
      await given.link(scene)
      await openMagicLink(await given.link(scene))
    }
    const months = await own.query('select distinct tableoid from log_events')
    expect(months.length).toBeGreaterThanOrEqual(3)
    const { org_domain } = scene
    const { data: all, total_count } = await client.logEvents.list({ org_domain })
    expect([all.length, total_count]).toEqual([12, 12])
    const times = all.map(({ inserted_at }) => inserted_at)
    expect(times).toEqual(times.toSorted().reverse())

    const walked: LogEvent[] = []
    for (let after: string | undefined, isMore = true; isMore;) {
      const page = await client.logEvents.list({
        org_domain,
        per_page: 5,
        ...(after !== undefined && { after }),
      })
      walked.push(...page.data)
      after = page.next_cursor ?? undefined
      isMore = after !== undefined
    }
    expect(walked).toEqual(all)
    const second = await client.logEvents.list({ org_domain, per_page: 5, page: 2 })
    expect(second.data).toEqual(all.slice(5, 10))
  })

  test('404: of an organization of another account; and none of the other environment', async () => {
    const { org_domain } = await givenSignIn()
    const stranger = await service.client({ account: await service.createAccount() })
    const production = await service.client({ environment: 'production' })

    await expect(stranger.logEvents.list({ org_domain })).rejects.toMatchObject({
      code: 'organization_not_found',
    })
    expect(await production.logEvents.list({ org_domain })).toMatchObject({ data: [], total_count: 0 })
  })
})

/** A user who has signed in at a new organization of a client's account. */
async function signInAt(client: Client) {
  const given = givenOf(client)
  const { domain: org_domain } = await given.organization()
  const application = await given.application({ org_domain, organization_domain_scope: org_domain })
  const user = await given.user({ org_domain })
  const of = { org_domain, user_email: user.email, send_email: false }
  await openMagicLink((await client.magicLink.createChallenge(of)).magic_link ?? '')
  return { application, user }
}

describe('the log events of the account', () => {
  test('tell what API keys did, to keys of the whole account', async () => {
    const account = await service.createAccount()
    const client = await service.client({ account })
    await givenOf(client).organization()

    const { data } = await client.logEvents.list({ org_domain: account.domain })

    expect(codesOf(data)).toEqual(['API_KEY_TOKEN_ISSUED'])
    expect(data[0]).toMatchObject({ tenant_domain: account.domain, resource_owner_id: null })
  })

  test('404: to a key that is limited to organizations', async () => {
    const account = await service.createAccount()
    const { id } = await givenOf(await service.client({ account })).organization()
    const limited = await service.client({ account, organizationIds: [id] })

    await expect(limited.logEvents.list({ org_domain: account.domain })).rejects.toMatchObject({
      status: 404,
      code: 'organization_not_found',
    })
  })

  test('are listed with those of its organizations, filtered by code, application and address', async () => {
    const account = await service.createAccount()
    const client = await service.client({ account })
    const production = await service.client({ account, environment: 'production' })
    const [first, second] = [await signInAt(client), await signInAt(client)]
    const listed = async (query: object = {}) => (await client.logEvents.listOfAccount({ ...query })).data

    const all = await listed()
    expect(codesOf(all)).toEqual([
      ...['END_USER_MAGIC_LINK_SUCCESS', 'END_USER_MAGIC_LINK_STARTED'],
      ...['END_USER_MAGIC_LINK_SUCCESS', 'END_USER_MAGIC_LINK_STARTED'],
      'API_KEY_TOKEN_ISSUED',
    ])
    expect(await listed({ email: first.user.email.toUpperCase() })).toEqual(all.slice(2, 4))
    expect(await listed({ client_id: second.application.id })).toEqual(all.slice(0, 2))
    expect(await listed({ user_id: second.user.id })).toEqual(all.slice(0, 2))
    expect(await listed({ request_id: all[4]?.request_id })).toEqual(all.slice(4))
    expect(await listed({ until: all[4]?.inserted_at })).toEqual([])
    expect(await listed({ code: 'API_KEY_TOKEN_ISSUED' })).toEqual(all.slice(4))
    for (const impossible of [{ email: 'nobody' }, { email: first.user.email, code: 'NOTHING' }])
      expect(await listed(impossible)).toEqual([])
    expect(codesOf((await production.logEvents.listOfAccount({})).data)).toEqual(['API_KEY_TOKEN_ISSUED'])
    expect(
      (await (await service.client()).logEvents.listOfAccount({ email: first.user.email })).data,
    ).toEqual([])
  })

  test('go on behind a cursor, over all organizations', async () => {
    const account = await service.createAccount()
    const client = await service.client({ account })
    for (let count = 0; count < 2; count += 1) await signInAt(client)
    const { data: all } = await client.logEvents.listOfAccount({})
    const first = await client.logEvents.listOfAccount({ per_page: 3 })

    const rest = await client.logEvents.listOfAccount({ per_page: 3, after: first.next_cursor ?? '' })

    expect([...first.data, ...rest.data]).toEqual(all)
  })
})
