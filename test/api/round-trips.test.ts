import { expect, test } from 'vitest'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { roundTrips } from '../given/counted.js'
import { startDatabaseProxy } from '../given/database-proxy.js'
import { startReceiver } from '../given/receiver.js'
import { leadOf, samlGivenOf } from '../given/saml-given.js'
import { codeGivenOf, type Scene } from '../protocols/code-given.js'
import { confidentialGivenOf } from '../protocols/confidential-given.js'
import { refreshGivenOf } from '../protocols/refresh-given.js'
import { replacing, scimUsersGivenOf, userBody } from '../protocols/scim/user-given.js'
import { sentStatements } from '../tenant-statements.js'
import { webhooksOf } from './webhook-given.js'

// What a request costs the database is part of what the service promises, and the one figure of docs/benchmarks.md that is
// the same on every machine.

/**
 * For each row of docs/benchmarks.md: the waits for an answer of the database, the statements that are sent, and the pages of tables
 * and indexes that these look at. Waits and statements are exact, so that a request which needs fewer lowers them here. Pages are at
 * most these: each index that a few hundred rows have given one more level is a page more per look-up, and every request here is the
 * first one of its connection, whose planner opens each index of each table that a statement names. The waits and statements of D1
 * are at most these, too, because the worker looks for other jobs meanwhile.
 */
const costs: Readonly<Record<string, Cost>> = {
  'A1, GET one user': { waits: 1, statements: 1, pages: 46 },
  'A2, POST one user, with its event': { waits: 1, statements: 1, pages: 70 },
  'A2, the same under an Idempotency-Key': { waits: 4, statements: 5, pages: 96 },
  'A3, list of users with its exact total': { waits: 1, statements: 1, pages: 95 },
  'A4, client-credentials grant, logged': { waits: 1, statements: 1, pages: 36 },
  'B3, code exchange': { waits: 1, statements: 1, pages: 175 },
  'B3, code exchange at an organization': { waits: 1, statements: 1, pages: 150 },
  'B3, code exchange with a secret': { waits: 2, statements: 2, pages: 185 },
  'B3, refresh with rotation': { waits: 1, statements: 1, pages: 160 },
  'C1, SAML response to flow': { waits: 17, statements: 19, pages: 304 },
  'C2, SCIM, POST one user': { waits: 4, statements: 6, pages: 153 },
  'C2, SCIM, users by userName': { waits: 3, statements: 3, pages: 108 },
  'C2, SCIM, PATCH one user': { waits: 7, statements: 10, pages: 200 },
  'C2, SCIM, PATCH one user with ten mappings': { waits: 7, statements: 11, pages: 240 },
  'D1, webhook deliveries, ten at once': { waits: 40, statements: 40, pages: 620 },
}

interface Cost {
  readonly waits: number
  readonly statements: number
  readonly pages: number
}

const service = await startService()
const client = await service.client()
const token = await service.token()
const { domain: org_domain } = await service.given.organization()
const usersPath = `/api/v2/org/${org_domain}/users`
const codes = codeGivenOf(service, client)
const saml = samlGivenOf(service, client)
const users = scimUsersGivenOf(client)

/** Makes what a request needs, each time anew. */
type Prepare = () => Promise<() => Promise<unknown>>
const always = (request: () => Promise<unknown>) => Promise.resolve<Prepare>(() => Promise.resolve(request))

const rows: Readonly<Record<string, () => Promise<Prepare>>> = {
  async 'A1, GET one user'() {
    const { id } = await service.given.user({ org_domain })
    return always(() => send('GET', `${usersPath}/${id}`))
  },
  'A2, POST one user, with its event': () => always(() => send('POST', usersPath, { email: anyEmail() })),
  'A2, the same under an Idempotency-Key': () =>
    always(() => send('POST', usersPath, { email: anyEmail() }, { 'idempotency-key': anything() })),
  'A3, list of users with its exact total': () => always(() => send('GET', usersPath)),
  async 'A4, client-credentials grant, logged'() {
    const grant = {
      grant_type: 'client_credentials',
      domain: service.account.domain,
      ...(await service.apiKey()),
    }
    return always(() => send('POST', '/api/v2/oauth/token', grant))
  },
  'B3, code exchange': () => exchanges(() => '/oauth/token'),
  'B3, code exchange at an organization': () => exchanges(({ org_domain }) => `/t/${org_domain}/oauth/token`),
  async 'B3, code exchange with a secret'() {
    const confidential = confidentialGivenOf(service, client)
    const scene = await confidential.withSecret()
    return async () => {
      const code = await confidential.code(scene, { scope: undefined })
      return () =>
        send('POST', '/oauth/token', { grant_type: 'authorization_code', code, ...scene.credentials })
    }
  },
  async 'B3, refresh with rotation'() {
    const scene = await codes.scene()
    const refreshes = refreshGivenOf(service, codes)
    let { refreshToken } = await refreshes.tokens(scene)
    return always(async () => ({ refreshToken } = await refreshes.refresh(scene, refreshToken)))
  },
  async 'C1, SAML response to flow'() {
    const scene = await saml.scene()
    const email = `ada@${anything()}.example`
    await service.given.user({ org_domain: scene.org_domain, email })
    return async () => {
      const { visitor, requestId } = await saml.atIdentityProvider(scene)
      const response = scene.idp.respond(
        { ...scene.connection, requestId },
        { nameId: email, attributes: { email } },
      )
      return async () => {
        const hop = await saml.post(scene, response)
        await visitor.request(leadOf(hop))
      }
    }
  },
  async 'C2, SCIM, POST one user'() {
    const { scim } = await users.directory()
    return always(() => scim('POST', '/Users', { body: userBody() }))
  },
  async 'C2, SCIM, users by userName'() {
    const { scim } = await users.directory()
    const { userName } = await users.user(scim)
    const filter = encodeURIComponent(`userName eq "${userName}"`)
    return always(() => scim('GET', `/Users?filter=${filter}`))
  },
  async 'C2, SCIM, PATCH one user with ten mappings'() {
    const { domain: org_domain } = await service.given.organization()
    const names = ['title', 'nickName', 'userType', 'displayName', 'locale', 'timezone', 'preferredLanguage']
    const paths = [...names, 'name.givenName', 'name.familyName', 'emails.value']
    const keys = await Promise.all(paths.map(() => service.given.metaKey({ org_domain })))
    const attribute_mapping = paths.map((from, index) => ({ from, to: `metadata.${keys[index]?.name}` }))
    const { scim } = await users.directory({ org_domain, attribute_mapping })
    const { id } = await users.user(scim)
    return always(() => scim('PATCH', `/Users/${id}`, { body: replacing('title', anything()) }))
  },
  async 'C2, SCIM, PATCH one user'() {
    const { scim } = await users.directory()
    const { id } = await users.user(scim)
    return always(() => scim('PATCH', `/Users/${id}`, { body: replacing('title', anything()) }))
  },
  async 'D1, webhook deliveries, ten at once'() {
    const receiver = await startReceiver()
    const webhooks = webhooksOf(service, client)
    await webhooks.subscribed(receiver)
    return async () => {
      await webhooks.happen(10)
      return () => service.runJobs()
    }
  },
}

async function exchanges(pathOf: (scene: Scene) => string) {
  const scene = await codes.scene()
  const { client_id } = scene.application
  return async () => {
    const code = await codes.code(scene)
    return () => send('POST', pathOf(scene), { grant_type: 'authorization_code', client_id, code })
  }
}

test.each(Object.entries(costs))('%s: not more waits, statements and pages', async (row, most) => {
  const prepare = await rows[row]?.()
  if (prepare === undefined) throw new Error('the row has no request')

  const least = { waits: Infinity, statements: Infinity, pages: Infinity }
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { waits, statements, pages } = await costOf(await prepare())
    // What the service remembers of a bearer runs out within seconds, and then costs one of the attempts more.
    least.waits = Math.min(least.waits, waits)
    least.statements = Math.min(least.statements, statements)
    least.pages = Math.min(least.pages, pages)
  }

  expect(least.pages).toBeLessThanOrEqual(most.pages)
  const { waits, statements } = most
  if (row.startsWith('D1')) expect(Math.max(least.waits, waits)).toBe(waits)
  else expect({ waits: least.waits, statements: least.statements }).toEqual({ waits, statements })
})

test('fifty probes of /readyz at once share their looks at the database', async () => {
  // Each answer comes 400 ms late, so that all probes have arrived during the first look, however busy the machine is.
  const proxy = await startDatabaseProxy(service.databaseUrl)
  const probed = await startService({ databaseUrl: proxy.url })
  const probe = async () => expect((await fetch(`${probed.baseUrl}/readyz`)).status).toBe(200)
  await probe()
  const before = await roundTrips(probed)
  await proxy.during('late', () => Promise.all(Array.from({ length: 50 }, probe)))

  expect((await roundTrips(probed)) - before).toBeLessThanOrEqual(10)
})

async function costOf(request: () => Promise<unknown>): Promise<Cost> {
  const pages = await pagesRead()
  const [waits, statements] = [await roundTrips(service), sentStatements()]
  await request()
  return {
    waits: (await roundTrips(service)) - waits,
    statements: sentStatements() - statements,
    pages: (await pagesRead()) - pages,
  }
}

/** A connection tells what it has read when it ends. */
async function pagesRead(): Promise<number> {
  await service.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where application_name = 'portico' and datname = current_database()`,
  )
  const [total] = await service.query<{ pages: string }>(
    `select sum(coalesce(heap_blks_hit, 0) + coalesce(heap_blks_read, 0) + coalesce(idx_blks_hit, 0)
       + coalesce(idx_blks_read, 0)) as pages from pg_statio_user_tables`,
  )
  return Number(total?.pages)
}

async function send(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
): Promise<void> {
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}
