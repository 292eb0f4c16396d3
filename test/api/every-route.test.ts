import { errorCodes, type ErrorCode } from '@portico/contract/errors'
import { headersOf } from '@portico/contract/openapi-answers'
import { bodyOf, routes, type Route } from '@portico/contract/walk'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../given/harness.js'
import { anyEmail, anything } from '../given/given.js'
import { longTest, sampled } from '../sampled.js'
import {
  bodyFor,
  queryFor,
  send,
  withoutRequestId,
  type Answer,
  type References,
} from '../given/request-of.js'
import { createWorld, createWorldFor, freshMembers, withAccountApplication } from '../given/world.js'

let service: Service
let token: string
/** Token of a key limited to the organization of `common`. */
let limitedToken: string
let foreigners: readonly Foreigner[]
/** Objects shared by requests that change nothing. */
let common: References
/** Own objects in requests for those of other owners. Every such request is refused, so they stay unchanged. */
let mine: References
/** The rows of the other owners, which no test changes. */
let rows: readonly string[]

/** Another owner, and the names of objects that the caller shares with it. */
interface Foreigner {
  readonly whose: string
  readonly world: References
  readonly shared: readonly string[]
}

beforeAll(async () => {
  service = await startService()
  token = await service.token()
  common = await createWorld(service)
  limitedToken = await service.token({ organizationIds: [common['organization_id'] ?? ''] })
  mine = await createWorld(service)
  const account = await service.createAccount()
  const theirs = await createWorld(service, { account })
  foreigners = [
    { whose: 'another account', world: theirs, shared: [] },
    {
      whose: 'another account, for all its organizations',
      world: await withAccountApplication(service, theirs, { account }),
      shared: referenceNames.filter((name) => name !== 'client_id' && name !== 'application_id'),
    },
    {
      whose: 'another organization',
      world: await createWorld(service),
      // The key has access to these; webhooks and relays belong to the whole account.
      shared: [
        ...['org_domain', 'organization_id', 'idp_id'],
        ...['webhook_id', 'delivery_id', 'relay_id', 'partner_domain', 'permission_id', 'role_id'],
        'provider_id',
      ],
    },
    {
      whose: 'the other environment',
      world: await createWorld(service, { environment: 'production' }, mine['org_domain']),
      // The organization is the same, and both environments share its domain and metadata keys.
      shared: ['org_domain', 'organization_id', 'key', 'key_name', 'partner_domain'],
    },
  ]
  // This webhook would also receive events of other tests' worlds.
  const neighbour = foreigners.find(({ whose }) => whose === 'another organization')
  const client = await service.client()
  await client.webhooks.update({ webhook_id: neighbour?.world['webhook_id'] ?? '', active: false })
  rows = await rowsOf(foreigners)
})

const keyed = routes().filter((route) => route.access.auth === 'api_key')
/** Routes that accept keys limited to an organization and change something. */
const changing = keyed.filter((route) => route.access.reach !== 'account' && route.method !== 'GET')
/** One route of each resource, because the operations of a resource check the organization in the same way. */
const firsts = changing.filter(
  ({ resource }, index) => changing.findIndex((other) => other.resource === resource) === index,
)
const changingAsLimited = sampled(
  [...firsts, ...changing.filter((route) => !firsts.includes(route))],
  firsts.length,
)
/** Optional headers: absent from the first answer to a key, if no wait is required, or if nothing was ignored. */
const occasionalHeaders = ['Idempotent-Replayed', 'Retry-After', 'Portico-Warning', 'Portico-Position']

/** Names of path and body members that refer to objects, as opposed to plain values. */
const referenceNames = [
  'org_domain',
  'user_id',
  'user_email',
  'client_id',
  'application_id',
  'key',
  'key_name',
  'webhook_id',
  'delivery_id',
  'relay_id',
  'session_id',
  'impersonation_id',
  'passkey_id',
  'registration_id',
  'identity_id',
  'partner_domain',
  'organization_id',
  'idp_id',
  'default_redirection_id',
  'discovery_code',
  'discovery_token',
  'permission_id',
  'role_id',
  'provider_id',
  'invitation_id',
  'join_request_id',
] as const

function ask(
  route: Route,
  references: References,
  extra: Partial<Parameters<typeof send>[1]> = {},
): Promise<Answer> {
  return send(route, { baseUrl: service.baseUrl, token, references, ...extra })
}

/** The sample body, with new values for unique members. */
function freshBody(route: Route, references: References): Record<string, unknown> | undefined {
  const body = bodyFor(route, references)
  if (body === undefined) return undefined
  return { ...body, ...freshMembers(route.name) }
}

describe.each(keyed.map((route) => [route.name, route] as const))('%s', (_name, route) => {
  /** Shared by two tests; created lazily. */
  let success: Promise<Success> | undefined
  const successOnce = () => (success ??= successOf(route))

  longTest('answers its declared success with exactly what the contract declares', async () => {
    const { answer } = await successOnce()
    expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([route.successStatus, ''])
    expect(route.success.parse(answer.body)).toEqual(answer.body)
    const headers = headersOf(route, route.successStatus).filter((name) => !occasionalHeaders.includes(name))
    expect(headers.filter((name) => !answer.headers.has(name))).toEqual([])
  })

  test('401: refuses a request without a token, and one with a token of somebody else’s making', async () => {
    const unsigned = token.replace(/^[^.]+/, Buffer.from('{"alg":"none"}').toString('base64url'))
    for (const bad of [undefined, 'nonsense', `${token.slice(0, -4)}AAAA`, unsigned]) {
      const answer = await ask(route, common, { token: bad })
      expect(codeOf(answer)).toEqual([401, 'invalid_token'])
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    }
  })

  const isServed = route.access.reach !== 'account'
  if (!isServed || route.method === 'GET' || changingAsLimited.includes(route))
    test('serves a key that is limited to the organization, unless it acts on the whole account', async () => {
      const { world, limited } = await limitedWorldOf(route)
      const answer = await ask(route, world, { token: limited, body: freshBody(route, world) })
      if (!isServed) expect(codeOf(answer)).toEqual([403, 'key_limited_to_organizations'])
      else expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([route.successStatus, ''])
    })

  test('404: what another tenant has is answered as what does not exist, and stays as it is', async () => {
    // The client_id of a social provider names what is registered there, and nothing of ours.
    const isOfProvider = (name: string) => name === 'client_id' && route.resource === 'socialProviders'
    const named = referenceNames.filter((name) => takes(route, name, mine) && !isOfProvider(name))
    if (named.length === 0) return
    const missing: References = {
      ...mine,
      org_domain: `missing-${anything()}`,
      user_id: randomUUID(),
      user_email: anyEmail(),
      client_id: randomUUID(),
      application_id: randomUUID(),
      key: `missing_${anything()}`,
      key_name: `missing_${anything()}`,
      webhook_id: randomUUID(),
      delivery_id: randomUUID(),
      relay_id: randomUUID(),
      session_id: randomUUID(),
      impersonation_id: randomUUID(),
      passkey_id: randomUUID(),
      registration_id: randomUUID(),
      identity_id: randomUUID(),
      partner_domain: `missing-${anything()}`,
      organization_id: randomUUID(),
      idp_id: `missing_${anything()}`,
      default_redirection_id: randomUUID(),
      discovery_code: anything(),
      discovery_token: anything(),
      permission_id: randomUUID(),
      role_id: randomUUID(),
      provider_id: randomUUID(),
      invitation_id: randomUUID(),
      join_request_id: randomUUID(),
    }
    const absents = new Map<string, Answer>()
    for (const name of named)
      absents.set(name, await askAbout(route, { ...mine, [name]: missing[name] ?? '' }))
    for (const { whose, world: theirs, shared } of foreigners) {
      // The key discovers in all organizations of its account.
      if (whose === 'another organization' && route.resource === 'discovery') continue
      for (const name of named.filter((reference) => !shared.includes(reference))) {
        const foreign = await askAbout(route, { ...mine, [name]: theirs[name] ?? '' })
        const absent = absents.get(name)
        expect([name, whose, withoutRequestId(foreign)]).toEqual([
          name,
          whose,
          absent && withoutRequestId(absent),
        ])
        expect(foreign.status).toBe(statusOfMissing(route, name))
      }
    }
    expect(await rowsOf(foreigners)).toEqual(rows)
  })

  test('422: names the parameters that are missing and those it does not know', async () => {
    const schema = bodyOf(route)
    if (schema === undefined) return
    const unknown = await ask(route, common, {
      body: { ...freshBody(route, common), no_such_member: true },
    })
    expect(codeOf(unknown)).toEqual([422, 'invalid_parameters'])
    expect(fieldPaths(unknown)).toEqual(['no_such_member'])

    const required = requiredMembers(route, freshBody(route, common) ?? {})
    if (required.length === 0) return
    const empty = await ask(route, common, { body: {} })
    expect(codeOf(empty)).toEqual([422, 'invalid_parameters'])
    expect(fieldPaths(empty).sort()).toEqual([...required].sort())
  })

  test('emits the events it declares with each success, and none otherwise', async () => {
    const { answer, refusedEmitted, emitted } = await successOnce()
    expect(answer.status).toBe(route.successStatus)
    expect(refusedEmitted).toEqual([])
    expect(emitted).toEqual([...route.access.emits])
  })
})

/** A refused and a successful request in a world of their own. */
interface Success {
  readonly answer: Answer
  /** Codes of the events emitted by each. */
  readonly refusedEmitted: readonly string[]
  readonly emitted: readonly string[]
}

async function successOf(route: Route): Promise<Success> {
  const world = route.method === 'GET' ? common : await createWorldFor(route, service)
  const before = await eventIds()
  await ask(route, world, { body: { no_such_member: true } })
  const refusedEmitted = await eventCodes(before)
  const answer = await askAbout(route, world)
  return { answer, refusedEmitted, emitted: await eventCodes(before) }
}

/** A world, and the token of a key limited to its organization. */
async function limitedWorldOf(route: Route): Promise<{ world: References; limited: string }> {
  if (route.access.reach === 'account' || route.method === 'GET')
    return { world: common, limited: limitedToken }
  const world = await createWorldFor(route, service)
  return { world, limited: await service.token({ organizationIds: [world['organization_id'] ?? ''] }) }
}

/** One answer for every fault of a code, so that guessing reveals nothing about an address. */
function statusOfMissing(route: Route, reference: string): number {
  return route.name === 'password.set' && reference === 'user_email' ? 422 : 404
}

function takes(route: Route, name: string, references: References): boolean {
  // The domain of the address only selects the connection: no user needs to have it.
  if (/^ssoConnections\.create(Saml|Oauth)Challenge$/.test(route.name) && name === 'user_email') return false
  // Every address gets the same answer.
  if (route.name === 'discovery.createChallenge' && name === 'user_email') return false
  const parameters = { ...queryFor(route, references), ...bodyFor(route, references) }
  return route.pathParameters.includes(name) || name in parameters
}

function askAbout(route: Route, references: References): Promise<Answer> {
  return ask(route, references, { body: freshBody(route, references) })
}

function requiredMembers(route: Route, body: Record<string, unknown>): string[] {
  const schema = bodyOf(route)
  return Object.keys(body).filter((name) => {
    const { [name]: _, ...rest } = body
    return schema?.safeParse(rest).success === false
  })
}

function codeOf(answer: Answer): [number, ErrorCode | string] {
  const { error } = answer.body as { error?: { code?: ErrorCode } }
  const code = error?.code ?? answer.text
  return [answer.status, code in errorCodes ? code : answer.text]
}

function fieldPaths(answer: Answer): string[] {
  const { error } = answer.body as { error: { fields?: { path: string }[] } }
  return (error.fields ?? []).map((field) => field.path)
}

async function eventIds(): Promise<string[]> {
  const rows = await service.query<{ id: string }>('select id from events')
  return rows.map(({ id }) => id)
}

/** The codes of events other than the given ones, in order; events erased in between are not counted. */
async function eventCodes(beside: readonly string[]): Promise<string[]> {
  const text = 'select code from events where id not in (select unnest($1::uuid[])) order by issued_at, id'
  const rows = await service.query<{ code: string }>(text, [beside])
  return rows.map((row) => row.code)
}

/** Every row of the owners' organizations, applications and webhooks, as text. */
async function rowsOf(owners: readonly Foreigner[]): Promise<string[]> {
  const domains = owners.map(({ world }) => world['org_domain'])
  const clientIds = owners.map(({ world }) => world['client_id'])
  const webhookIds = owners.map(({ world }) => world['webhook_id'])
  const found = await service.query<{ row: string }>(await rowsStatement(), [domains, clientIds, webhookIds])
  if (found.length < owners.length) throw new Error('they have fewer rows than they are')
  return found.map(({ row }) => row)
}

/** One statement for speed, because it runs before and after each route. */
async function rowsStatement(): Promise<string> {
  rowsText ??= await writeRowsStatement()
  return rowsText
}

let rowsText: string | undefined

async function writeRowsStatement(): Promise<string> {
  // A refused sign-in is logged in the requested organization, which both environments share.
  const tables = await service.query<{ name: string }>(
    `select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
     where attname = 'organization_id' and relkind in ('r', 'p') and not relispartition
       and relnamespace = current_schema()::regnamespace and relname not in ('record_counts', 'log_events')`,
  )
  const parts = tables.map(
    ({ name }) =>
      // An event gets its position when events are read.
      `select '${name} ' || (to_jsonb(t) - 'position')::text as row from ${name} t where organization_id in (select id from owners)`,
  )
  return `
    with owners as (select id from organizations where domain = any($1))
    ${parts.join(' union all ')}
    union all select t::text from applications t where id = any($2::uuid[])
    union all select t::text from webhooks t where id = any($3::uuid[])
    union all select t::text from webhook_deliveries t where webhook_id = any($3::uuid[])
    order by 1`
}
