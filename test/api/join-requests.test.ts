import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { joiningGivenOf } from '../given/joining-given.js'
import { roleGivenOf } from '../given/role-given.js'

const service = await startService()
const client = await service.client()
const given = joiningGivenOf(service, client)
const roles = roleGivenOf(client)
const daySeconds = 24 * 60 * 60

const refusalOf = async (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => 'none',
    (error: unknown) => (error as { code?: string }).code,
  )

describe('a join request', () => {
  test('is decided once, by whoever is first', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const { id: join_request_id } = await given.ask(scene)
    const decide = (index: number) =>
      refusalOf(client.joinRequests[index % 2 === 0 ? 'approve' : 'deny']({ org_domain, join_request_id }))

    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => decide(index)))

    expect(outcomes.filter((outcome) => outcome === 'none')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'join_request_decided')).toHaveLength(7)
    expect(await given.eventsOf(scene)).toHaveLength(2)
  })

  test('is approved with roles in place of those of the policy, by a key that may give them', async () => {
    const [one, other] = [await roles.role(), await roles.role()]
    const scene = await given.scene({ join_by_domain: 'request', join_roles: [one.name] })
    const { org_domain } = scene
    const { id: join_request_id } = await given.ask(scene)
    const limited = await service.client({ scopes: ['write:memberships'] })
    const withRoles = { org_domain, join_request_id, roles: [other.name] }
    expect(await refusalOf(limited.joinRequests.approve(withRoles))).toBe('insufficient_scope')

    const { user_id } = await client.joinRequests.approve(withRoles)

    const held = await client.roles.getUserRoles({ org_domain, user_id: user_id ?? '' })
    expect(held.roles).toEqual([other.name])
  })

  test('is refused where the domain of the address is no longer the organization’s, and stays pending', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const { id: join_request_id } = await given.ask(scene)
    await client.domains.delete({ org_domain, domain_id: scene.domain_id })

    expect(await refusalOf(client.joinRequests.approve({ org_domain, join_request_id }))).toBe(
      'join_not_allowed',
    )
    expect(await client.joinRequests.get({ org_domain, join_request_id })).toMatchObject({ state: 'pending' })
  })

  test('is refused without a seat, and is over where a user has the address', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const { id: join_request_id, email } = await given.ask(scene)
    const decide = (verb: 'approve' | 'deny') =>
      refusalOf(client.joinRequests[verb]({ org_domain, join_request_id }))
    await client.organizationPolicy.update({ org_domain, seats_limit: 1 })
    expect(await decide('approve')).toBe('seats_exhausted')
    await client.organizationPolicy.update({ org_domain, seats_limit: 0 })
    await service.given.user({ org_domain, email })

    expect(await client.joinRequests.get({ org_domain, join_request_id })).toMatchObject({ state: 'expired' })
    expect((await client.joinRequests.list({ org_domain, state: 'pending' })).data).toEqual([])
    expect([await decide('approve'), await decide('deny')]).toEqual(Array(2).fill('join_request_decided'))
    expect(await given.eventsOf(scene)).toEqual(['create.success'])
    await service.clock.advance(60 * 60)
    await service.runJobs()
    expect(await given.eventsOf(scene)).toEqual(['create.success', 'expire.success'])
  })

  test('expires after 30 days, by the clock and then by an event', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const { id: join_request_id } = await given.ask(scene)
    await service.clock.advance(30 * daySeconds - 60)
    expect(await client.joinRequests.get({ org_domain, join_request_id })).toMatchObject({ state: 'pending' })
    await service.clock.advance(60)

    expect(await client.joinRequests.get({ org_domain, join_request_id })).toMatchObject({ state: 'expired' })
    expect((await client.joinRequests.list({ org_domain, state: 'expired' })).data).toHaveLength(1)
    expect(await refusalOf(client.joinRequests.approve({ org_domain, join_request_id }))).toBe(
      'join_request_decided',
    )
    await service.runJobs()
    expect(await given.eventsOf(scene)).toEqual(['create.success', 'expire.success'])
  })

  test('is nobody’s of another organization or environment', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const production = await service.client({ environment: 'production' })
    const { id: join_request_id } = await given.ask(scene)

    const foreign = { org_domain: other.org_domain, join_request_id }
    expect(await refusalOf(client.joinRequests.approve(foreign))).toBe('join_request_not_found')
    const elsewhere = { org_domain: scene.org_domain, join_request_id }
    expect(await refusalOf(production.joinRequests.deny(elsewhere))).toBe('join_request_not_found')
  })
})

test('the roles of a policy are given by a key that may give roles', async () => {
  const { name } = await roles.role()
  const { domain: org_domain } = await service.given.organization()
  const limited = await service.client({ scopes: ['write:memberships', 'read:memberships'] })
  const policy = { org_domain, join_roles: [name] }

  expect(await refusalOf(limited.organizationPolicy.update(policy))).toBe('insufficient_scope')
  const changed = await client.organizationPolicy.update({ ...policy, join_by_domain: 'automatic' })

  expect(changed).toMatchObject({ join_by_domain: 'automatic', join_roles: [name] })
  expect(await limited.organizationPolicy.update({ org_domain, seats_limit: 9 })).toMatchObject({
    join_roles: [name],
  })
  expect(await refusalOf(client.organizationPolicy.update({ org_domain, join_roles: ['nobody'] }))).toBe(
    'invalid_parameters',
  )
})

test('a role that a policy gives to whoever joins is deleted where that is forced, and goes from it', async () => {
  const { id: role_id, name } = await roles.role()
  const { domain: org_domain } = await service.given.organization()
  await client.organizationPolicy.update({ org_domain, join_roles: [name] })

  expect(await refusalOf(client.roles.delete({ role_id }))).toBe('role_in_use')
  await client.roles.delete({ role_id, force: true })

  expect((await client.organizationPolicy.get({ org_domain })).join_roles).toEqual([])
})
