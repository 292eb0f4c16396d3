import { scopes } from '@portico/contract/access'
import { routes, type Route } from '@portico/contract/walk'
import { openCall } from '@portico/server/call'
import { rightsOf } from '@portico/server/rights'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { anything } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { bodyFor, queryFor, send, type References } from '../given/request-of.js'
import { createWorld, createWorldFor, freshMembers } from '../given/world.js'
import { longTest, sampled } from '../sampled.js'

let service: Service
let token: string
let call: ReturnType<typeof openCall>
let caller: Parameters<typeof call>[0]
let common: References

beforeAll(async () => {
  service = await startService()
  const credentials = await service.apiKey()
  token = await service.token()
  call = openCall(service.deps)
  caller = {
    accountId: service.account.id,
    accountDomain: service.account.domain,
    environment: 'sandbox',
    id: credentials.client_id,
    scopes,
    organizationIds: null,
    cause: {
      requestId: randomUUID(),
      actor: { type: 'api_key', id: credentials.client_id },
      params: () => ({}),
    },
  }
  common = await createWorld(service)
})

const keyed = routes().filter((route) => route.access.auth === 'api_key')
/** Of one route that reads and one that writes of each resource every fourth, because all run through the same chain; then the others. */
const firsts = keyed.filter(
  (route) =>
    keyed.find(
      (one) => one.resource === route.resource && (one.method === 'GET') === (route.method === 'GET'),
    ) === route,
)
const few = firsts.filter((_, place) => place % 4 === 0)
const sample = sampled([...few, ...keyed.filter((route) => !few.includes(route))], few.length)

interface Told {
  readonly status: number
  readonly body: unknown
}

/** The parameters of a route's path among references. */
function paramsOf(route: Route, references: References): Record<string, string> {
  return Object.fromEntries(route.pathParameters.map((name) => [name, references[name] ?? '']))
}

/** The same request by HTTP and by a call. */
async function both(route: Route, references: References, body?: Record<string, unknown>) {
  const sent = await send(route, { baseUrl: service.baseUrl, token, references, body })
  return [sent, await called(route, references, body)] as const
}

async function called(route: Route, references: References, body?: Record<string, unknown>): Promise<Told> {
  const sent = route.method === 'GET' ? undefined : (body ?? bodyFor(route, references))
  return call(caller, {
    route: route.name,
    params: paramsOf(route, references),
    query: queryFor(route, references),
    ...(sent !== undefined && { body: sent }),
  })
}

/** An answer without what differs between any two: the id of its request, and sample tokens. */
function comparable({ status, body }: Told): string {
  const text = JSON.stringify(body).replace(/"request_id":"[^"]*"/, '')
  return `${status} ${text.replace(/"eyJ[\w.-]+"/g, '"token"')}`
}

test('staff get no secret that is stored, and a viewer no personal data', async () => {
  const { webhook_id = '', idp_id = '' } = common
  const as = (roles: readonly string[]) => {
    const { scopes: granted, ...rights } = rightsOf(roles, 'sandbox')
    return { ...caller, scopes: granted, staff: { ...rights, isProved: true } }
  }
  const read = (by: typeof caller, route: string, params: Record<string, string>) =>
    call(by, { route, params, query: { preload_associations: ['enterprise_connection_onboarding'] } })
  const webhook = await read(caller, 'webhooks.get', { webhook_id })
  expect(webhook.body).toHaveProperty('signature_key')
  expect((await read(as(['owner']), 'webhooks.get', { webhook_id })).body).not.toHaveProperty('signature_key')
  const shown = await read(as(['owner']), 'ssoConnections.get', { idp_id })
  expect(shown.body).toHaveProperty('onboarding.sso_admin_email')
  const hidden = await read(as(['viewer']), 'ssoConnections.get', { idp_id })
  expect([hidden.status, hidden.body]).toEqual([200, expect.objectContaining({ idp_id })])
  expect(hidden.body).not.toHaveProperty('onboarding.sso_admin_email')
})

describe.each(sample.map((route) => [route.name, route] as const))('%s', (_name, route) => {
  test('a call within the process is refused as a request is: an unknown member, and what is not there', async () => {
    const [sent, told] = await both(route, common, { no_such_member: true })
    expect(comparable(told)).toBe(comparable(sent))
    const missing = Object.fromEntries(Object.keys(common).map((name) => [name, `missing-${anything()}`]))
    const [absent, absentTold] = await both(route, { ...common, ...missing, ...idsOf(common) })
    expect(absent.status).toBeGreaterThanOrEqual(route.pathParameters.length > 0 ? 400 : 200)
    if (absent.status >= 400) expect(comparable(absentTold)).toBe(comparable(absent))
  })

  if (route.method === 'GET')
    test('a call within the process reads what a request reads', async () => {
      const [sent, told] = await both(route, common)
      expect(sent.status).toBe(200)
      expect(comparable(told)).toBe(comparable(sent))
    })
  else
    longTest('a call within the process does what a request does', async () => {
      const world = await createWorldFor(route, service)
      const before = await eventIds()
      const told = await called(route, world, freshBody(route, world))
      expect([told.status, told.status < 300 ? '' : told.body]).toEqual([route.successStatus, ''])
      expect(route.success.parse(told.body)).toEqual(told.body)
      expect(await codesSince(before)).toEqual([...route.access.emits])
    })
})

/** Ids that name nothing, for references that are ids. */
function idsOf(references: References): References {
  const ids = Object.entries(references).filter(([, value]) => /^[0-9a-f]{8}-/.test(value))
  return Object.fromEntries(ids.map(([name]) => [name, randomUUID()]))
}

function freshBody(route: Route, references: References): Record<string, unknown> | undefined {
  const body = bodyFor(route, references)
  return body === undefined ? undefined : { ...body, ...freshMembers(route.name) }
}

async function eventIds(): Promise<readonly string[]> {
  return (await service.query<{ id: string }>('select id from events')).map(({ id }) => id)
}

async function codesSince(before: readonly string[]): Promise<readonly string[]> {
  const rows = await service.query<{ code: string }>(
    'select code from events where not id = any($1::uuid[]) order by id',
    [before],
  )
  return rows.map(({ code }) => code)
}
