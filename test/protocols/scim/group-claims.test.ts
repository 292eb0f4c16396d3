import { describe, expect, test } from 'vitest'
import { longDescribe } from '../../sampled.js'
import { answerOf } from '../../given/flow-given.js'
import { startService } from '../../given/harness.js'
import { callback, codeGivenOf, exchange, type Scene } from '../code-given.js'
import { samlGivenOf } from '../../given/saml-given.js'
import { scimUsersGivenOf, userBody, userIn } from './user-given.js'
import { asMembers, groupsOf } from './group-given.js'
import { claimsOf } from '../../given/claims.js'

const service = await startService()
const client = await service.client()
const codes = codeGivenOf(service, client)
const given = scimUsersGivenOf(client)

/** A user of a directory who may sign in. */
async function scene() {
  const { org_domain, application } = await codes.scene()
  const provided = await given.directory({ org_domain, provider_type: 'entra_id' })
  const made = await given.user(provided.scim, { externalId: 'E-1', email: `ada@${org_domain}.example` })
  const user = await client.users.get({ org_domain, user_id: made.id })
  if ('deleted' in user) throw new Error('the user is deleted')
  return { ...provided, org_domain, application, user, groups: groupsOf(provided.scim) }
}

async function tokensOf(of: Scene) {
  const code = await codes.code(of)
  const { body } = await exchange(service, { code, client_id: of.application.id, redirect_uri: callback })
  return [claimsOf(body.access_token ?? ''), claimsOf(body.id_token ?? '')]
}

describe('groups of a user', () => {
  test('are in both tokens and in the record, and the directory is an identity', async () => {
    const of = await scene()
    const members = asMembers([of.user.id])
    const ops = await of.groups.make({ displayName: 'Operations', members })
    const dev = await of.groups.make({ displayName: 'Development', members })
    await of.groups.make({ displayName: 'Others' })

    expect(await client.users.get({ org_domain: of.org_domain, user_id: of.user.id })).toMatchObject({
      groups: [
        { id: dev.id, display_name: 'Development' },
        { id: ops.id, display_name: 'Operations' },
      ],
      identities: [
        {
          __type__: 'Identity',
          id: null,
          idp_id: of.directory.id,
          provider: 'scim.entra_id',
          authenticated_at: null,
          data: { external_id: 'E-1', user_name: of.user.email },
        },
      ],
    })
    for (const claims of await tokensOf(of))
      expect(claims).toMatchObject({ groups: ['Development', 'Operations'] })
  })

  test('are on a page of users those of each, as are its identities and metadata', async () => {
    const { org_domain, scim, groups, user: ada } = await scene()
    const { name } = await service.given.metaKey({ org_domain })
    const grace = await given.user(scim, { externalId: 'E-2' })
    const nobody = await service.given.user({ org_domain })
    await client.users.update({ org_domain, user_id: ada.id, metadata: [{ key: name, value: 'first' }] })
    await client.users.update({ org_domain, user_id: nobody.id, metadata: [{ key: name, value: 'last' }] })
    await groups.make({ members: asMembers([ada.id, grace.id]) })
    await groups.make({ members: asMembers([grace.id]) })

    const pages = await Promise.all(
      [{}, { page: 2, per_page: 1 }, { sort: 'email' }].map((of) => client.users.list({ org_domain, ...of })),
    )
    const everyone = pages[0]?.data.map(({ id }) => id) ?? []
    const records = await Promise.all(everyone.map((user_id) => client.users.get({ org_domain, user_id })))

    expect(everyone).toEqual(expect.arrayContaining([ada.id, grace.id, nobody.id]))
    expect(pages.map(({ total, data }) => [total, data.length])).toEqual([
      [everyone.length, everyone.length],
      [everyone.length, 1],
      [everyone.length, everyone.length],
    ])
    for (const { data } of pages) expect(records).toEqual(expect.arrayContaining(data))
  })

  test('are gone from the next tokens when the user leaves them', async () => {
    const of = await scene()
    const { id } = await of.groups.make({ members: asMembers([of.user.id]) })
    await of.groups.patch(id, { op: 'remove', path: `members[value eq "${of.user.id}"]` })

    for (const claims of await tokensOf(of)) expect(claims).not.toHaveProperty('groups')
    expect(await client.users.get({ org_domain: of.org_domain, user_id: of.user.id })).toMatchObject({
      groups: [],
    })
  })

  test('are gone with the directory, and the identity with them', async () => {
    const of = await scene()
    await of.groups.make({ members: asMembers([of.user.id]) })
    await client.directorySync.delete({ org_domain: of.org_domain })

    expect(await client.users.get({ org_domain: of.org_domain, user_id: of.user.id })).toMatchObject({
      groups: [],
      identities: [],
    })
  })

  test('are not those of a deleted user: the group forgets them', async () => {
    const of = await scene()
    const { id } = await of.groups.make({ members: asMembers([of.user.id]) })
    await client.users.delete({ org_domain: of.org_domain, user_id: of.user.id })

    expect(await of.groups.memberIds(id)).toEqual([])
  })
})

longDescribe('an SSO connection for users whom a directory has made', () => {
  test('lets in these, as long as the directory is active, and nobody else', async () => {
    const saml = samlGivenOf(service, client)
    const sso = await saml.scene({ user_security_type: 'user_provisionned' })
    const { org_domain } = sso
    const { scim } = await given.directory({ org_domain })
    const { email: ordinary } = await service.given.user({ org_domain })
    const { userName: provisioned } = userIn(await scim('POST', '/Users', { body: userBody() }))
    const outcome = async (nameId: string) => {
      const { landed } = await saml.signIn(sso, { nameId })
      return landed.status === 403 ? (await saml.lastTrace(sso)).failed_check : answerOf(landed).has('code')
    }

    expect(await outcome(ordinary)).toBe('user_policy')
    expect(await outcome(provisioned)).toBe(true)
    await client.directorySync.update({ org_domain, active: false })
    expect(await outcome(provisioned)).toBe('user_policy')
    await client.directorySync.update({ org_domain, active: true })
    expect(await outcome(provisioned)).toBe(true)
    await client.directorySync.delete({ org_domain })
    expect(await outcome(provisioned)).toBe('user_policy')
  })
})
