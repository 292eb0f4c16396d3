import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { queryOf, routes } from '@portico/contract/walk'
import { migrateDatabase } from '@portico/server/migrate'
import { startEmbedded, type EmbeddedPostgres } from '@portico/server/embedded'
import { openMagicLink, type Client } from '@portico/sdk'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod/v4'
import { discoveryGivenOf } from '../given/discovery-given.js'
import { anyEmail } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { bodyFor, pathOf, send, type References } from '../given/request-of.js'
import { openCall } from '@portico/server/call'
import { staffOf } from '../console/staff-given.js'
import { asMembers, groupsOf } from '../protocols/scim/group-given.js'
import { replacing, userBody, userIn } from '../protocols/scim/user-given.js'
import { scimProvider, type ScimProvider } from '../given/scim-given.js'
import { createWorld, freshMembers } from '../given/world.js'
import { grow, growBeside, readTables } from './grow.js'

// The number of table and index pages read by a request must not depend on the number of an organization's rows, nor on the time
// of the last analyze.

const sizes = [0, 100, 1_500, 20_000]
const otherOrganizations = 49

/** Limit in pages of 8 kB. A statement that looks up each of 1,500 rows exceeds it. */
const fewPages = 1_000

/** Operations that end, delete or resend all rows of a parent row. */
const ending = new Set([
  'admins.invite',
  'admins.delete',
  'passkeys.delete',
  'users.delete',
  'tokenCustomization.deleteMetaKey',
  'webhooks.redeliverAll',
])
/** Permitted pages per such row. */
const pagesOfEnded = 60
/** Permitted pages per row counted in an index, because totals of lists are exact. */
const pagesOfCounted = 0.25
/** Operations that find few rows of many. */
const finding = new Set(['filters'])

/** Operations refused in the state of the organization; they read the same rows as others of their resource. */
const inVain = [
  'directorySync.create',
  'discovery.exchange',
  'joinRequests.deny',
  'passkeys.completeRegistration',
  'passkeys.validateChallenge',
  'password.createConnection',
  'password.set',
  'sessions.end',
  'socialProviders.delete',
  'ssoConnections.createOauthChallenge',
  'ssoConnections.createOnboarding',
  'ssoConnections.useOidcClient',
  'totp.createChallenge',
  'totp.removeEnrollment',
  'totp.validateChallenge',
  'totp.validateEnrollment',
]

/**
 * Operations refused from that number of rows on: the limits of a directory's groups, of an organization's domains and invitations, and
 * of an account's social providers.
 */
const limits: Record<string, number> = {
  ...{ 'SCIM POST /Groups': 10_000, 'domains.create': 50, 'invitations.create': 1_000 },
  'socialProviders.create': 50,
}

/** Tables that must be among the grown ones. */
const many = [
  ...['applications', 'directory_groups', 'directory_group_members', 'directory_users', 'events'],
  ...['log_events_after', 'organizations', 'refresh_token_families', 'relays', 'scim_requests', 'sessions'],
  ...['sso_admins', 'user_metadata', 'users', 'webhook_deliveries'],
]

/** An organization with ever more of everything. */
const ofOrganization = {
  has: 'an organization has %i rows of each kind',
  pagesOf: (name: string) => (finding.has(name) ? 0 : ending.has(name) ? pagesOfEnded : pagesOfCounted),
  ...{ grow, sizes, limits, many },
}
/** Permitted pages for each organization, of what is about all of the account; jobs look for totals to fold. */
const ofEachOrganization: Record<string, number> = {
  ...{ 'applications.listOfAccount': 2, jobs: 30, 'outbox.list': 1 },
  ...{ 'roles.create': 2, 'roles.list': 3, 'ssoConnections.list': 4 },
}

/** An account with ever more organizations, of which each has a little of everything. */
const ofAccount = {
  has: 'an account has %i organizations like it',
  pagesOf: (name: string) => ofEachOrganization[name.replace(/\?.*/, '')] ?? 0,
  grow: growBeside,
  sizes: [0, 5_000],
  limits: {} as typeof limits,
  many: ['meta_keys', 'organizations', 'sessions', 'sso_connections', 'users'],
}

const dataDir = mkdtempSync(join(tmpdir(), 'portico-plans-'))
afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe.each([
  { name: 'never analyzed', isAnalyzed: false, growth: ofOrganization },
  { name: 'analyzed at each size', isAnalyzed: true, growth: ofOrganization },
  { name: 'analyzed with many organizations', isAnalyzed: true, growth: ofAccount },
])('in a database that was $name', ({ name, isAnalyzed, growth }) => {
  let service: Service
  let admin: pg.Client
  let postgres: EmbeddedPostgres

  const folder = join(dataDir, name.replaceAll(' ', '-'))

  beforeAll(async () => {
    postgres = await startEmbedded({ dataDir: folder, throwaway: true })
    admin = await superuserOf(postgres.url, folder)
    await admin.query('alter system set autovacuum = off')
    await admin.query('select pg_reload_conf()')
    await migrateDatabase(postgres.url)
    service = await startService({ databaseUrl: postgres.url })
    const client = await service.client()
    for (let count = 0; count < otherOrganizations; count++) {
      const { domain: org_domain } = await service.given.organization()
      await client.users.create({ org_domain, email: anyEmail() })
    }
  }, 120_000)

  afterAll(async () => {
    await admin.end()
    await postgres.stop()
  })

  test.each(growth.sizes)(
    `no request looks at more pages than few where ${growth.has}`,
    async (size) => {
      const place = await placeOf(service)
      // A session reports its statistics when it ends, which must not happen during a measurement.
      const grower = await superuserOf(postgres.url, folder)
      const grown = await growth.grow(grower, await readTables(grower), place, size)
      if (isAnalyzed) await grower.query('analyze')
      await grower.end()

      const { pages, refused } = await pagesOf(place.requests)
      // They are of the account: the organization of the next size has one of its own.
      await admin.query('delete from social_providers')

      const full = Object.keys(growth.limits).filter((name) => size > (growth.limits[name] ?? 0))
      expect([...refused.keys()].toSorted(), JSON.stringify(Object.fromEntries(refused))).toEqual(
        [...inVain, ...full].toSorted(),
      )
      const bound = (name: string) => fewPages + growth.pagesOf(name) * size
      const tooMany = [...pages].filter(([name, { count }]) => count > bound(name))
      expect(tooMany.map(([name, { count, most }]) => `${name}: ${count}, most of ${most}`)).toEqual([])
      if (size > 0) expect(grown).toEqual(expect.arrayContaining(growth.many))
    },
    600_000,
  )

  /** The number of pages read by each request, and the status of those answered with an error. */
  async function pagesOf(requests: readonly NamedRequest[]) {
    const pages = new Map<string, { readonly count: number; readonly most: string }>()
    const refused = new Map<string, number>()
    await endConnections()
    let before = await pagesRead()
    for (const { name, ask } of requests) {
      const status = (await ask())?.status ?? 200
      if (status >= 400) refused.set(name, status)
      await endConnections()
      const after = await pagesRead()
      pages.set(name, difference(before, after))
      before = after
    }
    return { pages, refused }
  }

  /** Ends the connections, because they report their statistics at their end. */
  async function endConnections(): Promise<void> {
    const others = `from pg_stat_activity where application_name = 'portico' and backend_type = 'client backend'`
    await admin.query(`select pg_terminate_backend(pid) ${others}`)
    await vi.waitFor(async () => expect((await admin.query(`select ${others}`)).rowCount).toBe(0))
  }

  /** The pages read, by table including its indexes. */
  async function pagesRead(): Promise<Map<string, number>> {
    const { rows } = await admin.query<{ table: string; pages: string }>(
      `select relname as table, coalesce(heap_blks_hit, 0) + coalesce(heap_blks_read, 0)
         + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0) as pages
       from pg_statio_user_tables`,
    )
    return new Map(rows.map(({ table, pages }) => [table, Number(pages)]))
  }
})

/** The total number of pages read, and the table with most of them. */
function difference(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const grown = [...after].map(([table, pages]) => ({ table, pages: pages - (before.get(table) ?? 0) }))
  const [most] = grown.toSorted((a, b) => b.pages - a.pages)
  return { count: grown.reduce((sum, { pages }) => sum + pages, 0), most: most?.table ?? '' }
}

interface NamedRequest {
  readonly name: string
  /** Resolves to the answer, if any. */
  readonly ask: () => Promise<{ readonly status: number } | undefined>
}

/** An organization with one of everything, and the requests about it. */
async function placeOf(service: Service) {
  const world = await createWorld(service)
  const client = await service.client()
  const org_domain = world['org_domain'] ?? ''
  const { scim_base_url, auth_secret_token } = await client.directorySync.reset({ org_domain })
  const provided = await scimRequests(scimProvider(scim_base_url, auth_secret_token.value ?? ''))
  // The first mailed link to a mailbox ends the sign-ins of before, which other requests are about.
  await service.query('update users set email_proved_at = now() where email_proved_at is null')
  // Completes pending jobs and event numbering, which are not to be measured.
  await service.runJobs()
  await client.events.list()
  return {
    accountId: service.account.id,
    organizationId: world['organization_id'] ?? '',
    requests: [
      // The jobs of each minute are due.
      {
        name: 'jobs',
        ask: () =>
          service.clock
            .advance(90)
            .then(() => service.runJobs())
            .then(() => undefined),
      },
      { name: 'discovery', ask: () => discover(service, client, world) },
      ...tokenRequests(service, client, world),
      { name: 'filters', ask: () => findFew(service, client, world) },
      ...provided,
      ...pageRequests(service, world),
      ...apiRequests(service, world, await service.token()),
    ],
  }
}

/** A whole discovery, whose secrets do not last as long as the world, and what is asked of the account by an address. */
async function discover(service: Service, client: Client, world: References) {
  const { user_email = '', application_id = '', org_domain = '', partner_redirect_uri = '' } = world
  const { discovery_token } = await discoveryGivenOf(service, client).discover({ user_email, application_id })
  await client.discovery.enter({ discovery_token, org_domain, redirect_uri: partner_redirect_uri })
  await client.organizations.list({ member_email: user_email })
  await client.logEvents.listOfAccount({ email: user_email })
  return undefined
}

/** What an application asks of the token endpoint and its neighbour for a sign-in of a user, who may have many. */
function tokenRequests(service: Service, client: Client, world: References): NamedRequest[] {
  const { org_domain = '', user_email = '', application_id = '', client_id = '' } = world
  const redirect_uri = world['partner_redirect_uri'] ?? ''
  let token = ''
  const ask = async (path: string, parameters: Record<string, string>) => {
    const body = new URLSearchParams({ client_id, ...parameters })
    const answer = await fetch(`${service.baseUrl}/t/${org_domain}/oauth/${path}`, { method: 'POST', body })
    token = /"refresh_token":"([^"]+)"/.exec(await answer.text())?.[1] ?? token
    return answer
  }
  return [
    {
      name: 'exchange',
      ask: async () => {
        const { magic_link: link } = await client.magicLink.createChallenge({
          ...{ org_domain, user_email, application_id, redirect_uri },
          ...{ send_email: false, scope: 'openid offline_access' },
        })
        const { code } = await openMagicLink(link ?? '')
        return ask('token', { grant_type: 'authorization_code', code, redirect_uri })
      },
    },
    { name: 'refresh', ask: () => ask('token', { grant_type: 'refresh_token', refresh_token: token }) },
    { name: 'revocation', ask: () => ask('revoke', { token }) },
  ]
}

/** Lists with filters that find few rows. Copied log events are all of one user, so that theirs find many. */
async function findFew(service: Service, client: Client, world: References) {
  const { org_domain = '', user_email = '', user_id: id, idp_id = '' } = world
  await client.users.list({ org_domain, filter: user_email.slice(0, -4) })
  await client.users.list({ org_domain, active: false })
  // Of no request, for which all would be read without an index, or without the time.
  const request_id = 'of-no-request'
  await client.ssoConnections.listLoginTraces({ idp_id, request_id })
  const since = new Date(service.clock.now().getTime() + 1).toISOString()
  await client.logEvents.list({ org_domain, request_id, since })
  await client.logEvents.listOfAccount({ request_id, since })
  await openCall(service.deps)(staffOf(service.account), { route: 'records.find', query: { id } })
  return undefined
}

/** Operations excluded because they delete the objects of other requests. */
const takingAll = /^(organizations|webhooks|directorySync|ssoConnections|relays|applications)\.delete$/

/** Every operation of the API, reading ones first. */
function apiRequests({ baseUrl }: Service, references: References, token: string): NamedRequest[] {
  const asked = routes().filter(({ name, access }) => access.auth === 'api_key' && !takingAll.test(name))
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  // The end of the user is the end of what others are about.
  const rank = ({ method, name }: { method: string; name: string }) =>
    name === 'users.delete' ? methods.length : methods.indexOf(method)
  const single = asked
    .toSorted((a, b) => rank(a) - rank(b))
    .map((route) => ({
      name: route.name,
      ask: () => {
        const body = bodyFor(route, references)
        return send(route, {
          baseUrl,
          token,
          references,
          body: body && { ...body, ...freshMembers(route.name) },
        })
      },
    }))
  const sorted = asked.flatMap((route) => {
    const query = queryOf(route)
    if (!(query instanceof z.ZodObject) || !('page' in query.shape)) return []
    return ['sort=inserted_at', 'sort=-inserted_at', 'sort=-updated_at', 'page=3'].map((how) => ({
      name: `${route.name}?${how}`,
      ask: () =>
        fetch(`${baseUrl}${pathOf(route, references)}?${how}`, {
          headers: { authorization: `Bearer ${token}` },
        }),
    }))
  })
  return [...sorted, ...single]
}

async function scimRequests(scim: ScimProvider): Promise<NamedRequest[]> {
  const body = userBody({ externalId: 'employee-1' })
  const { id, userName } = userIn(await scim('POST', '/Users', { body }))
  const groups = groupsOf(scim)
  const group = await groups.make({ externalId: 'group-1', members: asMembers([id]) })
  const found = (path: string) => ({ name: `SCIM GET ${path}`, ask: () => scim('GET', path) })
  const users = (filter: string) => found(`/Users?count=25&filter=${encodeURIComponent(filter)}`)
  const sent = (method: string, path: string, about: object) => ({
    name: `SCIM ${method} ${path}`.replaceAll(/[0-9a-f-]{36}/g, '<id>'),
    ask: () => scim(method, path, { body: about }),
  })
  return [
    users(`userName eq "${userName}"`),
    users('userName eq "nobody"'),
    users('externalId eq "employee-1"'),
    users(`id eq "${id}"`),
    users(`emails eq "${userName}"`),
    users('active eq false'),
    users('meta.lastModified gt "2050-01-01T00:00:00Z"'),
    found('/Users?count=25'),
    found('/Users?count=25&startIndex=76'),
    { ...found(`/Users/${id}`), name: 'SCIM GET /Users/<id>' },
    found('/Groups?count=25&excludedAttributes=members'),
    found(`/Groups?filter=${encodeURIComponent('externalId eq "group-1"')}&excludedAttributes=members`),
    { ...found(`/Groups/${group.id}?excludedAttributes=members`), name: 'SCIM GET /Groups/<id>' },
    sent('POST', '/Users', userBody()),
    sent('PUT', `/Users/${id}`, { ...body, title: 'Countess' }),
    sent('PATCH', `/Users/${id}`, replacing('title', 'Analyst')),
    {
      name: 'SCIM PATCH /Groups/<id>',
      ask: () => groups.patch(group.id, { op: 'remove', path: `members[value eq "${id}"]` }),
    },
    sent('POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Sales',
    }),
    sent('DELETE', `/Users/${id}`, {}),
  ]
}

/** Requests of browsers and applications to pages and endpoints. */
function pageRequests({ baseUrl }: Service, world: References): NamedRequest[] {
  const place = `/t/${world['org_domain']}`
  const authorize = new URLSearchParams({
    response_type: 'code',
    client_id: world['client_id'] ?? '',
    redirect_uri: world['partner_redirect_uri'] ?? '',
    scope: 'openid',
    state: 'state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const get = (path: string, headers: Record<string, string> = {}) => ({
    name: `page ${path.split('?')[0]?.replace(place, '')}`,
    ask: () => fetch(baseUrl + path, { headers, redirect: 'manual' }),
  })
  return [
    get(`${place}/authorize?${authorize.toString()}`),
    get(`${place}/brand.css`),
    get(`${place}/.well-known/openid-configuration`),
    get(`${place}/.well-known/jwks.json`),
    get(`${place}/userinfo`, { authorization: `Bearer ${world['access_token']}` }),
    get(`/saml/${world['idp_id']}/metadata`),
  ]
}

/** A superuser session, which may disable triggers and foreign keys. */
async function superuserOf(url: string, folder: string): Promise<pg.Client> {
  const [password = ''] = (await readFile(join(folder, 'postgres.passwords'), 'utf8')).split('\n')
  const admin = new pg.Client({
    connectionString: Object.assign(new URL(url), { username: 'postgres', password }).href,
  })
  await admin.connect()
  await admin.query('set session_replication_role = replica')
  return admin
}
