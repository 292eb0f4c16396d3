import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import { startService, type Service } from '../harness.js'
import { scimGivenOf, type ScimProvider } from '../scim-given.js'

// Postgres plans a statement for all tenants at once, and where most organizations are small it thinks that this one is,
// too: to read all of its users costs it no more than to read one. Here one organization is large and most have a single
// user, so that a statement which leaves that choice reads hundreds of pages of an index.

const large = 30_000
const small = 8_000

/** Of 8 kB, in the indexes of users and of users of directories. All those of the large organization are on more than 300 in each. */
const fewPages = 250

let service: Service
let place: { readonly users: string; readonly user: string; readonly email: string }
let scim: ScimProvider
let scimUser: string
let token: string

beforeAll(async () => {
  service = await startService()
  const client = await service.client()
  token = await service.token()
  const provider = await scimGivenOf(client).directory()
  scim = provider.scim
  const { org_domain } = provider
  const user = await client.users.create({ org_domain, email: 'ada@awesome.example' })
  place = { users: `/api/v2/org/${org_domain}/users`, user: user.id, email: user.email }
  const created = await scim('POST', '/Users', {
    body: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'grace',
      emails: [{ value: 'grace@awesome.example' }],
    },
  })
  scimUser = (created.body as { id: string }).id

  // So many users by requests would take minutes.
  const admin = new pg.Client({ connectionString: service.databaseUrl })
  await admin.connect()
  // Each row would be looked up in the tables that it refers to; a role that may not leave that out does it.
  await admin.query('set session_replication_role = replica').catch(() => undefined)
  await admin.query(
    `insert into users select (jsonb_populate_record(users, jsonb_build_object(
       'id', gen_random_uuid(), 'email', 'user' || n || '@awesome.example',
       'email_normalized', 'user' || n || '@awesome.example',
       'inserted_at', inserted_at - n * interval '1 second', 'updated_at', updated_at - n * interval '1 second'))).*
     from users cross join generate_series(1, $2) n where id = $1`,
    [user.id, large],
  )
  await admin.query(
    `insert into directory_users select (jsonb_populate_record(directory_users, jsonb_build_object(
       'user_id', users.id, 'user_name', users.email, 'user_name_normalized', users.email))).*
     from directory_users join users using (account_id, environment, organization_id)
     where users.id not in ($1, $2)`,
    [scimUser, user.id],
  )
  await admin.query(
    `insert into organizations select (jsonb_populate_record(organizations, jsonb_build_object(
       'id', md5(n::text)::uuid, 'domain', 'small-' || n))).*
     from organizations cross join generate_series(1, $2) n where domain = $1`,
    [org_domain, small],
  )
  await admin.query(
    `insert into users select (jsonb_populate_record(users, jsonb_build_object(
       'id', gen_random_uuid(), 'organization_id', md5(n::text)::uuid))).*
     from users cross join generate_series(1, $2) n where id = $1`,
    [user.id, small],
  )
  await admin.query(
    `insert into directories select (jsonb_populate_record(directories, jsonb_build_object(
       'id', md5(n::text)::uuid, 'organization_id', md5(n::text)::uuid))).*
     from directories cross join generate_series(1, $1) n`,
    [small],
  )
  await admin.query(
    `insert into directory_users select (jsonb_populate_record(directory_users, jsonb_build_object(
       'organization_id', users.organization_id, 'directory_id', users.organization_id, 'user_id', users.id))).*
     from directory_users cross join users
     where directory_users.user_id = $1 and users.organization_id <> directory_users.organization_id`,
    [scimUser],
  )
  await admin.query('vacuum analyze users, directory_users, organizations')
  // As after a few runs of each statement.
  const { database } = admin
  await admin.query(
    `alter database ${pg.escapeIdentifier(database ?? '')} set plan_cache_mode = force_generic_plan`,
  )
  await endConnections(admin)
  await admin.end()
}, 120_000)

test.each([
  ['a user', () => api('GET', `${place.users}/${place.user}`)],
  [
    'the user with an address',
    () => api('GET', `${place.users.replace(/users$/, 'user-by-email')}/${place.email}`),
  ],
  ['a page of users', () => api('GET', place.users)],
  ['a page of users by their last change', () => api('GET', `${place.users}?sort=-updated_at`)],
  [
    'the change of a user',
    () => api('PUT', `${place.users}/${place.user}`, { profile: { given_name: 'Ada' } }),
  ],
  ['a page of users of a directory', () => fromProvider('GET', '/Users?count=25')],
  ['a user of a directory', () => fromProvider('GET', `/Users/${scimUser}`)],
  [
    'the change of a user of a directory',
    () =>
      fromProvider('PATCH', `/Users/${scimUser}`, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'active', value: false }],
      }),
  ],
])('%s is found without reading all users of the organization', async (_what, send) => {
  expect(await pagesReadBy(send)).toBeLessThan(fewPages)
})

async function api(method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
}

async function fromProvider(method: string, path: string, body?: object): Promise<void> {
  const answer = await scim(method, path, { body })
  expect(answer).toMatchObject({ status: 200 })
}

/** Pages of these indexes that a request looks at. */
async function pagesReadBy(send: () => Promise<void>): Promise<number> {
  const admin = new pg.Client({ connectionString: service.databaseUrl })
  await admin.connect()
  try {
    // The first request opens connections, and learns what the bearer may do.
    await send()
    await endConnections(admin)
    const before = await pages(admin)
    await send()
    await endConnections(admin)
    return (await pages(admin)) - before
  } finally {
    await admin.end()
  }
}

/** A connection tells what it has read when it ends. */
async function endConnections(admin: pg.Client): Promise<void> {
  const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  await admin.query(`select pg_terminate_backend(pid) ${others} and backend_type = 'client backend'`)
  await vi.waitFor(async () => {
    expect((await admin.query(`select ${others} and backend_type = 'client backend'`)).rowCount).toBe(0)
  })
}

async function pages(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ pages: string }>(
    `select sum(idx_blks_hit + idx_blks_read) pages from pg_statio_user_indexes
     where relname in ('users', 'directory_users')`,
  )
  return Number(rows[0]?.pages)
}
