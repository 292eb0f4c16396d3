import { describe, expect, test } from 'vitest'
import { goodPassword, isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { invitationGivenOf } from '../given/invitation-given.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { leadOf } from '../given/saml-given.js'
import { socialGivenOf, type SocialScene } from '../given/social-given.js'
import { createVisitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given.flows)
const passkeys = passkeyGivenOf(service, client)
const invitations = invitationGivenOf(service, client)

const anyAddress = () => `person-${anything()}@awesome.example`

/** The identities of the user with an address; undefined where nobody has it. */
async function identitiesOf({ org_domain }: SocialScene, user_email: string) {
  const user = await client.users.getByEmail({ org_domain, user_email }).catch(() => undefined)
  return user?.identities
}

/** A user with a password, in an organization that has passwords and links. */
async function userIn(of: SocialScene) {
  const user = await service.given.user({ org_domain: of.org_domain, email: anyAddress() }, client)
  await given.flows.passwords.set({ ...of, user })
  return user
}

describe('an unknown person', () => {
  test('becomes a user by an address that the provider gives out, and is known the next time', async () => {
    const of = await given.scene()
    const email = anyAddress()

    const first = await given.signIn(of, { subject: email, email })
    expect(isIn(first.landed)).toBe(true)
    const user = await client.users.getByEmail({ org_domain: of.org_domain, user_email: email })
    expect(user).toMatchObject({ email, email_verified: true })

    const again = await given.signIn(of, { subject: email, email: anyAddress(), verified: false })
    expect(isIn(again.landed)).toBe(true)
    const { data: all } = await client.users.list({ org_domain: of.org_domain })
    expect(all).toHaveLength(1)
  })

  test('is let in by nothing where the organization allows no sign-up', async () => {
    const of = await given.scene({ allow_sign_up: false })
    const { landed } = await given.signIn(of, { email: anyAddress() })
    expect([landed.status, isIn(landed)]).toEqual([403, false])
    expect((await given.lastLog(of, 'END_USER_SOCIAL_FAILED'))?.reason).toBe('user_not_found')
  })

  test('who is invited comes in all the same', async () => {
    const of = await given.scene({ allow_sign_up: false })
    const email = anyAddress()
    await client.invitations.create({ org_domain: of.org_domain, email })
    const { landed } = await given.signIn(of, { subject: email, email })
    expect(isIn(landed)).toBe(true)
    const { data } = await client.invitations.list({ org_domain: of.org_domain })
    expect(data[0]).toMatchObject({ state: 'accepted' })
  })

  test('who is invited comes in where the organization has social sign-in alone', async () => {
    const of = await given.scene({ allow_sign_up: false })
    const { org_domain } = of
    await client.password.updateConnection({ org_domain, active: false })
    await client.magicLink.updateConnection({ org_domain, active: false })
    const { invitation, email, url } = await invitations.invited(of, { email: anyAddress() })
    const visitor = createVisitor(service.baseUrl)
    const page = await invitations.open(url, visitor)
    expect(await client.users.getByEmail({ org_domain, user_email: email }).catch(() => undefined)).toBe(
      undefined,
    )
    const asking = await visitor.press(page, 'social', { provider: 'test' })
    const { location } = await visitor.request(leadOf(asking))

    await visitor.visit(await given.answered(visitor, location ?? '', { subject: email, email }))

    expect(await invitations.stateOf(of, invitation)).toBe('accepted')
    expect(await identitiesOf(of, email)).toMatchObject([{ provider: 'social.test' }])
  })

  test('proves an address that the provider does not give out by a code that is mailed to it', async () => {
    const of = await given.scene()
    const email = anyAddress()
    const { landed, visitor } = await given.signIn(of, { subject: email, email, verified: false })
    expect(landed.html).toContain('6\u2011digit code')
    expect(await identitiesOf(of, email)).toBeUndefined()

    const wrong = await visitor.press(landed, 'address_code', { code: '000000' })
    expect([wrong.status, isIn(wrong)]).toEqual([422, false])
    const passed = await visitor.press(landed, 'address_code', { code: await given.codeTo(email) })

    expect(isIn(passed)).toBe(true)
    expect(await identitiesOf(of, email)).toMatchObject([{ provider: 'social.test' }])
  })

  test('names an address where the provider says none', async () => {
    const of = await given.scene()
    const email = anyAddress()
    const { landed, visitor } = await given.signIn(of, { subject: email, fault: 'no_email' })
    const asked = await visitor.press(landed, 'name_address', { email })
    const passed = await visitor.press(asked, 'address_code', { code: await given.codeTo(email) })
    expect(isIn(passed)).toBe(true)
  })

  test('who hides their address becomes a user by the relay address, which is the same the next time', async () => {
    const of = await given.scene()
    const { email } = await userIn(of)
    for (const _ of ['first', 'next']) {
      const { landed } = await given.signIn(of, { subject: email, email, fault: 'private_relay' })
      expect(isIn(landed)).toBe(true)
    }
    const { data } = await client.users.list({ org_domain: of.org_domain })
    const relayed = data.filter((user) => user.email !== email)
    expect(relayed).toMatchObject([{ email_verified: true, identities: [{ provider: 'social.test' }] }])
    expect(relayed[0]?.email).toMatch(/^[0-9a-f]{10}@privaterelay\.example$/)
    expect(await identitiesOf(of, email)).toEqual([])
  })
})

describe('an address that a user has', () => {
  test('is not enough for another account at the provider that has it now', async () => {
    const of = await given.scene()
    const email = anyAddress()
    await given.signIn(of, { subject: email, email })

    const other = await given.signIn(of, { subject: email, email, fault: 'other_subject_same_email' })

    expect(isIn(other.landed)).toBe(false)
    expect(other.landed.html).toContain('You already have an account')
    expect(await identitiesOf(of, email)).toHaveLength(1)
  })

  test('links nobody by the word of the provider, and the user by their password', async () => {
    const of = await given.scene()
    const { email } = await userIn(of)

    const { landed, visitor } = await given.signIn(of, { subject: email, email })
    expect(isIn(landed)).toBe(false)
    expect(landed.html).toContain('You already have an account')
    expect(await identitiesOf(of, email)).toEqual([])

    const wrong = await visitor.press(landed, 'password', { password: 'not the password' })
    expect(wrong.status).toBe(422)
    expect(await identitiesOf(of, email)).toEqual([])

    const linked = await visitor.press(landed, 'password', { password: goodPassword })
    expect(isIn(linked)).toBe(true)
    expect(await identitiesOf(of, email)).toMatchObject([{ provider: 'social.test' }])
    const next = await given.signIn(of, { subject: email, email })
    expect(isIn(next.landed)).toBe(true)
  })

  test('is linked by a link that is opened in the same browser', async () => {
    const of = await given.scene()
    const { email } = await userIn(of)
    const { landed, visitor } = await given.signIn(of, { subject: email, email })
    await visitor.press(landed, 'mail_link')
    const opened = await links.open(await links.newestLinkTo(email), visitor)
    expect(isIn(await visitor.visit(opened.location ?? opened.url))).toBe(true)
    expect(await identitiesOf(of, email)).toMatchObject([{ provider: 'social.test' }])
  })

  test('is not linked to whoever signs in after going back', async () => {
    const of = await given.scene()
    const { email } = await userIn(of)
    const other = await userIn(of)
    for (const user of [other, { email }]) {
      const { landed, visitor } = await given.signIn(of, { subject: email, email })
      const back = await visitor.press(landed, 'change_address')
      const asked = await visitor.press(back, 'identify', { email: user.email })
      const signedIn = await visitor.press(asked, 'password', { password: goodPassword })
      expect(isIn(signedIn)).toBe(true)
      expect(await identitiesOf(of, user.email)).toEqual([])
    }
  })

  test('is linked by a passkey of its user, and not by one of a colleague', async () => {
    const of = await given.scene()
    const user = await userIn(of)
    const colleague = await userIn(of)
    const { held } = await passkeys.withPasskey({ ...of, user })
    const theirs = await passkeys.withPasskey({ ...of, user: colleague })
    const { landed, visitor } = await given.signIn(of, { subject: user.email, email: user.email })
    const wrong = await visitor.press(landed, 'passkey', {
      credential: theirs.held.use(passkeys.asked(landed)),
    })
    expect([wrong.status, isIn(wrong)]).toEqual([422, false])

    const linked = await visitor.press(wrong, 'passkey', { credential: held.use(passkeys.asked(wrong)) })

    expect(isIn(linked)).toBe(true)
    expect(await identitiesOf(of, user.email)).toMatchObject([{ provider: 'social.test' }])
    expect(await identitiesOf(of, colleague.email)).toEqual([])
    await client.passkeys.updateConnection({ org_domain: of.org_domain, first_factor: false })
    const other = await given.signIn(of, { subject: colleague.email, email: colleague.email })
    expect(other.landed.html).not.toContain('data-passkey')
  })

  test('keeps its user in where it is all that is left, as long as it is used', async () => {
    const of = await given.scene()
    const { org_domain } = of
    const user = await userIn(of)
    const linking = await given.signIn(of, { subject: user.email, email: user.email })
    await linking.visitor.press(linking.landed, 'password', { password: goodPassword })
    const { page, visitor } = await passkeys.withPasskey({ ...of, user })
    const [passkey] = await passkeys.passkeysOf({ ...of, user })
    await client.password.updateConnection({ org_domain, active: false })
    await client.magicLink.updateConnection({ org_domain, active: false })
    await client.socialConnection.update({ org_domain, active: false })
    const refused = await visitor.press(page, 'remove', { passkey_id: passkey?.id ?? '' })
    expect(refused.status).toBe(409)

    await client.socialConnection.update({ org_domain, active: true })
    await visitor.press(page, 'remove', { passkey_id: passkey?.id ?? '' })

    expect(await passkeys.passkeysOf({ ...of, user })).toEqual([])
  })

  test('takes both factors of its user before it is linked', async () => {
    const of = await given.scene()
    const { email, id } = await userIn(of)
    await given.flows.totp.activate(of.org_domain)
    const { app } = await given.flows.totp.enroll({ org_domain: of.org_domain, user_id: id })
    await service.clock.advance(30)

    const { landed, visitor } = await given.signIn(of, { subject: email, email })
    const atCode = await visitor.press(landed, 'password', { password: goodPassword })
    expect(isIn(atCode)).toBe(false)
    expect(await identitiesOf(of, email)).toEqual([])
    const done = await visitor.press(atCode, 'totp', { code: given.flows.totp.codeOf(app) })
    expect(isIn(done)).toBe(true)
    expect(await identitiesOf(of, email)).toMatchObject([{ provider: 'social.test' }])

    // The second factor is ours, whatever the provider has asked for.
    const next = await given.signIn(of, { subject: email, email })
    expect(isIn(next.landed)).toBe(false)
  })

  test('ends what was registered with it before its owner has proved it', async () => {
    const of = await given.scene()
    const { org_domain } = of
    const { id: user_id } = await userIn(of)
    // An address that nobody has proved takes the place of theirs.
    const squatted = await client.users.update({ org_domain, user_id, email: anyAddress() })
    expect(squatted.email_verified).toBe(false)
    const { landed, visitor } = await given.signIn(of, { subject: squatted.email, email: squatted.email })
    await visitor.press(landed, 'mail_link')
    const opened = await links.open(await links.newestLinkTo(squatted.email), visitor)
    expect(isIn(await visitor.visit(opened.location ?? opened.url))).toBe(true)

    const { page, visitor: squatter } = await given.flows.begin({ ...of, user: squatted })
    const asked = await squatter.press(page, 'identify', { email: squatted.email })
    const refused = await squatter.press(asked, 'password', { password: goodPassword })
    expect([refused.status, isIn(refused)]).toEqual([422, false])
    expect(await identitiesOf(of, squatted.email)).toMatchObject([{ provider: 'social.test' }])
  })
})

describe('a known person', () => {
  test('is refused where the organization has switched social sign-in off, also in the middle of it', async () => {
    const of = await given.scene()
    const email = anyAddress()
    await given.signIn(of, { subject: email, email })
    const { visitor, address } = await given.atProvider(of)
    const back = await given.answered(visitor, address, { subject: email, email })
    await client.socialConnection.update({ org_domain: of.org_domain, active: false })
    const landed = await visitor.visit(back)
    expect([landed.status, isIn(landed)]).toEqual([403, false])
  })

  test('who is not active is refused', async () => {
    const of = await given.scene()
    const email = anyAddress()
    await given.signIn(of, { subject: email, email })
    const { org_domain } = of
    const user = await client.users.getByEmail({ org_domain, user_email: email })
    await client.users.update({ org_domain, user_id: user.id, active: false })
    const { landed } = await given.signIn(of, { subject: email, email })
    expect([landed.status, isIn(landed)]).toEqual([403, false])
  })

  test('who declines at the provider chooses another way', async () => {
    const of = await given.scene()
    const { landed } = await given.signIn(of, { fault: 'denied' })
    expect(landed.status).toBe(200)
    expect(landed.html).toContain('You did not sign in there')
    expect(landed.html).toContain('Continue with Test provider')
  })
})

test('the buttons are those of the connection, in its order, and only of ready providers', async () => {
  const of = await given.scene({ providers: null })
  const name = `own-${anything()}`
  await client.socialProviders.create({ name, display_name: 'Own provider' })
  const page = await createVisitor(service.baseUrl).visit(given.flows.authorizeUrl(of))
  expect(page.html).toContain('Continue with Test provider')
  expect(page.html).not.toContain('Own provider')
})

describe('an application that names a provider by idp_hint', () => {
  test('has the sign-in begin there, with a way back', async () => {
    const of = await given.scene()
    const visitor = createVisitor(service.baseUrl)
    const leading = await visitor.visit(given.flows.authorizeUrl(of, { idp_hint: 'test' }))
    expect(leading.html).toContain('You are being redirected to Test provider')
    const { location } = await visitor.request(leadOf(leading))
    expect(isIn(await visitor.visit(await given.answered(visitor, location ?? '')))).toBe(true)
  })

  test.each([
    ['one that the organization does not use', 'google', {}],
    ['one that it has switched off', 'test', { active: false }],
  ])('is not heard about %s', async (_, idp_hint, connection) => {
    const of = await given.scene(connection)
    const page = await createVisitor(service.baseUrl).visit(given.flows.authorizeUrl(of, { idp_hint }))
    expect(page.html).toContain('name="email"')
  })
})

test('the page marks the provider that was used last in the browser, by its name alone', async () => {
  const of = await given.scene()
  const email = anyAddress()
  const { visitor } = await given.signIn(of, { subject: email, email })
  expect([...visitor.cookies].find(([name]) => name.endsWith('portico-provider'))?.[1]).toBe('test')
  const url = given.flows.authorizeUrl(of, { prompt: 'login' })
  expect((await visitor.visit(url)).html).toContain('Last used in this browser')
  expect((await createVisitor(service.baseUrl).visit(url)).html).not.toContain('Last used')
})
