import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { isIn } from '../given/flow-given.js'
import { samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { scimProvider } from '../given/scim-given.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

const department = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/department'
const rules = [
  { from: 'Department', to: 'metadata.department' },
  { from: 'level', to: 'metadata.level' },
  { from: 'teams', to: 'metadata.teams' },
  { from: 'site', to: 'profile.website' },
]

/** A connection with rules. */
async function mapped(update_user_new_connection = true) {
  const scene = await given.scene({ email_domains: ['corp.example'] })
  const { org_domain, connection } = scene
  await service.given.metaKey({ org_domain, name: 'department' })
  await service.given.metaKey({ org_domain, name: 'level', type: 'integer' })
  await service.given.metaKey({ org_domain, name: 'teams', type: 'json' })
  const { idp_id } = connection
  await client.ssoConnections.update({ idp_id, attribute_mapping: rules, update_user_new_connection })
  return { scene, org_domain, idp_id }
}

async function signIn(
  scene: SamlScene,
  attributes: Record<string, string | string[]>,
  nameId = 'ada@corp.example',
) {
  const { landed } = await given.signIn(scene, { nameId, attributes })
  expect(isIn(landed)).toBe(true)
  const user = await client.users.getByEmail({ org_domain: scene.org_domain, user_email: nameId })
  const metadata = Object.fromEntries(user.metadata.map(({ key, value }) => [key.name, value]))
  return { user, metadata, website: user.profile.website }
}

describe('what an identity provider says', () => {
  test('is in metadata and profile of who signs in for the first time, and follows at each sign-in', async () => {
    const { scene, org_domain } = await mapped()
    const first = await signIn(scene, {
      [department]: 'Engines',
      level: '7',
      teams: ['a', 'b'],
      site: 'https://ada.example',
    })
    expect(first.metadata).toEqual({ department: 'Engines', level: '7', teams: '["a","b"]' })
    expect(first.website).toBe('https://ada.example')
    const { data } = await client.events.list({ limit: 1000 })
    const created = data.find(
      ({ code, __domain__ }) => code === 'user.user.create.success' && __domain__ === org_domain,
    )
    expect(JSON.stringify(created?.data)).toContain('"value":"Engines"')

    const second = await signIn(scene, { [department]: 'Looms', teams: 'c' })
    expect(second.metadata).toEqual({ department: 'Looms', teams: '"c"' })
    expect(second.website).toBeNull()
    expect(second.user.updated_at).not.toBe(first.user.updated_at)
    const changes = async () => {
      const { data } = await client.events.list({ limit: 1000 })
      return data.filter(
        ({ code, __domain__ }) => code === 'user.user.update.success' && __domain__ === org_domain,
      )
    }
    const before = await changes()
    await signIn(scene, { [department]: 'Looms', teams: 'c' })
    expect(await changes()).toHaveLength(before.length)
  })

  test('stays as at the first sign-in without update_user_new_connection', async () => {
    const { scene } = await mapped(false)
    await signIn(scene, { [department]: 'Engines' })
    const { metadata } = await signIn(scene, { [department]: 'Looms' })
    expect(metadata).toEqual({ department: 'Engines' })
  })

  test('that does not fit is left out, and the account is told', async () => {
    const { scene, org_domain, idp_id } = await mapped()
    const { metadata, website } = await signIn(scene, {
      [department]: 'x'.repeat(2001),
      level: 'seven',
      site: 'javascript:alert(1)',
    })
    expect([metadata, website]).toEqual([{}, null])
    const { data } = await client.logEvents.list({ org_domain, code: 'ATTRIBUTE_NOT_MAPPED' })
    expect(data).toMatchObject([
      {
        reason: 'metadata.department metadata.level profile.website',
        saml_identity_provider_id: idp_id,
      },
    ])
  })

  test('comes after what the directory says, and before the API', async () => {
    const { scene, org_domain } = await mapped()
    const { auth_secret_token, scim_base_url } = await client.directorySync.create({
      org_domain,
      provider_type: 'custom_scim',
      attribute_mapping: [
        { from: 'title', to: 'metadata.department' },
        { from: 'userType', to: 'profile.website' },
      ],
    })
    const provider = scimProvider(scim_base_url, auth_secret_token.value ?? '')
    const nameId = 'ada@corp.example'
    await provider('POST', '/Users', {
      body: {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName: nameId,
        title: 'Countess',
        userType: 'https://directory.example',
      },
    })
    const said = { [department]: 'Engines', level: '7', site: 'https://idp.example' }
    const { user, metadata, website } = await signIn(scene, said)
    expect(metadata).toEqual({ department: 'Countess', level: '7' })
    expect(website).toBe('https://directory.example')
    await client.users.addMetadata({ org_domain, user_id: user.id, key: 'level', value: '8' })
    expect((await signIn(scene, said)).metadata).toEqual({ department: 'Countess', level: '7' })
  })
})

test('422: a connection refuses rules to one target, to an unknown key and to no claim', async () => {
  const { idp_id } = await mapped()
  const attribute_mapping = [
    { from: 'a', to: 'metadata.department' },
    { from: 'b', to: 'metadata.department' },
    { from: 'c', to: 'metadata.other' },
    { from: 'd', to: 'profile.email' },
  ]
  await expect(client.ssoConnections.update({ idp_id, attribute_mapping })).rejects.toMatchObject({
    status: 422,
    fields: [
      { path: 'attribute_mapping.1.to', code: 'repeated' },
      { path: 'attribute_mapping.2.to', code: 'unknown_meta_key' },
      { path: 'attribute_mapping.3.to', code: 'unknown_claim' },
    ],
  })
  expect((await client.ssoConnections.get({ idp_id })).attribute_mapping).toEqual(rules)
})
