import { eraseUser } from '@portico/server/erase-user'
import { scimLimits } from '@portico/contract/scim'
import { describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../../given/given.js'
import { startService } from '../../given/harness.js'
import { scimGivenOf } from '../../given/scim-given.js'

const service = await startService()
const client = await service.client()
const given = scimGivenOf(client)

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** A directory of an account of its own, so that what happens there is all that is told. */
async function givenOwn() {
  const account = await service.createAccount()
  const own = await service.client({ account })
  const directory = await scimGivenOf(own).directory()
  const { org_domain, scim } = directory
  const { cursor } = await own.events.list({ after: 'latest' })
  return {
    ...directory,
    own,
    events: async () => (await own.events.list({ after: cursor })).data,
    logged: async () => (await own.directorySync.listRequests({ org_domain })).data,
    failures: async () => (await own.logEvents.list({ org_domain })).data,
    create: async (userName = anyEmail()) => {
      const { status, body } = await scim('POST', '/Users', { body: { schemas: [userSchema], userName } })
      expect(status).toBe(201)
      return { id: (body as { id: string }).id, userName }
    },
  }
}

describe('a request that was answered', () => {
  test('is kept with what it changed and how it was read', async () => {
    const { scim, create, logged } = await givenOwn()
    const { id } = await create()
    const patch = {
      schemas: [patchSchema],
      Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
    }

    const { body } = await scim('PATCH', `/Users/${id}`, { body: patch })

    expect((await logged())[0]).toMatchObject({
      method: 'PATCH',
      path: `/Users/${id}`,
      request: JSON.stringify(patch),
      status: 200,
      answer: JSON.stringify(body),
      scim_type: null,
      changes: [{ type: 'User', id, members: expect.arrayContaining(['active']) as unknown }],
      quirks: expect.arrayContaining(['operation_case', 'boolean_as_text']) as unknown,
      user_id: id,
    })
  })

  test('is kept as 304 where who asks has it, and a search is none that could be', async () => {
    const { scim, logged } = await givenOwn()
    const headers = { 'if-none-match': '*' }

    const list = await scim('GET', '/Users', { headers })
    const search = await scim('POST', '/Users/.search', { headers, body: {} })

    expect([list.status, search.status]).toEqual([304, 200])
    const [last, first] = await logged()
    expect([first?.status, first?.answer, last?.status]).toEqual([304, null, 200])
  })

  test('has a quirk where its body has no schemas, and none where it has others beside', async () => {
    const { scim, logged } = await givenOwn()
    const userName = anyEmail()
    const Operations = [{ op: 'replace', path: 'active', value: true }]

    const made = await scim('POST', '/Users', { body: { userName } })
    const { id } = made.body as { id: string }
    const path = `/Users/${id}`
    const statuses = [
      made,
      await scim('PUT', path, { body: { userName, schemas: null } }),
      await scim('PATCH', path, { body: { Operations } }),
      await scim('POST', '/Users/.search', { body: {} }),
      await scim('PUT', path, {
        body: { userName, schemas: ['urn:example:own:2.0:User', userSchema.toUpperCase()] },
      }),
    ].map(({ status }) => status)

    expect(statuses).toEqual([201, 200, 200, 200, 200])
    expect((await logged()).map(({ quirks }) => quirks).toReversed()).toEqual([
      ['schemas_missing'],
      ['schemas_missing'],
      ['patch_wrapped'],
      ['schemas_missing'],
      [],
    ])
  })

  test('is found by its user', async () => {
    const { own, org_domain, create, scim } = await givenOwn()
    const { id } = await create()
    await create()
    await scim('GET', `/Users/${id}`)

    const { data } = await own.directorySync.listRequests({ org_domain, user_id: id })

    expect(data.map(({ method, user_id }) => [method, user_id])).toEqual([
      ['GET', id],
      ['POST', id],
    ])
  })

  test('has no password, in log, events and answer', async () => {
    const { scim, logged, events } = await givenOwn()
    const password = `canary-${anything()}`

    const { status, body } = await scim('POST', '/Users', {
      body: { schemas: [userSchema], userName: anyEmail(), password },
    })
    await scim('PATCH', `/Users/${(body as { id: string }).id}`, {
      body: { schemas: [patchSchema], Operations: [{ op: 'replace', path: 'password', value: password }] },
    })

    expect(status).toBe(201)
    expect(JSON.stringify([body, await logged(), await events()])).not.toContain(password)
    const tables = ['scim_requests', 'events', 'users', 'directory_users', 'passwords']
    for (const table of tables) {
      const rows = await service.query(`select from ${table} t where t::text like $1`, [`%${password}%`])
      expect([table, rows.length]).toEqual([table, 0])
    }
  })

  test('has no secret of its query, its search or its path, in log, events, answer and lines of the service', async () => {
    const { scim, create, logged, events, failures, secret, directory } = await givenOwn()
    const { id } = await create()
    // The password has the form of an address, which the log could contain as a search term.
    const password = `canary-${anything()}@vault.example`
    const body = {
      schemas: [patchSchema],
      Operations: [{ op: 'add', path: `x[y eq "${password}"]`, value: 1 }],
    }
    const path = `password[value eq "${password}"]`

    const bare = await fetch(`${directory.scim_base_url}/Users?access_token=${secret}`)
    const answers = [
      await scim('GET', `/Users?access_token=${secret}`),
      await scim('GET', `/Users/${secret}?${secret}=${secret}&sortBy=${secret}`),
      await scim('GET', `/Users?sortBy=${secret}`),
      await scim('GET', `/Users?filter=${encodeURIComponent(`password eq "${password}"`)}`),
      await scim('POST', '/Users/.search', { body: { filter: `password eq "${password}"` } }),
      await scim('POST', '/Users/.search', { body: { filter: `${secret} eq "${password}"` } }),
      await scim('PATCH', `/Users/${id}`, { body }),
      await scim('PATCH', `/Users/${id}`, { body: { ...body, Operations: [{ op: 'add', path, value: 1 }] } }),
      await scim('PUT', `/Users/${id}`, {
        body: { schemas: [userSchema], userName: anyEmail(), secret: password },
      }),
    ]

    expect(bare.status).toBe(401)
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 400, 400, 400, 400, 400, 200])
    const told = JSON.stringify([answers, await logged(), await events(), await failures(), service.logLines])
    expect(told).not.toContain(secret)
    expect(told).not.toContain(password)
    expect((await logged()).at(-2)).toMatchObject({ path: '/Users', query: 'access_token=(not kept)' })
    for (const table of ['scim_requests', 'events', 'log_events']) {
      const rows = await service.query(`select from ${table} t where t::text like any ($1)`, [
        [`%${password}%`, `%${secret}%`],
      ])
      expect([table, rows.length]).toEqual([table, 0])
    }
  })

  test('of a list is kept with its ids alone', async () => {
    const { scim, create, logged } = await givenOwn()
    const { id, userName } = await create()

    await scim('GET', `/Users?filter=${encodeURIComponent('active eq true')}`)

    const [list] = await logged()
    expect(JSON.parse(list?.answer ?? '')).toMatchObject({ totalResults: 1, Resources: [{ id }] })
    expect(list?.answer).not.toContain(userName)
  })
})

describe('a change that was refused', () => {
  test('is told by an event with its reason, by the log, and by a log event, and changed nothing', async () => {
    const { scim, create, events, logged, failures, directory } = await givenOwn()
    const { id, userName } = await create()
    const before = (await events()).length

    const { status, body } = await scim('POST', '/Users', { body: { schemas: [userSchema], userName } })

    expect([status, body]).toMatchObject([409, { scimType: 'uniqueness' }])
    const { detail } = body as { detail: string }
    const told = (await events()).slice(before)
    expect(told).toMatchObject([
      {
        code: 'dir_sync.user.provision.fail',
        errors: [detail],
        actor: { type: 'directory', id: directory.id },
        params: { directory_sync_id: directory.id, userName },
        data: {
          __type__: 'DirectorySyncEvent',
          change: 'provision',
          directory_sync_id: directory.id,
          provider: 'custom_scim',
          resource: { id: null, type: 'User', changes: { new_values: {}, previous_values: {} } },
        },
      },
    ])
    expect((await logged())[0]).toMatchObject({
      status: 409,
      scim_type: 'uniqueness',
      changes: [],
      user_id: null,
      answer: JSON.stringify(body),
      request_id: told[0]?.request_id,
    })
    expect(await failures()).toMatchObject([
      { event_code: 'SCIM_REQUEST_FAILED', reason: 'uniqueness', email: userName, resource_owner_id: null },
    ])
    expect((await scim('GET', `/Users/${id}`)).status).toBe(200)
  })

  test('names the user whom it was about', async () => {
    const { own, org_domain, scim, events, failures, logged } = await givenOwn()
    const user = await own.users.create({ org_domain, email: anyEmail() })
    const patch = { schemas: [patchSchema], Operations: [{ op: 'replace', path: 'active', value: false }] }

    const refused = [
      await scim('PATCH', `/Users/${user.id}`, { body: patch }),
      await scim('PUT', `/Users/${user.id}`, { body: { schemas: [userSchema], userName: user.email } }),
      await scim('DELETE', `/Users/${user.id}`),
    ]

    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    const told = (await events()).filter(({ code }) => code.endsWith('.fail'))
    expect(told.map(({ code, data }) => [code, data])).toMatchObject(
      ['update', 'update', 'deprovision'].map((change) => [
        `dir_sync.user.${change}.fail`,
        { change, resource: { id: user.id, type: 'User' } },
      ]),
    )
    expect((await failures()).map(({ reason, resource_owner_id }) => [reason, resource_owner_id])).toEqual(
      refused.map(() => ['status_403', user.id]),
    )
    expect((await logged()).map(({ user_id }) => user_id)).toEqual(refused.map(() => user.id))
    expect(await own.users.get({ org_domain, user_id: user.id })).toEqual(user)
  })

  test('of a user who is not there names nobody', async () => {
    const { scim, events } = await givenOwn()

    expect((await scim('DELETE', '/Users/0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46')).status).toBe(404)

    expect(await events()).toMatchObject([
      { code: 'dir_sync.user.deprovision.fail', data: { resource: { id: null } } },
    ])
  })

  test('of a group that is not there names nobody', async () => {
    const { scim, events } = await givenOwn()

    expect((await scim('DELETE', '/Groups/0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46')).status).toBe(404)

    expect(await events()).toMatchObject([
      { code: 'dir_sync.group.deprovision.fail', data: { resource: { id: null, type: 'Group' } } },
    ])
  })
})

test('what was refused of a read is no event', async () => {
  const { scim, events, failures } = await givenOwn()

  await scim('GET', '/Users/0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46')
  await scim('GET', '/Users?filter=nothing')

  expect(await events()).toEqual([])
  expect((await failures()).map(({ reason }) => reason)).toEqual(['invalidFilter', 'status_404'])
})

test('with an erased user goes what the provider has asked of them, also what was refused', async () => {
  const { org_domain, scim } = await given.directory()
  const userName = `canary-${anything()}@people.example`
  const body = { schemas: [userSchema], userName }
  const other = await scim('POST', '/Users', { body: { schemas: [userSchema], userName: anyEmail() } })
  const made = await scim('POST', '/Users', { body })
  const { id } = made.body as { id: string }
  expect((await scim('POST', '/Users', { body })).status).toBe(409)
  await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`)
  await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}" and`)}`)
  await scim('DELETE', `/Users/${id}`)
  const kept = () =>
    service.query('select from scim_requests r where r::text like $1 or r::text like $2', [
      `%${userName.split('@')[0] ?? ''}%`,
      `%${id}%`,
    ])
  expect((await kept()).length).toBe(5)

  const { domain: account } = service.account
  const cause = { requestId: anything(), actor: { type: 'operator', id: 'ada' }, params: () => ({}) } as const
  await eraseUser(service.deps, { account, environment: 'sandbox', organization: org_domain, id }, cause)

  expect(await kept()).toEqual([])
  const { data } = await client.directorySync.listRequests({ org_domain })
  expect(data.map(({ user_id }) => user_id)).toEqual([(other.body as { id: string }).id])
})

test('a log of more requests than are counted has these as its total, and goes on behind them', async () => {
  const { own, org_domain, directory } = await givenOwn()
  await service.query(
    `insert into scim_requests (
       account_id, environment, organization_id, directory_id, id, method, path, query, status, changes, quirks,
       duration_ms, request_id, inserted_at
     )
     select account_id, environment, organization_id, id, gen_random_uuid(), 'GET', '/Users', '',
       case when number = 1 then 404 else 200 end, '[]', '{}', 1, 'request', $2
     from directories, generate_series(1, $3::integer) number
     where id = $1`,
    [directory.id, service.clock.now(), scimLimits.requestsCounted + 1],
  )

  const page = await own.directorySync.listRequests({ org_domain })
  const refused = await own.directorySync.listRequests({ org_domain, status: 404 })

  expect([page.total, refused.total]).toEqual([scimLimits.requestsCounted, 1])
  expect(page.next_cursor).not.toBeNull()
})
