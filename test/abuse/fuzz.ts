import { AuthorizationRequest } from '@portico/contract/authorize'
import { scimMessages } from '@portico/contract/scim'
import { bodyOf, routes, type Route } from '@portico/contract/walk'
import { bodyFor, type References } from '../given/request-of.js'
import type { readDocument } from './document.js'
import { formOf, hostileValue, mutated, mutatedText, textOf, valueBy, type Schema } from './generated.js'
import type { Random } from './random.js'
import type { Sent, Target } from './target.js'
import { contractTarget } from './targets.js'

/** The inputs of request generation. */
export interface Stage {
  readonly world: References
  readonly token: string
  readonly document: ReturnType<typeof readDocument>
  readonly scim: readonly Target[]
  readonly pages: readonly Target[]
}

/** A request and its target, which checks the answer. */
export interface Fuzzed {
  readonly target: Target
  readonly sent: Sent
}

const all = routes()

/** A random request of the API, of SCIM or of a page. */
export function fuzzed(stage: Stage, random: Random): Fuzzed {
  const kind = random.next()
  if (kind < 0.15) return ofTarget(random.pick(stage.scim), stage, random, scimBody(stage, random))
  if (kind < 0.3) return ofTarget(random.pick(stage.pages), stage, random, pageFields(stage, random))
  const picked = random.pick(all)
  // Deletions are rarer, because later requests miss the deleted objects.
  const route = picked.method === 'DELETE' && random.happens(0.8) ? random.pick(all) : picked
  return ofTarget(targetOf(route, stage), stage, random, bodyOfRoute(route, stage, random))
}

function targetOf(route: Route, { world, token, document }: Stage): Target {
  const target = contractTarget(route, world, token)
  return { ...target, faultOf: (answer) => document.faultOf(route.name, answer) ?? target.faultOf(answer) }
}

function ofTarget(target: Target, stage: Stage, random: Random, body: unknown): Fuzzed {
  const { method, headers } = target
  const query = random.happens(0.3) ? queryOf(target, stage, random) : ''
  const changedPath = random.happens(0.15) ? pathWith(target, random) : target.path
  const path = query === '' ? changedPath : `${changedPath}${changedPath.includes('?') ? '&' : '?'}${query}`
  const content: Content = method === 'GET' ? { headers: {} } : contentOf(target, body, random)
  return {
    target,
    sent: { method, path, ...content, headers: { ...headers, ...oddHeaders(random), ...content.headers } },
  }
}

function bodyOfRoute(route: Route, { world, document }: Stage, random: Random): unknown {
  const { requestBody } = document.operationOf(route.name)
  const schema = requestBody?.content['application/json']?.schema
  if (bodyOf(route) === undefined || schema === undefined) return random.happens(0.8) ? undefined : {}
  return random.happens(0.3) ? bodyFor(route, world) : valueBy(schema, document.find, random, world)
}

function scimBody({ world }: Stage, random: Random): unknown {
  const user = {
    userName: world['user_email'],
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [{ value: `ada-${random.below(50)}@awesome.example`, type: 'work', primary: true }],
    active: random.happens(0.5),
    externalId: String(random.below(50)),
    phoneNumbers: [{ value: '+33612345678', type: 'mobile' }],
  }
  const group = { displayName: `Group ${random.below(20)}`, members: [{ value: world['user_id'] }] }
  const operations = [
    { op: 'replace', path: 'active', value: 'False' },
    { op: 'Add', path: 'emails[type eq "work"].value', value: 'ada@awesome.example' },
    { op: 'remove', path: 'members[value eq "x"]' },
    { op: 'replace', value: { 'name.givenName': 'Ada', title: 'Countess' } },
    { op: 'add', path: 'members', value: [{ value: world['user_id'] }] },
  ]
  const patch = {
    schemas: [scimMessages.patch],
    Operations: [random.pick(operations), random.pick(operations)],
  }
  const search = { filter: 'userName eq "ada"', count: 10, startIndex: 1, attributes: ['userName'] }
  return random.pick([user, group, patch, patch, search])
}

const pageNames = [
  ...[
    'csrf',
    'action',
    'token',
    'email',
    'password',
    'code',
    'password_code',
    'session_id',
    'passkey_id',
    'credential',
    'version',
    'xml',
  ],
  ...[
    'SAMLResponse',
    'RelayState',
    'SAMLRequest',
    'user',
    'fault',
    'id_token_hint',
    'post_logout_redirect_uri',
  ],
  ...['h', 'state', 'error', 'iss', 'reference', 'environment', 'page', 'ui_locales'],
  ...Object.keys(AuthorizationRequest.shape),
]

function pageFields({ world }: Stage, random: Random): unknown {
  const count = random.below(8)
  const values = [
    ...Object.values(world),
    'query',
    'code',
    'S256',
    'openid',
    'http://127.0.0.1:9/',
    'sign_out',
  ]
  return Object.fromEntries(
    Array.from({ length: count }, () => [
      random.pick(pageNames),
      random.happens(0.5) ? random.pick(values) : hostileValue(random),
    ]),
  )
}

function queryOf(target: Target, { document, world }: Stage, random: Random): string {
  const isOperation = all.some(({ name }) => name === target.name)
  const parameters = isOperation ? (document.operationOf(target.name).parameters ?? []) : []
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const pairs = Array.from({ length: 1 + random.below(4) }, () => {
    const name = random.pick([
      ...inQuery.map((parameter) => parameter.name),
      ...pageNames,
      'filter',
      'count',
      'sortBy',
    ])
    const schema: Schema = inQuery.find((parameter) => parameter.name === name)?.schema ?? {}
    const value = random.happens(0.5) ? valueBy(schema, document.find, random, world) : hostileValue(random)
    return formOf({ [name]: value })
  })
  const text = pairs.join('&').slice(0, 8000)
  return random.happens(0.1) ? `${text}&%` : text
}

/** The path with hostile text in one part. */
function pathWith({ path }: Target, random: Random): string {
  const parts = path.split('/')
  const value = textOf(hostileValue(random)).toWellFormed().slice(0, 3000)
  parts[1 + random.below(parts.length - 1)] = random.pick([encodeURIComponent(value), '%', '%ff', '%00', ''])
  return parts.join('/')
}

type Content = Pick<Sent, 'body' | 'headers'>

const types = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/scim+json',
  'text/plain',
  'x',
  '',
]

function contentOf(target: Target, given: unknown, random: Random): Content {
  let value = given
  const changes = random.happens(0.5) ? 0 : 1 + random.below(3)
  for (let count = changes; count > 0 && value !== undefined; count -= 1) value = mutated(value, random)
  if (value === undefined) return { headers: {} }
  const isForm = !target.reads.includes('json') || (target.reads.includes('form') && random.happens(0.2))
  const text = isForm ? formOf(value) : JSON.stringify(value)
  const type = isForm ? 'application/x-www-form-urlencoded' : target.jsonType
  return {
    body: Buffer.from(random.happens(0.05) ? mutatedText(text, random) : text),
    headers: { 'content-type': random.happens(0.03) ? random.pick(types) : type },
  }
}

function oddHeaders(random: Random): Sent['headers'] {
  if (random.happens(0.85)) return {}
  return random.pick<() => Sent['headers']>([
    () => ({ 'if-match': random.pick(['"1"', '*', 'W/"1"', '"x"', '""', '"1", "2"']) }),
    () => ({ 'if-none-match': random.pick(['"1"', '*', 'W/"1"']) }),
    () => ({ 'idempotency-key': random.pick(['a', 'b', 'x'.repeat(300), ' ']) }),
    () => ({ accept: random.pick(['text/html', 'application/json', 'x']) }),
    () => ({ 'accept-language': random.pick(['fr', 'x'.repeat(500), 'en;q=9,*', 'fr-']) }),
    () => ({ cookie: random.pick(['a=b', '__Host-portico=x', '=', 'portico_flow=%zz']) }),
    () => ({ authorization: random.pick(['Bearer x', 'Basic eDp5', 'Basic !', 'Bearer', 'x']) }),
    () => ({ origin: random.pick(['null', 'https://evil.example', 'x']) }),
    () => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }),
    () => ({ 'content-encoding': random.pick(['gzip', 'identity', 'x']) }),
    () => ({ 'x-request-id': random.pick(['a', 'x'.repeat(200)]) }),
  ])()
}
