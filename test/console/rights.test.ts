import { consoleContract } from '@portico/contract/console'
import { contract } from '@portico/contract/contract'
import type { Environment } from '@portico/contract/fields'
import { personalDataIn } from '@portico/contract/sensitivity'
import { staffRoles, type StaffRole } from '@portico/contract/staff'
import { bodyOf, routes, type Route } from '@portico/contract/walk'
import { openCall } from '@portico/server/call'
import { rightsOf } from '@portico/server/rights'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { anyEmail, anything } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { sampled } from '../sampled.js'
import { rightsTable } from './rights-table.js'

let service: Service
let call: ReturnType<typeof openCall>

beforeAll(async () => {
  service = await startService()
  call = openCall(service.deps)
})

const all = routes({ ...contract, ...consoleContract }).filter(({ access }) => access.scope !== null)

/** The letter of a role in an environment, as the table has it. */
function letterOf(role: StaffRole, environment: Environment): string {
  const letter = role.charAt(0)
  return environment === 'production' ? letter.toUpperCase() : letter
}

type Caller = Parameters<typeof call>[0]

function callerOf(
  roles: readonly string[],
  environment: Environment,
  more: { isProved?: boolean } = {},
): Caller {
  const { scopes, ...rights } = rightsOf(roles, environment)
  const id = randomUUID()
  return {
    accountId: service.account.id,
    accountDomain: service.account.domain,
    environment,
    id,
    scopes,
    staff: { ...rights, isProved: more.isProved ?? true },
    organizationIds: null,
    cause: { requestId: randomUUID(), actor: { type: 'staff', id }, params: () => ({}) },
  }
}

/** Calls a route about what is not there: whoever may call it learns that, and others that they may not. */
function ask(route: Route, caller: Caller, reason: string | undefined = 'A reason') {
  const params = Object.fromEntries(route.pathParameters.map((name) => [name, `missing-${anything()}`]))
  return call(caller, { route: route.name, params, body: {}, reason })
}

test('the table names every route once', () => {
  expect(Object.keys(rightsTable).toSorted()).toEqual(all.map(({ name }) => name).toSorted())
})

/** Production first, where more is refused. */
const placesOfRoles = (['production', 'sandbox'] as const).flatMap((environment) =>
  staffRoles.map((role) => [role, environment] as const),
)

describe.each(sampled(placesOfRoles, staffRoles.length))(
  'a member of staff with the role %s in %s',
  (role, environment) => {
    test('calls what the table allows, and nothing else, which the audit has', async () => {
      const caller = callerOf([role], environment)
      const allowed: string[] = []
      for (const route of all) {
        const { status, body } = await ask(route, caller)
        const code = (body as { error?: { code?: string } }).error?.code
        if (status !== 403 || code !== 'insufficient_scope') allowed.push(route.name)
      }
      const expected = Object.entries(rightsTable).filter(([, who]) =>
        who.includes(letterOf(role, environment)),
      )
      expect(allowed.toSorted()).toEqual(expected.map(([name]) => name).toSorted())
      const refused = await service.query<{ action: string }>(
        `select action from audit_entries where staff_user_id = $1 and outcome = 'refused' order by action`,
        [caller.id],
      )
      const others = Object.keys(rightsTable).filter((name) => !allowed.includes(name))
      expect(refused.map(({ action }) => action)).toEqual(others.toSorted())
    })
  },
)

test('an owner makes a key of everything; others make none that may do more than they', async () => {
  const make = async (roles: readonly string[], environment: Environment, scopes: readonly string[] | null) =>
    call(callerOf(roles, environment), {
      route: 'apiKeys.create',
      body: { name: anything(), scopes },
      reason: 'A back end',
    })
  expect((await make(['owner'], 'production', null)).status).toBe(201)
  expect((await make(['developer'], 'sandbox', ['write:users'])).status).toBe(201)
  for (const [roles, environment, scopes] of [
    [['developer'], 'production', ['read:users']],
    [['support'], 'sandbox', ['read:users']],
    [['support', 'viewer'], 'production', null],
  ] as const)
    expect((await make(roles, environment, scopes)).status).toBe(403)
})

/** The operations that find people by what is typed, with its parameter. */
const lookUps = [
  ['invitations.list', 'email'],
  ['logEvents.list', 'email'],
  ['logEvents.listOfAccount', 'email'],
  ['organizations.list', 'member_email'],
  ['outbox.list', 'to'],
  ['people.diagnose', 'email'],
  ['users.list', 'filter'],
] as const

test('no other operation has a parameter with personal data', () => {
  const found = all.flatMap(({ name, definition: { query } }) => {
    const names = query instanceof z.ZodObject ? Object.keys(query.shape) : []
    const marked = names.filter((parameter) => personalDataIn(query, { [parameter]: 'a' }).length > 0)
    return marked.map((parameter) => [name, parameter])
  })
  expect(found.toSorted()).toEqual(lookUps)
})

test.each(lookUps)('what is looked up by %s is in the audit', async (name, parameter) => {
  const [route] = all.filter((each) => each.name === name)
  const caller = callerOf(['owner'], 'sandbox')
  const email = anyEmail()
  const params = Object.fromEntries((route?.pathParameters ?? []).map((of) => [of, 'missing']))
  const look = (query: object) => call(caller, { route: name, params, query: { ...query } })
  await look({ [parameter]: email })
  await look({ [parameter]: '' })
  const entries = await service.query(
    'select action, outcome, email from audit_entries where staff_user_id = $1',
    [caller.id],
  )
  expect(entries).toEqual([{ action: name, outcome: 'looked_up', email }])
})

test('429: goes through no list of addresses by one operation and another', async () => {
  const caller = callerOf(['owner'], 'sandbox')
  const find = (who: Caller) => call(who, { route: 'people.diagnose', query: { email: anyEmail() } })
  const list = () => call(caller, { route: 'organizations.list', query: { member_email: anyEmail() } })
  const answers = await Promise.all(
    Array.from({ length: 61 }, (_, index) => (index % 2 ? find(caller) : list())),
  )
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  expect((await find(callerOf(['owner'], 'sandbox'))).status).toBe(200)
  await service.clock.advance(60)
  expect((await find(caller)).status).toBe(200)
})

test.each([[[]], [['organization_admin']], [['Owner']]])('roles %j give nothing', (roles) => {
  expect(rightsOf(roles, 'sandbox').routes.size).toBe(0)
})

const dangerous = all.filter(({ access }) => typeof access.danger === 'string' && access.asUser !== 'refused')

const askedOf = sampled(dangerous, 12).map((route) => [route.name, route] as const)

describe.each(askedOf)('in production %s', (_name, route) => {
  test('asks for a reason, and a proof where the contract says so; in the sandbox where both environments change', async () => {
    const owner = callerOf(['owner'], 'production')
    const without = await ask(route, owner, 'no')
    expect(without).toMatchObject({ status: 422, body: { error: { fields: [{ path: 'reason' }] } } })
    const unproved = await ask(route, callerOf(['owner'], 'production', { isProved: false }))
    const isProofAsked = route.access.danger === 'proof'
    expect(codeOf(unproved) === 'proof_required').toBe(isProofAsked)
    const inSandbox = await ask(route, callerOf(['owner'], 'sandbox', { isProved: false }), '')
    const body = bodyOf(route)
    // The operation may ask for a reason of its own.
    const isOwn = body instanceof z.ZodObject && 'reason' in body.shape
    const isReasonAsked = !isOwn && JSON.stringify(inSandbox.body).includes('"reason"')
    const isAsked = codeOf(inSandbox) === 'proof_required' || isReasonAsked
    expect(isAsked).toBe(ofBoth.includes(route.name))
  })
})

/** What the environments share: the sandbox of the console is no way around the questions of production. */
const ofBoth = [
  ...['organizations.delete', 'tokenCustomization.deleteMetaKey', 'account.update'],
  'apiKeys.rotate',
  ...[
    'staff.setRole',
    'staff.endSessions',
    'staff.remove',
    'staffInvitations.invite',
    'staffInvitations.revoke',
  ],
]

test.each([
  ['what is of the sandbox alone', ['write:users', 'read:organizations'], undefined],
  [
    'what deletes an organization of both environments',
    ['read:users', 'write:organizations'],
    'proof_required',
  ],
  ['everything', null, 'proof_required'],
  ['what is no list', 'write:users', 'proof_required'],
])('a key of the sandbox for %s: %j, without a proof', async (_what, scopes, code) => {
  const unproved = callerOf(['owner'], 'sandbox', { isProved: false })
  const answer = await call(unproved, { route: 'apiKeys.create', body: { name: anything(), scopes } })
  expect([answer.status, codeOf(answer)]).toEqual([code === undefined ? 201 : 403, code])
})

test('a change of the address or the state of a user asks for a reason in production; one of the name does not', async () => {
  const caller = callerOf(['support'], 'production')
  const [route] = all.filter(({ name }) => name === 'users.update')
  const change = (body: object) =>
    call(caller, {
      route: route?.name ?? '',
      params: { org_domain: 'missing', user_id: randomUUID() },
      body: { ...body },
    })
  expect((await change({ email: 'ada@people.example' })).status).toBe(422)
  expect((await change({ active: false })).status).toBe(422)
  expect((await change({ given_name: 'Ada' })).status).toBe(404)
})

test('the form that edits an SSO connection asks for the proof that its single operations ask for', async () => {
  const unproved = callerOf(['developer'], 'production', { isProved: false })
  for (const body of [
    { metadata: '<EntityDescriptor/>' },
    { active: true },
    { user_security_type: 'none' },
  ]) {
    const answer = await call(unproved, {
      route: 'ssoConnections.update',
      params: { idp_id: 'missing' },
      body,
      reason: 'A reason',
    })
    expect(codeOf(answer)).toBe('proof_required')
  }
})

test('a refusal at an address that names no organization leaves the audit readable', async () => {
  const viewer = callerOf(['viewer'], 'production')
  for (const org_domain of ['NOT a domain', 'nul\0'])
    await call(viewer, { route: 'users.create', params: { org_domain }, body: {} })

  const seen = await call(viewer, { route: 'audit.list', query: { actor: viewer.id } })
  expect(seen).toMatchObject({
    status: 200,
    body: { total: 2, data: [{ org_domain: null }, { org_domain: null }] },
  })
})

test('a change of what both environments share is in the audit of none of them', async () => {
  const owner = callerOf(['owner'], 'sandbox')
  const changed = await call(owner, {
    route: 'account.update',
    body: { product_name: anything() },
    reason: 'New name',
  })
  expect(changed.status).toBe(200)
  const seen = await call(owner, { route: 'audit.list', query: { actor: owner.id } })
  expect(seen).toMatchObject({ body: { data: [{ action: 'account.update', __environment__: null }] } })
})

function codeOf({ body }: Awaited<ReturnType<typeof call>>): string | undefined {
  return (body as { error?: { code?: string } }).error?.code
}

test('what is open to everybody is in no role of staff', async () => {
  // No screen calls such a route, and none declares the refusal.
  const { status } = await call(callerOf(['owner'], 'sandbox'), {
    route: 'oidc.keySet',
    params: { org_domain: service.account.domain },
  })
  expect(status).toBeGreaterThanOrEqual(400)
})
