import { etagOf, type Client, type Role } from '@portico/sdk'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { anythingNamed, roleGivenOf } from '../given/role-given.js'

const service = await startService()
let client: Client
let given: ReturnType<typeof roleGivenOf>
beforeAll(async () => {
  client = await service.client()
  given = roleGivenOf(client)
})

/** An account of its own, whose roles and permissions no other test counts. */
async function givenAccount() {
  const account = await service.createAccount()
  const own = await service.client({ account })
  const { domain: org_domain } = await own.organizations.create({ name: `Organization ${anything()}` })
  const user = await own.users.create({ org_domain, email: `${anything()}@people.example` })
  return { own, org_domain, user: { org_domain, user_id: user.id }, given: roleGivenOf(own) }
}

async function givenUser() {
  const { domain: org_domain, id: organization_id } = await service.given.organization()
  const { id: user_id } = await service.given.user({ org_domain })
  return { org_domain, organization_id, user: { org_domain, user_id } }
}

async function codeOf(refused: Promise<unknown>): Promise<unknown> {
  const error = await refused.then(
    () => undefined,
    (reason: unknown) => reason as { code?: string; fields?: { path: string; code: string }[] },
  )
  if (error?.code !== 'invalid_parameters') return error?.code ?? 'none'
  return error.fields?.map(({ path, code }) => `${path} ${code}`).join()
}

/** What of several requests at once has become. */
function outcomes(count: number, request: () => Promise<unknown>): Promise<unknown[]> {
  return Promise.all(Array.from({ length: count }, () => codeOf(request())))
}

describe('a permission', () => {
  test('is declared once for the account, found by its name, and keeps the name', async () => {
    const name = `${anythingNamed('p')}:read`
    const permission = await client.permissions.create({ name, description: 'See' })
    const { id: permission_id } = permission

    expect(permission).toMatchObject({
      name,
      description: 'See',
      roles_count: 0,
      __domain__: service.account.domain,
    })
    expect(await codeOf(client.permissions.create({ name }))).toBe('permission_taken')
    const changed = await client.permissions.update({ permission_id, description: null })
    expect(changed).toMatchObject({ name, description: null })
    expect((await client.permissions.list({ name })).data).toEqual([changed])
    expect((await client.permissions.list({ name: 'p' })).data).toEqual([])
    const production = await service.client({ environment: 'production' })
    expect(await production.permissions.create({ name })).toMatchObject({ name })
  })

  test.each(['', 'Invoices', '1st', 'a b', 'a*', 'é', 'x'.repeat(65), 'portal:users:read'])(
    '422: is not called %j',
    async (name) => {
      expect(await codeOf(client.permissions.create({ name }))).toMatch(/^name /)
    },
  )

  test('409: stays while roles have it, unless its deletion is forced', async () => {
    const role = await given.roleWith(2)
    const [name = '', other = ''] = role.permissions
    const [{ id: permission_id = '' } = {}] = (await client.permissions.list({ name })).data

    const refused = client.permissions.delete({ permission_id })
    await expect(refused).rejects.toMatchObject({
      code: 'permission_in_use',
      message: expect.stringContaining('1'),
    })
    const before = await client.roles.get({ role_id: role.id })
    expect(await client.permissions.delete({ permission_id, force: true })).toMatchObject({
      resource: { name, roles_count: 1 },
    })
    const after = await client.roles.get({ role_id: role.id })
    expect(after.permissions).toEqual([other])
    expect(etagOf(after)).not.toBe(etagOf(before))
  })
})

describe('a role', () => {
  test('has declared permissions, each once and in order, and keeps its name', async () => {
    const permissions = [await given.permission(), await given.permission()].map(({ name }) => name)
    const [first = '', second = ''] = permissions.toSorted()

    const role = await given.role({ permissions: [second, first, second], description: 'What it is for' })

    expect(role).toMatchObject({
      ...{ permissions: [first, second], is_default: false, users_count: 0, organization_domain_scope: null },
      __domain__: service.account.domain,
    })
    const changed = await client.roles.update({
      role_id: role.id,
      permissions: [second],
      display_name: 'Other',
    })
    expect(changed).toMatchObject({ name: role.name, display_name: 'Other', permissions: [second] })
    expect(await client.roles.get({ role_id: role.id })).toEqual(changed)
    expect((await client.roles.list({ name: role.name })).data).toEqual([changed])
  })

  test('is not open to administrators unless that is sent, of which an event tells', async () => {
    const closed = await given.role()
    expect(closed).toMatchObject({ assignable_by_admins: false })
    expect(await given.role({ assignable_by_admins: true })).toMatchObject({ assignable_by_admins: true })
    const { cursor } = await client.events.list({ after: 'latest' })

    const open = await client.roles.update({ role_id: closed.id, assignable_by_admins: true })

    expect(open).toMatchObject({ name: closed.name, assignable_by_admins: true })
    expect(await client.roles.update({ role_id: closed.id, description: 'x' })).toMatchObject({
      assignable_by_admins: true,
    })
    const { data } = await client.events.list({ after: cursor })
    expect(data[0]).toMatchObject({ code: 'role.role.update.success', data: { assignable_by_admins: true } })
  })

  test('422: names no permission that is not declared, and no name of another form', async () => {
    const permissions = [(await given.permission()).name, 'no_such:thing']
    expect(await codeOf(given.role({ permissions }))).toBe('permissions unknown_permission')
    const { id: role_id } = await given.role()
    expect(await codeOf(client.roles.update({ role_id, permissions }))).toBe('permissions unknown_permission')
    for (const name of ['Admin', 'a:b', 'x'.repeat(33), 'organization_admin'])
      expect(await codeOf(given.role({ name }))).toMatch(/^name /)
    const many = Array.from({ length: 201 }, (_, index) => `p${index}`)
    expect(await codeOf(given.role({ permissions: many }))).toBe('permissions too_big')
  })

  longTest(
    'of an organization is listed with those of the account, and has none of their names',
    async () => {
      const { own, org_domain, given: givens } = await givenAccount()
      const { domain: other } = await own.organizations.create({ name: `Organization ${anything()}` })
      const shared = await givens.role()
      const scoped = await givens.role({ organization_domain_scope: org_domain })

      expect(scoped).toMatchObject({ __domain__: org_domain, organization_domain_scope: org_domain })
      expect(await codeOf(givens.role({ name: scoped.name }))).toBe('role_taken')
      expect(await codeOf(givens.role({ name: shared.name, organization_domain_scope: org_domain }))).toBe(
        'role_taken',
      )
      const twin = await givens.role({ name: scoped.name, organization_domain_scope: other })
      const listed = async (query: Parameters<typeof own.roles.list>[0]) =>
        (await own.roles.list(query)).data.map(({ id }) => id)
      expect(await listed({})).toEqual([twin.id, scoped.id, shared.id])
      expect(await listed({ organization_domain_scope: org_domain })).toEqual([scoped.id])
      expect(await codeOf(givens.role({ organization_domain_scope: 'nobody' }))).toBe(
        'organization_domain_scope unknown',
      )
      await own.organizations.delete({ org_domain: other })
      expect(await listed({})).toEqual([scoped.id, shared.id])
      expect(await codeOf(own.roles.get({ role_id: twin.id }))).toBe('role_not_found')
    },
  )

  test('is there once by its name, whether of the account or of an organization, of many requests at once', async () => {
    const { org_domain, given: givens } = await givenAccount()
    const name = anythingNamed('role')
    let count = 0

    const results = await outcomes(8, () =>
      givens.role({ name, organization_domain_scope: (count += 1) % 2 === 0 ? org_domain : null }),
    )

    expect(results.toSorted()).toEqual(['none', ...Array.from({ length: 7 }, () => 'role_taken')])
  })

  longTest('is one of two hundred of the account, and of fifty of an organization', async () => {
    const { own, org_domain, given: givens } = await givenAccount()
    const fill = async (count: number, scope: string | null) => {
      for (let made = 0; made < count; made += 1) await givens.role({ organization_domain_scope: scope })
    }
    await Promise.all([fill(100, null), fill(99, null), fill(49, org_domain)])

    for (const scope of [null, org_domain]) {
      const results = await outcomes(2, () => givens.role({ organization_domain_scope: scope }))
      expect(results.toSorted()).toEqual(['none', 'roles_exhausted'])
    }
    expect((await own.roles.list({})).total).toBe(250)
  })

  test('409: stays while users have it, unless its deletion is forced', async () => {
    const { user } = await givenUser()
    const role = await given.role()
    await given.give(user, role)

    await expect(client.roles.delete({ role_id: role.id })).rejects.toMatchObject({
      code: 'role_in_use',
      message: expect.stringContaining('1'),
    })
    expect(await client.roles.delete({ role_id: role.id, force: true })).toMatchObject({
      resource: { id: role.id, users_count: 1 },
    })
    expect(await client.roles.getUserRoles(user)).toMatchObject({ roles: [], assignments: [] })
    expect(await client.roles.delete({ role_id: (await given.role()).id })).toMatchObject({ deleted: true })
  })

  test('is no longer that of a user who is deleted', async () => {
    const { user } = await givenUser()
    const role = await given.role()
    await given.give(user, role)
    expect(await client.roles.get({ role_id: role.id })).toMatchObject({ users_count: 1 })

    await client.users.delete(user)

    expect(await client.roles.get({ role_id: role.id })).toMatchObject({ users_count: 0 })
    expect(await codeOf(client.roles.getUserRoles(user))).toBe('user_not_found')
  })
})

describe('the default role', () => {
  test('is one, that of users without any other, and taken from the one before', async () => {
    const { own, user, given: givens } = await givenAccount()
    const first = await givens.role({ is_default: true })
    const roles = async () => (await own.roles.getUserRoles(user)).assignments
    expect(await roles()).toEqual([
      {
        ...{ role: first.name, source: 'default', source_id: null, source_label: null },
        ...{ effective: true, overridden_by: null, inserted_at: null },
      },
    ])

    const second = await givens.role()
    const { cursor } = await own.events.list({ after: 'latest' })
    await own.roles.update({ role_id: second.id, is_default: true })

    expect(await own.roles.get({ role_id: first.id })).toMatchObject({ is_default: false })
    expect(await roles()).toMatchObject([{ role: second.name }])
    const { data: events } = await own.events.list({ after: cursor })
    expect(events.map(({ code, data }) => [code, Reflect.get(data, 'name')])).toEqual([
      ['role.role.update.success', first.name],
      ['role.role.update.success', second.name],
    ])
    await givens.give(user, first)
    expect(await roles()).toMatchObject([{ role: first.name, source: 'api' }])
    await givens.give(user)
    expect(await roles()).toMatchObject([{ role: second.name, source: 'default' }])
  })

  test('422: is none of one organization', async () => {
    const { org_domain } = await givenUser()
    const role = await given.role({ organization_domain_scope: org_domain })
    const refused = client.roles.update({ role_id: role.id, is_default: true })
    expect(await codeOf(refused)).toBe('is_default contradictory')
    expect(await codeOf(given.role({ organization_domain_scope: org_domain, is_default: true }))).toBe(
      'is_default contradictory',
    )
  })
})

describe('the roles of a user', () => {
  test('are replaced, tell what they allow together, and are in the record for reads that ask', async () => {
    const { user, org_domain } = await givenUser()
    const one = await given.roleWith(2)
    const other = await given.roleWith(1, { organization_domain_scope: org_domain })
    const roles = [one.name, other.name].toSorted()

    const told = await given.give(user, one, other)

    expect(told).toMatchObject({ roles, permissions: [...one.permissions, ...other.permissions].toSorted() })
    const again = await given.give(user, other)
    expect(again).toMatchObject({ roles: [other.name], permissions: other.permissions })
    const kept = told.assignments.find(({ role }) => role === other.name)
    expect(again.assignments).toEqual([kept])
    expect(await client.roles.getUserRoles(user)).toEqual(again)
    const asking = { preload_associations: ['roles' as const] }
    expect(await client.users.get({ ...user, ...asking })).toMatchObject({ roles: [other.name] })
    expect(await client.users.list({ org_domain, ...asking })).toMatchObject({
      data: [{ roles: [other.name] }],
    })
    expect(await client.users.get(user)).not.toHaveProperty('roles')
  })

  test('are of a version of the user, and an event tells of them', async () => {
    const { user } = await givenUser()
    const role = await given.role()
    const before = etagOf(await client.users.get(user))
    const { cursor } = await client.events.list({ after: 'latest' })

    const told = await given.give(user, role)

    expect(etagOf(told)).not.toBe(before)
    expect(etagOf(told)).toBe(etagOf(await client.users.get(user)))
    const stale = client.roles.setUserRoles({ ...user, roles: [] }, { ifMatch: before ?? '' })
    expect(await codeOf(stale)).toBe('precondition_failed')
    const { data } = await client.events.list({ after: cursor })
    expect(data.map(({ code, data: record }) => [code, record])).toEqual([
      ['user.roles.update.success', told],
    ])
  })

  test('422: are known ones, of the account or of the organization, at most twenty', async () => {
    const { user } = await givenUser()
    const elsewhere = await givenUser()
    const foreign = await given.role({ organization_domain_scope: elsewhere.org_domain })
    const known = await given.role()
    const roles = [known.name, foreign.name, 'no_such_role', known.name.toUpperCase()]
    expect(await codeOf(client.roles.setUserRoles({ ...user, roles }))).toBe(
      'roles.1 unknown_role,roles.2 unknown_role,roles.3 unknown_role',
    )
    const many = Array.from({ length: 21 }, () => known.name)
    expect(await codeOf(client.roles.setUserRoles({ ...user, roles: many }))).toBe('roles too_big')
    expect(await client.roles.getUserRoles(user)).toMatchObject({ roles: [] })
  })

  test('are one whole set, of many requests at once', async () => {
    const { user } = await givenUser()
    const all: Role[] = []
    for (let count = 0; count < 6; count += 1) all.push(await given.role())
    const sets = [all.slice(0, 3), all.slice(3)]

    await Promise.all(Array.from({ length: 8 }, (_, index) => given.give(user, ...(sets[index % 2] ?? []))))

    const { roles } = await client.roles.getUserRoles(user)
    expect(sets.map((set) => set.map(({ name }) => name).toSorted())).toContainEqual(roles)
  })

  test('never name a role that is deleted at the same time', async () => {
    const { user } = await givenUser()
    const role = await given.role()

    const [assigned] = await Promise.all([
      codeOf(given.give(user, role)),
      codeOf(client.roles.delete({ role_id: role.id, force: true })),
    ])

    expect(['none', 'roles.0 unknown_role']).toContain(assigned)
    expect(await client.roles.getUserRoles(user)).toMatchObject({ roles: [] })
  })
})

describe('a key that is limited to organizations', () => {
  test('writes roles of these alone, and sees none of others', async () => {
    const { org_domain, organization_id } = await givenUser()
    const elsewhere = await givenUser()
    const limited = await service.client({ organizationIds: [organization_id] })
    const own = roleGivenOf(limited)
    const wide = await given.role()
    const foreign = await given.role({ organization_domain_scope: elsewhere.org_domain })

    const mine = await own.role({ organization_domain_scope: org_domain })

    expect(await codeOf(own.role())).toBe('key_limited_to_organizations')
    expect(await codeOf(own.role({ organization_domain_scope: elsewhere.org_domain }))).toBe(
      'organization_domain_scope unknown',
    )
    expect(await limited.roles.update({ role_id: mine.id, display_name: 'Mine' })).toMatchObject({
      id: mine.id,
    })
    for (const [role_id, code] of [
      [wide.id, 'key_limited_to_organizations'],
      [foreign.id, 'role_not_found'],
    ] as const) {
      expect(await codeOf(limited.roles.update({ role_id, display_name: 'Mine' }))).toBe(code)
      expect(await codeOf(limited.roles.delete({ role_id }))).toBe(code)
    }
    const { data } = await limited.roles.list({ per_page: 100 })
    const ids = data.map(({ id }) => id)
    expect([wide.id, mine.id, foreign.id].map((id) => ids.includes(id))).toEqual([true, true, false])
    expect(await codeOf(limited.roles.get({ role_id: foreign.id }))).toBe('role_not_found')
  })

  test('counts the users of these alone', async () => {
    const { user, organization_id } = await givenUser()
    const elsewhere = await givenUser()
    const role = await given.role()
    for (const each of [user, elsewhere.user]) await given.give(each, role)

    const limited = await service.client({ organizationIds: [organization_id] })

    expect((await client.roles.get({ role_id: role.id })).users_count).toBe(2)
    expect((await limited.roles.get({ role_id: role.id })).users_count).toBe(1)
  })
})

describe('an evaluation', () => {
  async function givenHeld() {
    const { user, org_domain } = await givenUser()
    const role = await given.roleWith(1)
    await given.give(user, role)
    const subject = { type: 'user' as const, id: user.user_id }
    const action = { name: role.permissions[0] ?? '' }
    return { user, org_domain, role, question: { org_domain, subject, action } }
  }

  test('says what the roles of the user allow now, and by which', async () => {
    const { question, role, org_domain, user } = await givenHeld()
    const ask = (members: object = {}) => client.accessEvaluation.evaluate({ ...question, ...members })
    const no = (reason: string) => ({ decision: false, context: { reason, granted_by: [] } })
    const of = (id: string) => ({ resource: { type: 'organization', id } })

    const yes = {
      decision: true,
      context: { reason: 'granted', granted_by: [{ role: role.name, source: 'api' }] },
    }
    expect(await ask()).toEqual(yes)
    expect(await ask(of(org_domain))).toEqual(yes)
    expect(await ask(of('other'))).toEqual(no('not_granted'))
    expect(await ask({ resource: { type: 'invoice', id: '1' } })).toEqual(no('resource_type_unknown'))
    expect(await ask({ action: { name: 'no_such:thing' } })).toEqual(no('permission_not_found'))
    expect(await ask({ action: { name: (await given.permission()).name } })).toEqual(no('not_granted'))
    const stranger = { subject: { type: 'user' as const, id: randomUUID() } }
    expect(await ask(stranger)).toEqual(no('user_not_found'))
    const reader = await service.client({ scopes: ['read:roles'] })
    expect(await reader.accessEvaluation.evaluate({ ...question, ...stranger })).toEqual(no('not_granted'))
    await client.users.update({ ...user, active: false })
    expect(await ask()).toEqual(no('user_inactive'))
    await client.users.update({ ...user, active: true })
    await given.give(user)
    expect(await ask()).toEqual(no('not_granted'))
  })

  test('knows no user of another organization', async () => {
    const { question } = await givenHeld()
    const { org_domain } = await givenUser()
    expect(await client.accessEvaluation.evaluate({ ...question, org_domain })).toMatchObject({
      context: { reason: 'user_not_found' },
    })
  })

  test('answers up to fifty questions with common members, in their order', async () => {
    const { question, org_domain } = await givenHeld()
    const { subject, action } = question
    const unknown = { action: { name: 'no_such:thing' } }
    const ask = (members: object) =>
      client.accessEvaluation.evaluateAll({ org_domain, evaluations: [{}], ...members })

    const { evaluations } = await ask({ subject, action, evaluations: [{}, unknown, {}] })
    expect(evaluations.map(({ decision }) => decision)).toEqual([true, false, true])
    expect(await codeOf(ask({ subject }))).toBe('evaluations.0.action invalid_type')
    expect(await codeOf(ask({ subject, action, evaluations: Array(51).fill({}) }))).toBe(
      'evaluations too_big',
    )
    const options = { evaluations_semantic: 'deny_on_first_deny' }
    expect(await codeOf(ask({ subject, action, options }))).toMatch(/^options\.evaluations_semantic /)
  })

  test('is found where AuthZEN says, for any organization', async () => {
    const { domain } = await service.given.organization()
    const read = async (slug: string) => {
      const answer = await fetch(`${service.baseUrl}/.well-known/authzen-configuration/api/v2/org/${slug}`)
      const body: unknown = await answer.json()
      return [answer.status, body]
    }
    const point = `${service.baseUrl}/api/v2/org/${domain}`

    expect(await read(domain)).toEqual([
      200,
      {
        policy_decision_point: point,
        access_evaluation_endpoint: `${point}/access/evaluation`,
        access_evaluations_endpoint: `${point}/access/evaluations`,
      },
    ])
    expect((await read('nobody'))[0]).toBe(200)
    expect((await read('No_body'))[0]).toBe(400)
  })
})
