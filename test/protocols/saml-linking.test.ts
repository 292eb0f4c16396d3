import { describe, expect, test } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { samlGivenOf, type SamlScene } from '../given/saml-given.js'
import type { Seen } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

async function refusal(scene: SamlScene, landed: Seen) {
  expect(landed.status).toBe(403)
  return (await given.lastTrace(scene)).failed_check
}

function userOf({ org_domain }: SamlScene, user_email: string) {
  return client.users.getByEmail({ org_domain, user_email })
}

describe('a user who is there already', () => {
  test('is linked by their address where the organization has its domain', async () => {
    const domain = `${anything()}.example`
    const scene = await given.scene({}, { allowed_email_domains: [domain] })
    await given.connect(scene, {}, 'idp2')
    const email = `ada@${domain}`
    const { id } = await service.given.user({ org_domain: scene.org_domain, email })
    const { landed } = await given.signIn(scene, { nameId: 'n-1', attributes: { email } })

    expect(isIn(landed)).toBe(true)
    expect(await userOf(scene, email)).toMatchObject({
      id,
      email_verified: true,
      identities: [{ provider: 'saml.okta', data: { saml_nameid: 'n-1' } }],
    })
  })

  test('is linked where the connection may sign in any address', async () => {
    const scene = await given.scene({ other_domains: 'any_address' })
    const { email } = await service.given.user({ org_domain: scene.org_domain })
    expect(isIn((await given.signIn(scene, { nameId: email })).landed)).toBe(true)
  })

  test('is not linked by one of several connections to whose organization no domain belongs', async () => {
    const scene = await given.scene({ other_domains: null })
    await given.connect(scene, {}, 'idp2')
    const { email } = await service.given.user({ org_domain: scene.org_domain })
    const { landed } = await given.signIn(scene, { nameId: email })

    expect(await refusal(scene, landed)).toBe('linking')
    expect((await userOf(scene, email)).identities).toEqual([])
  })

  test('is not linked, nor made beforehand, by a connection whose domains are others', async () => {
    const scene = await given.scene(
      { email_domains: ['one.example'] },
      { allowed_email_domains: ['one.example', 'two.example'] },
    )
    await given.connect(scene, { email_domains: ['two.example'] }, 'idp2')
    const { email } = await service.given.user({
      org_domain: scene.org_domain,
      email: `${anything()}@two.example`,
    })
    const taken = await given.signIn(scene, { nameId: email })
    expect(await refusal(scene, taken.landed)).toBe('linking')

    const nobody = `${anything()}@two.example`
    const made = await given.signIn(scene, { nameId: nobody })
    expect(await refusal(scene, made.landed)).toBe('linking')
    await expect(userOf(scene, nobody)).rejects.toThrow()
  })

  test('keeps nothing of who had claimed the address before: no password, no session', async () => {
    const scene = await given.scene()
    await client.password.createConnection({ org_domain: scene.org_domain })
    const user = await service.given.user({ org_domain: scene.org_domain })
    await given.flows.passwords.set({ ...scene, user })
    // An unverified address.
    const { org_domain } = scene
    const claimed = await client.users.update({ org_domain, user_id: user.id, email: anyEmail() })
    const of = { ...scene, user: claimed }
    const { visitor: claimant } = await given.flows.signIn(of)
    await given.signIn(scene, { nameId: claimed.email })

    const again = await claimant.visit(given.flows.authorizeUrl(scene))
    expect(isIn(again)).toBe(false)
    const { landed } = await given.flows.signIn(of)
    expect(isIn(landed)).toBe(false)
  })
})

describe('whom a connection lets in', () => {
  test('whoever is in the directory, where the policy is user_registered', async () => {
    const scene = await given.scene({ user_security_type: 'user_registered' })
    const stranger = await given.signIn(scene, { nameId: anyEmail() })
    expect(await refusal(scene, stranger.landed)).toBe('user_policy')
    const { email } = await service.given.user({ org_domain: scene.org_domain })
    expect(isIn((await given.signIn(scene, { nameId: email })).landed)).toBe(true)
  })

  test('nobody whom directory sync has not brought, where the policy is user_provisionned', async () => {
    const scene = await given.scene({ user_security_type: 'user_provisionned' })
    const { email } = await service.given.user({ org_domain: scene.org_domain })
    for (const nameId of [anyEmail(), email])
      expect(await refusal(scene, (await given.signIn(scene, { nameId })).landed)).toBe('user_policy')
  })

  test('no inactive user, whatever the policy', async () => {
    for (const user_security_type of ['none', 'user_registered'] as const) {
      const scene = await given.scene({ user_security_type })
      const { email, id } = await service.given.user({ org_domain: scene.org_domain })
      await given.signIn(scene, { nameId: email })
      await client.users.update({ org_domain: scene.org_domain, user_id: id, active: false })
      expect(await refusal(scene, (await given.signIn(scene, { nameId: email })).landed)).toBe('user_active')
    }
  })

  test('no address of a domain that the organization does not allow', async () => {
    const scene = await given.scene({}, { allowed_email_domains: [`${anything()}.example`] })
    const { landed } = await given.signIn(scene, { nameId: 'ada@elsewhere.example' })
    expect(await refusal(scene, landed)).toBe('email_domain')
  })

  test('nobody without an address', async () => {
    const scene = await given.scene()
    const { landed } = await given.signIn(scene, { nameId: 'n-1', attributes: { email: 'nothing' } })
    expect(await refusal(scene, landed)).toBe('email')
  })

  test('nobody for an application that does not allow the address any more', async () => {
    const { scene, visitor, requestId } = await given.atIdentityProvider()
    await client.applications.update({
      org_domain: scene.org_domain,
      client_id: scene.application.client_id,
      allowed_redirect_urls: ['https://store.example/other'],
    })
    const response = scene.idp.respond({ ...scene.connection, requestId })
    const landed = await given.comeBack(scene, visitor, response)
    expect(await refusal(scene, landed)).toBe('destination_application')
    expect((await client.users.list({ org_domain: scene.org_domain })).total).toBe(0)
  })

  test('the same person once, of two first sign-ins at the same time', async () => {
    const scene = await given.scene()
    const nameId = anyEmail()
    const both = await Promise.all([given.signIn(scene, { nameId }), given.signIn(scene, { nameId })])
    expect(both.map(({ landed }) => isIn(landed))).toEqual([true, true])
    expect((await client.users.list({ org_domain: scene.org_domain })).total).toBe(1)
  })
})
