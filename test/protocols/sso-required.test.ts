import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { samlGivenOf } from '../given/saml-given.js'
import { goodPassword } from '../api/password-given.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

/** A user with a password, whose domain the connection of the organization is authoritative for. */
async function givenUser(members: Partial<Parameters<typeof client.domains.update>[0]> = {}) {
  const name = `${anything()}.example`
  const scene = await given.scene({ email_domains: [name] })
  const { org_domain } = scene
  await client.password.createConnection({ org_domain })
  const user = await service.given.user({ org_domain, email: `ada@${name}` })
  await given.flows.passwords.set({ ...scene, user })
  const { data } = await client.domains.list({ org_domain })
  const at = { org_domain, domain_id: data[0]?.id ?? '' }
  const demand = () => client.domains.update({ ...at, sso_required: true, ...members })
  const byPassword = () =>
    client.password.createChallenge({ org_domain, user_email: user.email, plain_text: goodPassword })
  const openSessions = async () => (await client.sessions.list({ org_domain, user_id: user.id })).data
  return { scene, org_domain, name, user, at, demand, byPassword, openSessions }
}

const refused = { status: 403, code: 'sso_required' }

describe('where a domain demands single sign-on', () => {
  test('403: a password, a link and another password are refused', async () => {
    const { org_domain, user, demand, byPassword } = await givenUser()
    expect(await byPassword()).toMatchObject({ 'valid?': true })
    await demand()
    await expect(byPassword()).rejects.toMatchObject(refused)
    const of = { org_domain, user_email: user.email }
    await expect(client.magicLink.createChallenge({ ...of, send_email: false })).rejects.toMatchObject(
      refused,
    )
    await expect(
      client.password.createRequest({ ...of, redirect_uri: 'https://store.example/callback' }),
    ).rejects.toMatchObject(refused)
  })

  test('the pages lead to the identity provider', async () => {
    const { scene, user, demand } = await givenUser()
    await demand()
    const { visitor, page } = await given.flows.begin({ ...scene, user })
    const led = await visitor.press(page, 'identify', { email: user.email })
    expect(led.html).toContain('http-equiv="refresh"')
  })

  test('a link and a password of before are dead, and a page that asked for the password is refused', async () => {
    const { scene, org_domain, user, demand } = await givenUser()
    const of = { org_domain, user_email: user.email }
    const { magic_link } = await client.magicLink.createChallenge({ ...of, send_email: false })
    const { request_id } = await client.password.createRequest({
      ...of,
      redirect_uri: 'https://store.example/callback',
    })
    const toPassword = await client.magicLink.createChallenge({ ...of, request_id, send_email: false })
    const { id } = await client.ssoConnections.update({ idp_id: scene.connection.idp_id, active: false })
    expect(id).toBe(scene.connection.idp_id)
    const { visitor, page } = await given.flows.atPassword({ ...scene, user })
    await demand()
    await expect(openMagicLink(magic_link ?? '')).rejects.toThrow()
    await expect(openMagicLink(toPassword.magic_link ?? '')).rejects.toThrow()
    const landed = await visitor.press(page, 'password', { password: goodPassword })
    expect([landed.status, isIn(landed)]).toEqual([403, false])
  })

  test('sessions end that no identity provider has opened, and others stay', async () => {
    const { scene, user, demand, byPassword, openSessions } = await givenUser()
    const amrs = async () => (await openSessions()).map(({ amr }) => amr)
    await byPassword()
    expect(isIn((await given.signIn(scene, { nameId: user.email })).landed)).toBe(true)
    expect(await amrs()).toEqual(expect.arrayContaining([['pwd'], ['sso']]))
    await demand()
    expect(await amrs()).toEqual([['sso']])
  })

  test('a session by password ends at the switch, and when the connection comes later', async () => {
    const now = await givenUser()
    await now.byPassword()
    expect(await now.openSessions()).not.toEqual([])
    await now.demand()
    expect(await now.openSessions()).toEqual([])

    const later = await givenUser()
    const { idp_id } = later.scene.connection
    await client.ssoConnections.update({ idp_id, email_domains: [] })
    await later.demand()
    expect(await later.byPassword()).toMatchObject({ 'valid?': true })
    await client.ssoConnections.update({ idp_id, email_domains: [later.name] })
    expect(await later.openSessions()).toEqual([])
    await expect(later.byPassword()).rejects.toMatchObject(refused)
  })

  test('an exempt address signs in as before, and keeps its session', async () => {
    const { user, at, demand, byPassword, openSessions } = await givenUser()
    await byPassword()
    await demand()
    await client.domains.update({ ...at, sso_exempt_emails: [user.email.toUpperCase()] })
    expect(await byPassword()).toMatchObject({ 'valid?': true })
    await demand()
    expect(await openSessions()).not.toEqual([])
    await client.domains.update({ ...at, sso_exempt_emails: [] })
    expect(await openSessions()).toEqual([])
  })

  test('a connection that is switched off is no way around', async () => {
    const { scene, demand, byPassword } = await givenUser()
    await demand()
    await client.ssoConnections.disable({ idp_id: scene.connection.idp_id })
    await expect(byPassword()).rejects.toMatchObject(refused)
  })

  test('nothing is demanded of other domains, or while the domain does not count', async () => {
    const { org_domain, at, demand, byPassword } = await givenUser()
    const other = await service.given.user({ org_domain, email: `ada@other.example` })
    await demand()
    const link = { org_domain, user_email: other.email, send_email: false }
    expect((await client.magicLink.createChallenge(link)).magic_link).not.toBeNull()
    await service.query("update domains set state = 'lapsed' where id = $1", [at.domain_id])
    expect(await byPassword()).toMatchObject({ 'valid?': true })
  })
})

test('a second factor that was pending at the switch completes nothing', async () => {
  const { org_domain, user, demand, byPassword, openSessions } = await givenUser()
  await given.flows.totp.activate(org_domain)
  const { app } = await given.flows.totp.enroll({ org_domain, user_id: user.id })
  await service.clock.advance(30)
  const { request_id: password_request_id } = await byPassword()
  const of = { org_domain, user_id: user.id }
  await client.totp.createChallenge({ ...of, password_request_id })
  await demand()
  const code = app.codeAt(service.clock.now())
  const answer = await client.totp.validateChallenge({ ...of, code }).catch(() => undefined)
  expect(answer?.code ?? null).toBeNull()
  expect(await openSessions()).toEqual([])
})

test('an exemption is of one address alone', async () => {
  const { org_domain, name, user, demand } = await givenUser({ sso_exempt_emails: ['grace@else.example'] })
  const other = await service.given.user({ org_domain, email: `grace@${name}` })
  const domain = await demand()
  const link = (user_email: string) =>
    client.magicLink.createChallenge({ org_domain, user_email, send_email: false })
  await expect(link(user.email)).rejects.toMatchObject(refused)
  await client.domains.update({ org_domain, domain_id: domain.id, sso_exempt_emails: [other.email] })
  expect((await link(other.email)).magic_link).not.toBeNull()
  await expect(link(user.email)).rejects.toMatchObject(refused)
})
