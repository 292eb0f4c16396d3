import type { Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { claimsOf } from '../given/claims.js'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { roleGivenOf } from '../given/role-given.js'
import { codeGivenOf, exchange, type CodeGiven, type Scene } from './code-given.js'
import { refreshGivenOf } from './refresh-given.js'

const service = await startService()
let client: Client
let roles: ReturnType<typeof roleGivenOf>
let codes: CodeGiven
beforeAll(async () => {
  client = await service.client()
  roles = roleGivenOf(client)
  codes = codeGivenOf(service, client)
})

const userOf = ({ org_domain, user }: Scene) => ({ org_domain, user_id: user.id })
const signedIn = async (scene: Scene) => {
  const { body } = await exchange(service, { code: await codes.code(scene) })
  const token = body.access_token ?? ''
  return { token, access: claimsOf(token), id: claimsOf(body.id_token) }
}

async function userInfoOf({ org_domain }: Scene, token: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${service.baseUrl}/t/${org_domain}/userinfo`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const body: Record<string, unknown> = await answer.json()
  return body
}

describe('tokens', () => {
  test('carry the roles and what they allow, as it is at each exchange and refresh', async () => {
    const refreshes = refreshGivenOf(service, codes)
    const scene = await codes.scene()
    const one = await roles.roleWith(2)
    const other = await roles.roleWith(1, { organization_domain_scope: scene.org_domain })
    await roles.give(userOf(scene), one, other)
    const names = [one.name, other.name].toSorted()
    const permissions = [...one.permissions, ...other.permissions].toSorted()

    const first = await refreshes.tokens(scene)
    expect(claimsOf(first.accessToken)).toMatchObject({ roles: names, permissions })
    expect(claimsOf(first.idToken)).toMatchObject({ roles: names })
    expect(claimsOf(first.idToken)).not.toHaveProperty('permissions')
    expect(await userInfoOf(scene, first.accessToken)).toMatchObject({ roles: names })

    await roles.give(userOf(scene), other)
    await client.roles.update({ role_id: other.id, permissions: [] })
    const second = await refreshes.refresh(scene, first.refreshToken)
    expect(claimsOf(second.accessToken)).toMatchObject({ roles: [other.name] })
    expect(claimsOf(second.accessToken)).not.toHaveProperty('permissions')
    expect(await userInfoOf(scene, first.accessToken)).toMatchObject({ roles: [other.name] })

    await roles.give(userOf(scene))
    const third = await refreshes.refresh(scene, second.refreshToken)
    expect(claimsOf(third.accessToken)).not.toHaveProperty('roles')
    expect(await userInfoOf(scene, third.accessToken)).not.toHaveProperty('roles')
  })

  test('of an organization carry them from the first on, and as soon as the account has any', async () => {
    const owner = await service.client({ account: await service.createAccount() })
    const own = codeGivenOf({ given: givenOf(owner) }, owner)
    const scene = await own.scene()
    const issuer = { path: `/t/${scene.org_domain}/oauth/token` }
    const { client_id } = scene.application
    const rolesNow = async () => {
      const code = await own.code(scene, { application_id: scene.application.id })
      const { body } = await exchange(service, { code, client_id }, issuer)
      return claimsOf(body.access_token ?? '')['roles']
    }

    expect(await rolesNow()).toBeUndefined()
    const ownRoles = roleGivenOf(owner)
    const role = await ownRoles.role()
    await ownRoles.give(userOf(scene), role)
    expect([await rolesNow(), await rolesNow()]).toEqual([[role.name], [role.name]])
    await ownRoles.give(userOf(scene))
    expect(await rolesNow()).toBeUndefined()
  })

  test('carry what the prefixes of their application name', async () => {
    const scene = await codes.scene()
    const { client_id } = scene.application
    const role = await roles.roleWith(2)
    const plain = await roles.role()
    await roles.give(userOf(scene), role, plain)
    const prefixed = async (permission_prefixes: string[]) => {
      const { org_domain } = scene
      await client.applications.update({ org_domain, client_id, permission_prefixes })
      const { token, access } = await signedIn(scene)
      return [access['roles'], access['permissions'], (await userInfoOf(scene, token))['roles']]
    }
    const [first = ''] = role.permissions
    const both = [role.name, plain.name].toSorted()

    expect(await prefixed([first])).toEqual([both, [first], both])
    expect(await prefixed(['nothing:'])).toEqual([[plain.name], undefined, [plain.name]])
    expect(await prefixed([])).toEqual([[plain.name], undefined, [plain.name]])
  })

  longTest('say that they omit what is too much for them; userinfo and the evaluation know all', async () => {
    const scene = await codes.scene()
    const role = await roles.roleWith(101)
    await roles.give(userOf(scene), role)

    const { access, token } = await signedIn(scene)

    expect(access).toMatchObject({ roles: [role.name], permissions_omitted: true })
    expect(access).not.toHaveProperty('permissions')
    const { org_domain, user } = scene
    const asked = {
      org_domain,
      subject: { type: 'user' as const, id: user.id },
      action: { name: role.permissions[100] ?? '' },
    }
    expect(await client.accessEvaluation.evaluate(asked)).toMatchObject({ decision: true })
    expect(await userInfoOf(scene, token)).toMatchObject({ roles: [role.name] })
  })

  test('carry no role of the other environment, and none that metadata pretend', async () => {
    const scene = await codes.scene()
    const { org_domain, user } = scene
    const production = await service.client({ environment: 'production' })
    await roleGivenOf(production).role({ is_default: true })
    for (const key of ['roles', 'permissions']) {
      await service.given.metaKey({ org_domain, name: key })
      await client.users.addMetadata({ org_domain, user_id: user.id, key, value: 'owner' })
    }

    const { access, id } = await signedIn(scene)

    for (const claims of [access, id]) {
      expect(claims).not.toHaveProperty('roles')
      expect(claims).not.toHaveProperty('permissions')
      expect(claims['meta_data']).toEqual({ roles: 'owner', permissions: 'owner' })
    }
  })

  test('have the default role of users without another, which a sample shows as well', async () => {
    const account = await service.createAccount()
    const own = await service.client({ account })
    const { domain: org_domain } = await own.organizations.create({ name: 'Awesome company' })
    const { id: user_id } = await own.users.create({ org_domain, email: 'ada@people.example' })
    const givens = roleGivenOf(own)
    const { name, permissions } = await givens.roleWith(1, { is_default: true })
    const sampled = async (query: object) => {
      const sample = await own.tokenCustomization.sample({ org_domain, ...query })
      return [claimsOf(sample.access_token_jwt), claimsOf(sample.id_token_jwt)]
    }

    expect(await sampled({ user_id })).toMatchObject([{ roles: [name], permissions }, { roles: [name] }])
    expect(await sampled({})).toMatchObject([
      { roles: ['billing_admin'], permissions: ['invoices:read', 'invoices:write'] },
      { roles: ['billing_admin'] },
    ])
  })
})
