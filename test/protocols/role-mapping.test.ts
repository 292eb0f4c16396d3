import type { Client, Role } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { claimsOf } from '../given/claims.js'
import { isIn } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { anythingNamed, roleGivenOf } from '../given/role-given.js'
import { samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { codeGivenOf } from './code-given.js'
import { refreshGivenOf } from './refresh-given.js'
import { asMembers, groupsOf } from './scim/group-given.js'
import { replacing, scimUsersGivenOf } from './scim/user-given.js'

const service = await startService()
const client = await service.client()
const roles = roleGivenOf(client)
const directories = scimUsersGivenOf(client)
const saml = samlGivenOf(service, client)
const codes = codeGivenOf(service, client)

type RoleMapping = NonNullable<Parameters<Client['directorySync']['update']>[0]['role_mapping']>

const add = (...rules: RoleMapping['rules']): RoleMapping => ({ mode: 'add', rules })
const ofGroup = (group: string, ...given: readonly Role[]) => ({
  group,
  roles: given.map(({ name }) => name),
})
const ofValue = (attribute: string, value: string, ...given: readonly Role[]) => ({
  ...{ attribute, value },
  roles: given.map(({ name }) => name),
})

/** A directory with its groups and a user. */
async function directoryWith(role_mapping: RoleMapping, org_domain?: string) {
  const of = await directories.directory({ ...(org_domain !== undefined && { org_domain }), role_mapping })
  const { id: user_id } = await directories.user(of.scim)
  const user = { org_domain: of.org_domain, user_id }
  return { ...of, user, groups: groupsOf(of.scim) }
}

/** A connection whose identity provider says something of a person. */
async function connectionWith(
  role_mapping: RoleMapping,
  other_domains: 'any_address' | 'create' = 'any_address',
) {
  // Rules of a connection have an attribute, always.
  const rules = role_mapping.rules.map(({ attribute = '', value = '', roles: names }) => ({
    ...{ attribute, value },
    roles: names,
  }))
  const scene = await saml.scene({ role_mapping: { mode: role_mapping.mode, rules }, other_domains })
  return { scene, org_domain: scene.org_domain, email: anyEmail() }
}

async function signIn(scene: SamlScene, nameId: string, attributes: Record<string, string | string[]> = {}) {
  const { landed } = await saml.signIn(scene, { nameId, attributes })
  expect(isIn(landed)).toBe(true)
  const { id } = await client.users.getByEmail({ org_domain: scene.org_domain, user_email: nameId })
  return { org_domain: scene.org_domain, user_id: id }
}

async function namesOf(user: { org_domain: string; user_id: string }): Promise<string[]> {
  return (await client.roles.getUserRoles(user)).roles
}

/** Watches the changes of the roles of users from now on. */
async function watched() {
  const { cursor } = await client.events.list({ after: 'latest' })
  return async ({ user_id }: { user_id: string }) => {
    const { data } = await client.events.list({ after: cursor, limit: 1000 })
    return data.filter(
      ({ code, data: record }) =>
        code === 'user.roles.update.success' && Reflect.get(record, 'user_id') === user_id,
    )
  }
}

async function evaluated({ org_domain, user_id }: { org_domain: string; user_id: string }, role: Role) {
  const action = { name: role.permissions[0] ?? '' }
  return client.accessEvaluation.evaluate({ org_domain, subject: { type: 'user', id: user_id }, action })
}

async function remapped(): Promise<void> {
  await service.clock.advance(60)
  await service.runJobs()
}

describe('a directory', () => {
  test('gives roles by its groups, in whatever case and form, from the next refresh on, and writes no user', async () => {
    const changesOf = await watched()
    const refreshes = refreshGivenOf(service, codes)
    const signedIn = await codes.scene()
    const role = await roles.roleWith(1)
    const { scim, groups, user } = await directoryWith(
      add(ofGroup('ＦINANCE Équipe', role)),
      signedIn.org_domain,
    )
    const record = await client.users.get(user)
    if ('deleted' in record) throw new Error('the user is deleted')
    const scene = { ...signedIn, user: record }
    const first = await refreshes.tokens(scene)
    expect(claimsOf(first.accessToken)).not.toHaveProperty('roles')
    const before = await client.users.get(user)

    const { id } = await groups.make({ displayName: 'Finance éQUIPE', members: asMembers([user.user_id]) })
    const second = await refreshes.refresh(scene, first.refreshToken)
    expect(claimsOf(second.accessToken)).toMatchObject({ roles: [role.name], permissions: role.permissions })
    expect(await client.roles.getUserRoles(user)).toMatchObject({
      roles: [role.name],
      assignments: [
        {
          role: role.name,
          source: 'directory',
          source_label: 'ＦINANCE Équipe',
          effective: true,
          overridden_by: null,
          inserted_at: null,
        },
      ],
    })
    expect(await evaluated(user, role)).toMatchObject({
      decision: true,
      context: { granted_by: [{ role: role.name, source: 'directory' }] },
    })

    await scim('PATCH', `/Groups/${id}`, { body: replacing('displayName', 'Finance') })
    const third = await refreshes.refresh(scene, second.refreshToken)
    expect(claimsOf(third.accessToken)).not.toHaveProperty('roles')
    expect(await changesOf(user)).toEqual([])
    expect(await client.users.get(user)).toMatchObject({ ...before, groups: expect.anything() })
  })

  test('gives roles by roles, entitlements and mapped paths, and none by a value without a rule', async () => {
    const [lead, buyer, engineer] = [await roles.role(), await roles.role(), await roles.role()]
    const { org_domain, scim, user } = await directoryWith(add())
    await service.given.metaKey({ org_domain, name: 'department' })
    await scim('PATCH', `/Users/${user.user_id}`, {
      body: replacing('roles', [{ value: 'LEAD' }, { value: buyer.name }, { value: 'leads' }]),
    })
    expect(await namesOf(user)).toEqual([])

    await client.directorySync.update({
      org_domain,
      attribute_mapping: [{ from: 'title', to: 'metadata.department' }],
      role_mapping: add(
        ofValue('roles', 'lead', lead),
        ofValue('entitlements', 'Orders', buyer),
        ofValue('Title', 'engineer ①', engineer),
      ),
    })
    expect(await namesOf(user)).toEqual([])
    await remapped()
    expect(await namesOf(user)).toEqual([lead.name])
    const said = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [
        { op: 'replace', path: 'entitlements', value: [{ value: 'other' }, { value: 'orders' }] },
        { op: 'replace', path: 'title', value: 'Engineer 1' },
        { op: 'remove', path: 'roles' },
      ],
    }
    await scim('PATCH', `/Users/${user.user_id}`, { body: said })
    const { assignments } = await client.roles.getUserRoles(user)
    expect(assignments.map(({ role, source_label: label }) => `${role} ${label ?? ''}`).toSorted()).toEqual(
      [`${buyer.name} entitlements=Orders`, `${engineer.name} Title=engineer ①`].toSorted(),
    )
  })

  test('that is authoritative overrides what the API has given, which stays and is shown', async () => {
    const [given, mapped] = [await roles.roleWith(1), await roles.role()]
    const { org_domain, groups, user } = await directoryWith({
      mode: 'authoritative',
      rules: [ofGroup('Staff', mapped)],
    })
    const other = await service.given.user({ org_domain })
    await roles.give(user, given)
    await roles.give({ org_domain, user_id: other.id }, given)
    expect(await client.roles.getUserRoles(user)).toMatchObject({
      roles: [],
      permissions: [],
      assignments: [{ role: given.name, source: 'api', effective: false, overridden_by: 'directory' }],
    })
    await groups.make({ displayName: 'Staff', members: asMembers([user.user_id]) })
    expect(await namesOf(user)).toEqual([mapped.name])
    expect(await namesOf({ org_domain, user_id: other.id })).toEqual([given.name])

    await client.directorySync.update({ org_domain, role_mapping: add(ofGroup('Staff', mapped)) })
    expect(await namesOf(user)).toEqual([given.name, mapped.name].toSorted())
    await client.directorySync.delete({ org_domain })
    expect(await namesOf(user)).toEqual([given.name])
  })

  test('tells of a rule that is left without its group, and says which rules have one', async () => {
    const role = await roles.role()
    const { org_domain, scim, groups } = await directoryWith(
      add(ofGroup('Staff', role), ofValue('roles', 'lead', role)),
    )
    const matches = async () =>
      (await client.directorySync.get({ org_domain })).role_mapping.rules.map(({ matched }) => matched)
    const told = async () => {
      const { data } = await client.logEvents.list({ org_domain, code: 'ROLE_MAPPING_UNMATCHED' })
      return data.map(({ reason }) => reason)
    }
    expect(await matches()).toEqual([false, undefined])
    const one = await groups.make({ displayName: 'staff' })
    const two = await groups.make({ displayName: 'STAFF' })
    expect(await matches()).toEqual([true, undefined])

    await scim('PATCH', `/Groups/${one.id}`, { body: replacing('displayName', 'Others') })
    expect(await told()).toEqual([])
    await scim('DELETE', `/Groups/${two.id}`)
    expect([await matches(), await told()]).toEqual([[false, undefined], ['Staff']])
    await scim('PATCH', `/Groups/${one.id}`, { body: replacing('displayName', 'Staff') })
    expect([await matches(), await told()]).toEqual([[true, undefined], ['Staff']])
  })

  test('of 200 groups and as many roles gives them all; tokens say that they omit them', async () => {
    const scene = await codes.scene()
    const one = await roles.roleWith(1)
    const rest = await Promise.all(Array.from({ length: 40 }, () => roles.role()))
    const named = [one, ...rest]
    const mapping = add(
      ...Array.from({ length: 200 }, (_, index) =>
        ofGroup(`Group ${String(index)}`, named[index % named.length] ?? one),
      ),
    )
    const { groups, user } = await directoryWith(mapping, scene.org_domain)
    for (let index = 0; index < named.length; index++)
      await groups.make({ displayName: `group ${String(index)}`, members: asMembers([user.user_id]) })

    const record = await client.users.get(user)
    if ('deleted' in record) throw new Error('the user is deleted')
    const { accessToken } = await refreshGivenOf(service, codes).tokens({ ...scene, user: record })
    expect(claimsOf(accessToken)).toMatchObject({ roles_omitted: true, permissions: one.permissions })
    expect(await namesOf(user)).toEqual(named.map(({ name }) => name).toSorted())
    expect(await evaluated(user, one)).toMatchObject({ decision: true })
  })
})

describe('an SSO connection', () => {
  test('gives roles at each sign-in in place of those of before, with an event where something changes', async () => {
    const [lead, buyer] = [await roles.roleWith(1), await roles.role()]
    const { scene, email, org_domain } = await connectionWith(
      add(ofValue('memberOf', 'Leads', lead), ofValue('memberOf', 'Buyers', buyer)),
    )
    const groups = 'http://idp.example/claims/MemberOf'
    const changesOf = await watched()
    const user = await signIn(scene, email, { [groups]: ['LEADS', 'others'] })
    expect(await client.roles.getUserRoles(user)).toMatchObject({
      roles: [lead.name],
      permissions: lead.permissions,
      assignments: [
        { source: 'sso', source_id: scene.connection.idp_id, source_label: 'saml.okta', effective: true },
      ],
    })
    const [first] = await changesOf(user)
    expect(first).toMatchObject({ data: { roles: [lead.name] } })
    await signIn(scene, email, { [groups]: ['leads'] })
    expect(await changesOf(user)).toHaveLength(1)

    await roles.give({ org_domain, user_id: user.user_id }, lead)
    await signIn(scene, email, { [groups]: 'buyers' })
    expect(await namesOf(user)).toEqual([buyer.name, lead.name].toSorted())
    await roles.give({ org_domain, user_id: user.user_id })
    await signIn(scene, email)
    expect(await namesOf(user)).toEqual([])
    expect(await changesOf(user)).toHaveLength(5)
  })

  test('gives no role by an attribute named roles, and none to who only tests it', async () => {
    const { scene, email } = await connectionWith(add())
    const role = await roles.role()
    const user = await signIn(scene, email, { roles: role.name, permissions: role.name })
    expect(await client.roles.getUserRoles(user)).toMatchObject({ roles: [], assignments: [] })
  })

  test('that is authoritative is the only source of those who came by it last, until they come by another', async () => {
    const [given, lead] = [await roles.role(), await roles.role()]
    const { scene, email, org_domain } = await connectionWith({
      mode: 'authoritative',
      rules: [ofValue('groups', 'leads', lead)],
    })
    const other = { ...scene, ...(await saml.connect(scene, { other_domains: 'any_address' }, 'other')) }
    const { id: user_id } = await client.users.create({ org_domain, email })
    const user = { org_domain, user_id }
    await roles.give(user, given)
    expect(await namesOf(user)).toEqual([given.name])

    await signIn(scene, email, { groups: 'leads' })
    expect(await client.roles.getUserRoles(user)).toMatchObject({
      roles: [lead.name],
      assignments: expect.arrayContaining([
        expect.objectContaining({ role: given.name, effective: false, overridden_by: 'sso' }),
      ]),
    })
    await signIn(other, email)
    expect(await namesOf(user)).toEqual([given.name, lead.name].toSorted())
    await signIn(scene, email)
    expect(await namesOf(user)).toEqual([])
    await client.ssoConnections.update({
      idp_id: scene.connection.idp_id,
      role_mapping: { mode: 'add', rules: [] },
    })
    expect(await namesOf(user)).toEqual([given.name])
  })

  test('gives nothing any more by an identity whose name has changed, and by none that is forgotten', async () => {
    const [lead, buyer] = [await roles.role(), await roles.role()]
    const { scene, email, org_domain } = await connectionWith(
      add(ofValue('groups', 'leads', lead), ofValue('groups', 'buyers', buyer)),
    )
    const user = await signIn(scene, email, { groups: 'leads' })
    const { landed } = await saml.signIn(scene, {
      nameId: 'renamed-1',
      attributes: { email, groups: 'buyers' },
    })
    expect(isIn(landed)).toBe(true)
    expect(await namesOf(user)).toEqual([buyer.name])
    await client.users.delete({ org_domain, user_id: user.user_id })
    expect(await client.roles.get({ role_id: buyer.id })).toMatchObject({ users_count: 0 })
  })
})

test('an authoritative connection stays so where a link has proved the address, and its identity is forgotten', async () => {
  const [lead, given] = [await roles.role(), await roles.role()]
  const { scene, email, org_domain } = await connectionWith(
    { mode: 'authoritative', rules: [ofValue('groups', 'leads', lead)] },
    'create',
  )
  const user = await signIn(scene, email, { groups: 'leads' })
  await roles.give(user, given)
  expect(await namesOf(user)).toEqual([lead.name])
  const record = await client.users.get(user)
  if ('deleted' in record) throw new Error('the user is deleted')

  await codes.code({ org_domain, application: scene.application, user: record })

  expect(await client.roles.getUserRoles(user)).toMatchObject({
    roles: [],
    assignments: [{ role: given.name, source: 'api', effective: false, overridden_by: 'sso' }],
  })
})

test('a role that no rule of a connection names any more is taken from those who have come by it', async () => {
  const [lead, buyer] = [await roles.role(), await roles.role()]
  const [first, second] = [ofValue('groups', 'leads', lead), ofValue('groups', 'buyers', buyer)]
  const { scene, email } = await connectionWith(add(first, second))
  const user = await signIn(scene, email, { groups: ['leads', 'buyers'] })
  expect(await namesOf(user)).toEqual([buyer.name, lead.name].toSorted())
  const { idp_id } = scene.connection

  await client.ssoConnections.update({ idp_id, role_mapping: { mode: 'add', rules: [second] } })

  expect(await namesOf(user)).toEqual([buyer.name])
})

test('an address that is proved takes the roles of identities that came before, and keeps those of the API', async () => {
  const [lead, given] = [await roles.role(), await roles.role()]
  const { scene, email, org_domain } = await connectionWith(add(ofValue('groups', 'leads', lead)), 'create')
  const user = await signIn(scene, email, { groups: 'leads' })
  await roles.give(user, given)
  const record = await client.users.get(user)
  if ('deleted' in record) throw new Error('the user is deleted')
  expect(record.email_verified).toBe(false)
  await codes.code({ org_domain, application: scene.application, user: record })
  expect(await client.roles.getUserRoles(user)).toMatchObject({
    roles: [given.name],
    assignments: [{ source: 'api' }],
  })
})

describe('rules', () => {
  test('422: have a group, or an attribute with a value, and known roles, each once', async () => {
    const { org_domain } = await directories.directory()
    const account = await service.client({ account: await service.createAccount() })
    const foreign = await roleGivenOf(account).role()
    const elsewhere = await service.given.organization()
    const scoped = await roles.role({ organization_domain_scope: elsewhere.domain })
    const role = await roles.role()
    const rules = [
      { group: 'a', attribute: 'roles', value: 'b', roles: [role.name] },
      { group: 'a', value: 'b', roles: [role.name] },
      { attribute: 'roles', roles: [role.name] },
      { roles: [role.name] },
      { attribute: 'title', value: 'a', roles: [role.name] },
      { group: 'a', roles: [role.name, foreign.name, scoped.name, role.name] },
    ]
    const refused = {
      status: 422,
      fields: [
        { path: 'role_mapping.rules.0.group', code: 'contradictory' },
        { path: 'role_mapping.rules.1.value', code: 'contradictory' },
        { path: 'role_mapping.rules.2.value', code: 'invalid_type' },
        { path: 'role_mapping.rules.3.group', code: 'invalid_type' },
        { path: 'role_mapping.rules.4.attribute', code: 'not_mapped' },
        { path: 'role_mapping.rules.5.roles.1', code: 'unknown_role' },
        { path: 'role_mapping.rules.5.roles.2', code: 'unknown_role' },
        { path: 'role_mapping.rules.5.roles.3', code: 'repeated' },
      ],
    }
    await expect(
      client.directorySync.update({ org_domain, role_mapping: add(...rules) }),
    ).rejects.toMatchObject(refused)
    const created = {
      org_domain: elsewhere.domain,
      provider_type: 'okta',
      role_mapping: add(...rules),
    } as const
    await expect(client.directorySync.create(created)).rejects.toMatchObject({ status: 422 })
    expect(await client.directorySync.get({ org_domain })).toMatchObject({
      role_mapping: { mode: 'add', rules: [] },
    })
  })

  test('422: are 200 at most, of five roles each, and those of a connection have no group', async () => {
    const { org_domain } = await directories.directory()
    const six = await Promise.all(Array.from({ length: 6 }, () => roles.role()))
    const [one] = six
    if (one === undefined) throw new Error('no role')
    const refusal = (path: string, code: string) => ({ status: 422, fields: [{ path, code }] })
    const updated = (role_mapping: RoleMapping) => client.directorySync.update({ org_domain, role_mapping })
    await expect(updated(add(...Array.from({ length: 201 }, () => ofGroup('a', one))))).rejects.toMatchObject(
      refusal('role_mapping.rules', 'too_big'),
    )
    await expect(updated(add(ofGroup('a', ...six)))).rejects.toMatchObject(
      refusal('role_mapping.rules.0.roles', 'too_big'),
    )
    await expect(updated(add({ group: 'a', roles: [] }))).rejects.toMatchObject(
      refusal('role_mapping.rules.0.roles', 'too_small'),
    )
    const { scene } = await connectionWith(add())
    const { idp_id } = scene.connection
    const role_mapping = { mode: 'add' as const, rules: [{ ...ofValue('a', 'b', one), group: 'c' }] }
    await expect(client.ssoConnections.update({ idp_id, role_mapping })).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'role_mapping.rules.0.group' }],
    })
  })

  test('422: a path that a rule reads stays mapped', async () => {
    const role = await roles.role()
    const { org_domain } = await directories.directory()
    await service.given.metaKey({ org_domain, name: 'title' })
    await client.directorySync.update({
      org_domain,
      attribute_mapping: [{ from: 'title', to: 'metadata.title' }],
      role_mapping: add(ofValue('title', 'Lead', role)),
    })
    await expect(client.directorySync.update({ org_domain, attribute_mapping: [] })).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'role_mapping.rules.0.attribute', code: 'not_mapped' }],
    })
  })

  test('403: are written by keys that may write roles', async () => {
    const role = await roles.role()
    const { scene } = await connectionWith(add())
    const limited = await service.client({ scopes: ['write:directories', 'write:sso_connections'] })
    const { org_domain, organization_id, connection } = scene
    const refused = { status: 403, code: 'insufficient_scope' }
    const directory = { org_domain, provider_type: 'okta' as const }
    const role_mapping = add(ofGroup('a', role))
    await expect(limited.directorySync.create({ ...directory, role_mapping })).rejects.toMatchObject(refused)
    await limited.directorySync.create(directory)
    await expect(limited.directorySync.update({ org_domain, role_mapping })).rejects.toMatchObject(refused)
    const rules = { mode: 'add' as const, rules: [ofValue('a', 'b', role)] }
    await expect(
      limited.ssoConnections.update({ idp_id: connection.idp_id, role_mapping: rules }),
    ).rejects.toMatchObject(refused)
    await expect(
      limited.ssoConnections.create({ organization_id, provider_type: 'okta', role_mapping: rules }),
    ).rejects.toMatchObject(refused)
  })

  test('409: a role that rules name is deleted where that is forced, and goes from them', async () => {
    const [gone, kept] = [await roles.role(), await roles.role()]
    const { org_domain, directory } = await directoryWith(add(ofGroup('a', gone, kept), ofGroup('b', gone)))
    const { scene } = await connectionWith(add(ofValue('a', 'b', gone)))
    const { idp_id } = scene.connection
    const before = await client.directorySync.get({ org_domain })
    expect(before.role_mapping.rules.map(({ roles: names }) => names)).toEqual([
      [gone.name, kept.name],
      [gone.name],
    ])
    await expect(client.roles.delete({ role_id: gone.id })).rejects.toMatchObject({
      status: 409,
      code: 'role_in_use',
      message: expect.stringContaining('rules of mappings: 3'),
    })
    await client.roles.delete({ role_id: gone.id, force: true })
    expect((await client.directorySync.get({ org_domain })).role_mapping.rules).toEqual([
      { group: 'a', roles: [kept.name], matched: false },
    ])
    expect((await client.ssoConnections.get({ idp_id })).role_mapping.rules).toEqual([])
    expect(directory.role_mapping.rules).toHaveLength(2)
  })

  test('are those of one organization and environment', async () => {
    const role = await roles.role()
    const one = await directoryWith(add(ofGroup('Staff', role)))
    const two = await directoryWith(add(ofGroup('Others', role)))
    await two.groups.make({ displayName: 'Staff', members: asMembers([two.user.user_id]) })
    await one.groups.make({ displayName: 'Others', members: asMembers([one.user.user_id]) })
    expect([await namesOf(one.user), await namesOf(two.user)]).toEqual([[], []])
    const production = await service.client({ environment: 'production' })
    const name = anythingNamed('role')
    await roleGivenOf(production).role({ name })
    await expect(
      client.directorySync.update({
        org_domain: one.org_domain,
        role_mapping: add({ group: 'Staff', roles: [name] }),
      }),
    ).rejects.toMatchObject({ fields: [{ code: 'unknown_role' }] })
  })
})

test('an application sees roles of both sources, each once', async () => {
  const [lead, buyer] = [await roles.role(), await roles.role()]
  const { scene, email, org_domain } = await connectionWith(add(ofValue('groups', 'leads', lead)))
  const user = await signIn(scene, email, { groups: 'leads' })
  await roles.give({ org_domain, user_id: user.user_id }, lead, buyer)
  expect(await namesOf(user)).toEqual([buyer.name, lead.name].toSorted())
  const shown = await client.users.get({ ...user, preload_associations: ['roles'] })
  expect('deleted' in shown ? [] : shown.roles).toEqual([buyer.name, lead.name].toSorted())
  expect(await client.roles.get({ role_id: lead.id })).toMatchObject({ users_count: 1 })
})
