import { errorCodes, type ErrorCode } from '@portico/contract/errors'
import { bodyOf, routes, type Route } from '@portico/contract/walk'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../harness.js'
import { anyEmail, anything } from '../given.js'
import {
  bodyFor,
  pathOf,
  queryFor,
  send,
  withoutRequestId,
  type Answer,
  type References,
} from '../request-of.js'
import { createWorld, createWorldFor, withAccountApplication } from '../world.js'

let service: Service
let token: string
let foreigners: readonly Foreigner[]
/** What requests that change nothing can share. */
let common: References

/** Whose objects, and under what names the caller may know them all the same. */
interface Foreigner {
  readonly whose: string
  readonly world: References
  readonly shared: readonly string[]
}

beforeAll(async () => {
  service = await startService()
  token = await service.token()
  common = await createWorld(service)
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
      // Webhooks and relays are the whole account's.
      shared: ['org_domain', 'webhook_id', 'delivery_id', 'relay_id', 'partner_domain'],
    },
  ]
})

/** The other environment of the same organization, which its domain and metadata keys belong to as well. */
async function otherEnvironment(mine: References): Promise<Foreigner> {
  const world = await createWorld(service, { environment: 'production' }, mine['org_domain'])
  return {
    whose: 'the other environment',
    world,
    shared: ['org_domain', 'key', 'key_name', 'partner_domain'],
  }
}

const keyed = routes().filter((route) => route.access.auth === 'api_key')

/** Names that a route's path or body takes references under, beside those that are only values. */
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
  'partner_domain',
] as const

function ask(
  route: Route,
  references: References,
  extra: Partial<Parameters<typeof send>[1]> = {},
): Promise<Answer> {
  return send(route, { baseUrl: service.baseUrl, token, references, ...extra })
}

/** Values in a body that must be new each time, which the sample repeats. */
function freshBody(route: Route, references: References): Record<string, unknown> | undefined {
  const body = bodyFor(route, references)
  if (body === undefined) return undefined
  const fresh: Record<string, unknown> = {
    ...(route.name === 'users.create' && { email: anyEmail() }),
    ...(route.name === 'tokenCustomization.createMetaKey' && { name: `key_${anything()}` }),
  }
  return { ...body, ...fresh }
}

describe.each(keyed.map((route) => [route.name, route] as const))('%s', (_name, route) => {
  test('answers its declared success with exactly what the contract declares', async () => {
    const world = await createWorldFor(route, service)
    const answer = await askAbout(route, world)
    expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([route.successStatus, ''])
    expect(route.success.parse(answer.body)).toEqual(answer.body)
  })

  test('401: refuses a request without a token, and one with a token of somebody else’s making', async () => {
    const unsigned = token.replace(/^[^.]+/, Buffer.from('{"alg":"none"}').toString('base64url'))
    for (const bad of [undefined, 'nonsense', `${token.slice(0, -4)}AAAA`, unsigned]) {
      const answer = await ask(route, common, { token: bad })
      expect(codeOf(answer)).toEqual([401, 'invalid_token'])
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    }
  })

  test('404: what another tenant has is answered as what does not exist, and stays as it is', async () => {
    const mine = await createWorld(service)
    const named = referenceNames.filter((name) => takes(route, name, mine))
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
      partner_domain: `missing-${anything()}`,
    }
    for (const { whose, world: theirs, shared } of [...foreigners, await otherEnvironment(mine)]) {
      const before = await rowsOf(theirs)
      for (const name of named.filter((reference) => !shared.includes(reference))) {
        const foreign = await askAbout(route, { ...mine, [name]: theirs[name] ?? '' })
        const absent = await askAbout(route, { ...mine, [name]: missing[name] ?? '' })
        expect([name, whose, withoutRequestId(foreign)]).toEqual([name, whose, withoutRequestId(absent)])
        expect(foreign.status).toBe(404)
      }
      expect(await rowsOf(theirs)).toEqual(before)
    }
  })

  test('422: names the parameters that are missing and those it does not know', async () => {
    const schema = bodyOf(route)
    if (schema === undefined) return
    const unknown = await ask(route, common, { body: { ...freshBody(route, common), no_such_member: true } })
    expect(codeOf(unknown)).toEqual([422, 'invalid_parameters'])
    expect(fieldPaths(unknown)).toEqual(['no_such_member'])

    const required = requiredMembers(route, freshBody(route, common) ?? {})
    if (required.length === 0) return
    const empty = await ask(route, common, { body: {} })
    expect(codeOf(empty)).toEqual([422, 'invalid_parameters'])
    expect(fieldPaths(empty).sort()).toEqual([...required].sort())
  })

  test('emits the events it declares with each success, and none otherwise', async () => {
    const world = await createWorldFor(route, service)
    await ask(route, world, { body: { no_such_member: true } })
    const before = await countEvents()
    const answer = await askAbout(route, world)
    expect(answer.status).toBe(route.successStatus)
    expect(await eventCodes(before)).toEqual([...route.access.emits])
  })

  test('a request that cannot be read is a 4xx with the error body, whatever is wrong with it', async () => {
    for (const raw of hostileBodies) {
      if (route.method === 'GET') continue
      const response = await fetch(`${service.baseUrl}${pathOf(route, common)}`, {
        method: route.method,
        headers: { authorization: `Bearer ${token}`, 'content-type': raw.type },
        body: raw.body,
      })
      expect([raw.name, response.status >= 400 && response.status < 500]).toEqual([raw.name, true])
      expect(await response.json()).toMatchObject({
        error: { code: expect.any(String), request_id: expect.any(String) },
      })
    }
  })
})

const hostileBodies = [
  { name: 'broken JSON', type: 'application/json', body: '{"a":' },
  { name: 'a JSON array', type: 'application/json', body: '[]' },
  {
    name: 'ten thousand levels',
    type: 'application/json',
    body: `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  },
  {
    name: 'twenty thousand members',
    type: 'application/json',
    body: `{${Array.from({ length: 6000 }, (_, i) => `"m${i}":1`).join(',')}}`,
  },
  {
    name: 'a prototype member',
    type: 'application/json',
    body: '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}',
  },
  { name: 'a NUL', type: 'application/json', body: '{"no_such_member":"\\u0000"}' },
  { name: 'half a surrogate pair', type: 'application/json', body: '{"no_such_member":"\\ud800"}' },
  { name: 'another type', type: 'text/xml', body: '<a/>' },
  { name: 'too much', type: 'application/json', body: `{"a":"${'x'.repeat(200_000)}"}` },
  {
    name: 'twenty thousand form fields',
    type: 'application/x-www-form-urlencoded',
    body: 'a=1&'.repeat(20_000),
  },
] as const

function takes(route: Route, name: string, references: References): boolean {
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

async function countEvents(): Promise<number> {
  const [row] = await service.query<{ count: number }>('select count(*)::integer as count from events')
  return row?.count ?? 0
}

/** The codes of the events after so many, in their order. */
async function eventCodes(after: number): Promise<string[]> {
  const text = 'select code from events order by issued_at, id offset $1'
  const rows = await service.query<{ code: string }>(text, [after])
  return rows.map((row) => row.code)
}

/** Every row of every table that belongs to the organization, and those of the application and webhook, as text. */
async function rowsOf(references: References): Promise<unknown> {
  const [row] = await service.query<{ id: string }>('select id from organizations where domain = $1', [
    references['org_domain'],
  ])
  const tables = await service.query<{ table_name: string }>(
    `select table_name from information_schema.columns where column_name = 'organization_id' and table_schema = 'public'`,
  )
  const dumps = await Promise.all(
    tables
      .filter(({ table_name }) => table_name !== 'record_counts')
      .map(({ table_name }) =>
        service.query(
          `select '${table_name}' as table, t::text from ${table_name} t where organization_id = $1 order by 2`,
          [row?.id],
        ),
      ),
  )
  const application = await service.query('select t::text from applications t where id = $1', [
    references['client_id'],
  ])
  const webhook = await service.query(
    `select t::text from webhooks t where id = $1
     union all select t::text from webhook_deliveries t where webhook_id = $1 order by 1`,
    [references['webhook_id']],
  )
  return [...dumps.flat(), ...application, ...webhook]
}
