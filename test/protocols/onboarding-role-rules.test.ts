import { describe, expect, test } from 'vitest'
import type { Role } from '@portico/sdk'
import { startService } from '../given/harness.js'
import { onboardingGivenOf } from '../given/onboarding-given.js'
import { roleGivenOf } from '../given/role-given.js'
import { scimGivenOf } from '../given/scim-given.js'
import type { Seen } from '../given/visitor.js'
import { longTest } from '../sampled.js'

const service = await startService()
const client = await service.client()
const given = onboardingGivenOf(service, client)
const scim = scimGivenOf(client)
const roles = roleGivenOf(client)

const path = '/onboarding/directory-sync/sandbox'

type Rules = NonNullable<Parameters<typeof client.directorySync.update>[0]['role_mapping']>['rules']

/** The browser of an administrator at the page of a directory whose rules the account has written. */
async function onPage({ rules = [], ...members }: { rules?: Rules; mode?: 'add' | 'authoritative' } = {}) {
  const scene = await given.invitedToAll(0)
  const { org_domain } = scene
  const directory = await scim.directory({ org_domain })
  if (rules.length > 0)
    await client.directorySync.update({ org_domain, role_mapping: { mode: 'add', ...members, rules } })
  const { visitor } = await given.arrived(scene)
  const page = () => visitor.visit(path)
  return {
    ...scene,
    ...directory,
    visitor,
    page,
    add: async (group: string, ...chosen: readonly Role[]) =>
      visitor.send(await page(), 'add_rule', { group, roles: chosen.map(({ name }) => name) }),
    rules: async () => (await client.directorySync.get({ org_domain })).role_mapping.rules,
  }
}

/** A role that administrators may give. */
function openRole(members: Parameters<typeof roles.role>[0] = {}): Promise<Role> {
  return roles.role({ assignable_by_admins: true, ...members })
}

function statusOf({ status }: Seen): number {
  return status
}

describe('an administrator maps the groups of the directory to roles', () => {
  test('by a rule for a group, which gives its members the role, and an event tells who has made it', async () => {
    const role = await openRole({ display_name: 'Invoice clerk' })
    const of = await onPage()
    const user = await of.scim('POST', '/Users', { body: { userName: 'ada@corp.example' } })
    const { id: user_id } = user.body as { id: string }
    await of.scim('POST', '/Groups', { body: { displayName: 'Finance', members: [{ value: user_id }] } })
    const { html } = await of.page()
    expect(html).toContain('Invoice clerk')
    expect(html).toContain('<li>Finance</li>')
    const { cursor } = await client.events.list({ after: 'latest' })

    const added = await of.add('finance', role)

    expect([added.status, added.location]).toEqual([303, `${path}?ui_locales=en`])
    expect(await of.rules()).toEqual([{ group: 'finance', roles: [role.name], matched: true }])
    expect(await client.roles.getUserRoles({ org_domain: of.org_domain, user_id })).toMatchObject({
      roles: [role.name],
    })
    const { data } = await client.events.list({ after: cursor })
    const { id } = (await given.adminOf(of)) ?? {}
    expect(data).toMatchObject([
      { code: 'dir_sync.directory.update.success', actor: { type: 'admin', id }, data: { role_mapping: {} } },
    ])
    const french = await of.visitor.visit(`${path}?ui_locales=fr`)
    expect(french.html).toContain('Rôles par groupe')
    expect((await of.visitor.press(await of.page(), 'remove_rule')).html).toContain('There are no rules yet')
    expect(await of.rules()).toEqual([])
  })

  test('with a role of the organization, beside rules and the mode that are there', async () => {
    const [kept, one] = [await roles.role(), await openRole()]
    const of = await onPage({
      mode: 'authoritative',
      rules: [
        { group: 'Board', roles: [kept.name, one.name] },
        { attribute: 'entitlements', value: 'x', roles: [one.name] },
      ],
    })
    const own = await openRole({ organization_domain_scope: of.org_domain })
    expect(statusOf(await of.add(' Support ', one, own))).toBe(303)
    expect((await client.directorySync.get({ org_domain: of.org_domain })).role_mapping).toEqual({
      mode: 'authoritative',
      rules: [
        { group: 'Board', roles: [kept.name, one.name], matched: false },
        { attribute: 'entitlements', value: 'x', roles: [one.name] },
        { group: 'Support', roles: [one.name, own.name], matched: false },
      ],
    })
    expect(statusOf(await of.visitor.send(await of.page(), 'remove_rule', { rule: '1' }))).toBe(303)
    expect((await of.rules()).map(({ group }) => group)).toEqual(['Board', 'Support'])
  })

  test('with no role that is closed, of another organization, or not there', async () => {
    const { domain: elsewhere } = await service.given.organization()
    const of = await onPage()
    const open = await openRole()
    const closed = await roles.role({ display_name: 'The owner of it all' })
    const foreign = await openRole({ organization_domain_scope: elsewhere })
    const { html } = await of.page()
    for (const role of [closed, foreign]) expect(html).not.toContain(role.name)

    for (const role of [closed, foreign, { ...open, name: 'no_such_role' }]) {
      const refused = await of.add('Finance', open, role)
      expect([refused.status, refused.html.includes('you cannot give or take away this role')]).toEqual([
        403,
        true,
      ])
    }
    expect(await of.rules()).toEqual([])
    const page = await of.page()
    await client.roles.update({ role_id: open.id, assignable_by_admins: false })
    expect((await of.page()).html).not.toContain(open.name)
    const late = await of.visitor.send(page, 'add_rule', { group: 'Finance', roles: open.name })
    expect(statusOf(late)).toBe(403)
  })

  test('and removes no rule of another role, which is shown', async () => {
    const [closed, open] = [await roles.role({ display_name: 'Owner of it all' }), await openRole()]
    const of = await onPage({
      rules: [
        { group: 'Board', roles: [closed.name] },
        { group: 'Mixed', roles: [open.name, closed.name] },
      ],
    })
    const page = await of.page()
    expect(page.html).toContain('Owner of it all')
    expect(page.html).toContain('Only the people who invited you can change this rule')
    expect(page.html).not.toContain('value="remove_rule"')
    const [, version = ''] = /name="version" value="(\d+)"/.exec(page.html) ?? []
    for (const rule of ['0', '1'])
      expect(statusOf(await of.visitor.send(page, 'remove_rule', { rule, version }))).toBe(403)
    expect(await of.rules()).toHaveLength(2)
  })

  test('422: with the name of a group, and one to five roles', async () => {
    const of = await onPage()
    const open: Role[] = []
    for (let made = 0; made < 6; made++) open.push(await openRole())
    for (const [group, chosen, told] of [
      ['', open.slice(0, 1), 'Enter the name of a group'],
      ['x'.repeat(401), open.slice(0, 1), 'Enter the name of a group'],
      ['a\0b', open.slice(0, 1), 'Enter the name of a group'],
      ['Finance', [], 'Choose a role.'],
      ['Finance', open, 'Choose up to five roles.'],
    ] as const) {
      const refused = await of.add(group, ...chosen)
      expect([refused.status, refused.html.includes(told)]).toEqual([422, true])
    }
    expect(await of.rules()).toEqual([])
  })

  test('as the page showed them: what has changed since, or is sent again, changes nothing', async () => {
    const [open, closed] = [await openRole(), await roles.role()]
    const of = await onPage({ rules: [{ group: 'Support', roles: [open.name] }] })
    const { org_domain } = of
    const page = await of.page()
    const rules = [
      { group: 'Board', roles: [closed.name] },
      { group: 'Support', roles: [open.name] },
    ]
    await client.directorySync.update({ org_domain, role_mapping: { mode: 'add', rules } })

    const stale = await of.visitor.send(page, 'remove_rule')
    expect([stale.status, stale.html.includes('Something has changed')]).toEqual([409, true])
    const [, shown = ''] = /name="version" value="(\d+)"/.exec(page.html) ?? []
    const add = (version: string) =>
      of.visitor.send(page, 'add_rule', { group: 'Finance', roles: [open.name], version })
    for (const version of [shown, String(Number(shown) + 2), '', '-1', '1e3'])
      expect(statusOf(await add(version))).toBe(409)
    const sent = await of.page()
    const fields = { group: 'Finance', roles: [open.name] }
    const answers = await Promise.all([1, 2, 3].map(() => of.visitor.send(sent, 'add_rule', fields)))
    expect(answers.map(statusOf).toSorted()).toEqual([303, 409, 409])
    expect((await of.rules()).map(({ group }) => group)).toEqual(['Board', 'Support', 'Finance'])
    expect(statusOf(await of.visitor.send(await of.page(), 'remove_rule', { rule: '7' }))).toBe(409)
  })

  test('in environments that the invitation reaches, with an invitation to the organization', async () => {
    const open = await openRole()
    const scene = await given.invited()
    const { visitor } = await given.arrived(scene)
    await scim.directory({ org_domain: scene.org_domain })
    const done = await visitor.visit(`/onboarding/${scene.connection.idp_id}/provider`)
    const form = { ...done, html: done.html.replaceAll(/ action="[^"]*"/g, ` action="${path}"`) }
    const fields = { group: 'Finance', roles: [open.name], version: '1' }
    expect(statusOf(await visitor.send(form, 'add_rule', fields))).toBe(404)

    const of = await onPage()
    const evil = { origin: 'https://evil.example' }
    expect(statusOf(await of.visitor.send(await of.page(), 'add_rule', fields, evil))).toBe(403)
    expect(await of.rules()).toEqual([])
  })
})

describe('an administrator maps what the identity provider says to roles', () => {
  /** The browser of an administrator who has set up the one connection that they are invited to. */
  async function atConnection() {
    const scene = await given.invited()
    const { idp_id } = scene.connection
    const { visitor } = await given.arrived(scene)
    await visitor.press(await visitor.visit(`/onboarding/${idp_id}`), 'choose', { provider_type: 'test' })
    return {
      ...{ ...scene, idp_id, visitor, path: `/onboarding/${idp_id}/roles` },
      rules: async () => (await client.ssoConnections.get({ idp_id })).role_mapping.rules,
    }
  }

  test('by a rule for a value of an attribute, beside the rules that are there', async () => {
    const [open, closed] = [await openRole(), await roles.role()]
    const of = await atConnection()
    const kept = { attribute: 'groups', value: 'board', roles: [closed.name] }
    await client.ssoConnections.update({
      idp_id: of.idp_id,
      role_mapping: { mode: 'authoritative', rules: [kept] },
    })
    expect((await of.visitor.visit(`/onboarding/${of.idp_id}/done`)).html).toContain(of.path)
    const { cursor } = await client.events.list({ after: 'latest' })
    const fields = { attribute: 'groups', value: 'finance', roles: open.name }

    const added = await of.visitor.send(await of.visitor.visit(of.path), 'add_rule', fields)

    expect([added.status, added.location]).toEqual([303, `${of.path}?ui_locales=en`])
    const rule = { attribute: 'groups', value: 'finance', roles: [open.name] }
    expect((await client.ssoConnections.get({ idp_id: of.idp_id })).role_mapping).toEqual({
      mode: 'authoritative',
      rules: [kept, rule],
    })
    const { data } = await client.events.list({ after: cursor })
    expect(data).toMatchObject([{ code: 'sso.connection.update.success', actor: { type: 'admin' } }])
    const page = await of.visitor.visit(of.path)
    expect(statusOf(await of.visitor.send(page, 'remove_rule', { rule: '0' }))).toBe(403)
    expect(statusOf(await of.visitor.send(page, 'remove_rule'))).toBe(303)
    expect(await of.rules()).toEqual([kept])
  })

  test('with roles that are open, of an attribute and a value, as the page showed them', async () => {
    const [open, closed] = [await openRole(), await roles.role()]
    const of = await atConnection()
    const page = await of.visitor.visit(of.path)
    const fields = { attribute: 'groups', value: 'finance', roles: open.name }
    const add = async (other: Record<string, string>) =>
      statusOf(await of.visitor.send(page, 'add_rule', { ...fields, ...other }))
    expect(await add({ roles: closed.name })).toBe(403)
    for (const missing of ['attribute', 'value', 'roles']) expect(await add({ [missing]: '' })).toBe(422)
    expect(await add({ version: '7' })).toBe(409)
    expect([await add({}), await add({})]).toEqual([303, 409])
    expect(await of.rules()).toHaveLength(1)
  })

  test('of the connection of the invitation, and no other', async () => {
    const open = await openRole()
    const [mine, other] = [await atConnection(), await given.invited()]
    const theirs = `/onboarding/${other.connection.idp_id}/roles`
    expect((await mine.visitor.visit(theirs)).status).toBe(404)
    const page = await mine.visitor.visit(mine.path)
    const form = { ...page, html: page.html.replaceAll(mine.path, theirs) }
    const fields = { attribute: 'groups', value: 'finance', roles: open.name }
    expect(statusOf(await mine.visitor.send(form, 'add_rule', fields))).toBe(404)
  })
})

longTest('a role that is closed at the same time is given by no rule, or by one that was first', async () => {
  for (let round = 0; round < 10; round++) {
    const open = await openRole()
    const of = await onPage()
    const page = await of.page()
    const { cursor } = await client.events.list({ after: 'latest' })
    const close = client.roles.update({ role_id: open.id, assignable_by_admins: false })
    const [added] = await Promise.all([
      of.visitor.send(page, 'add_rule', { group: 'Finance', roles: [open.name] }),
      close,
    ])
    expect([303, 403]).toContain(added.status)
    const { data } = await client.events.list({ after: cursor })
    const codes = data.map(({ code }) => code)
    expect(codes).toEqual([
      ...(added.status === 303 ? ['dir_sync.directory.update.success'] : []),
      'role.role.update.success',
    ])
  }
})

longTest('at most 200 rules, and 120 changes an hour', async () => {
  const open = await openRole()
  const of = await onPage({
    rules: Array.from({ length: 200 }, (_, index) => ({ group: `Group ${index}`, roles: [open.name] })),
  })
  const full = await of.add('One more', open)
  expect([full.status, full.html.includes('no room for more rules')]).toEqual([409, true])
  const remove = async () => statusOf(await of.visitor.send(await of.page(), 'remove_rule', { rule: '0' }))
  for (let removed = 0; removed < 120; removed++) expect(await remove()).toBe(303)
  expect(await remove()).toBe(429)
})
