import { openMagicLink } from '@portico/sdk'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { goodPassword, isIn } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { socialGivenOf } from '../given/social-given.js'
import { comeBySso } from '../given/sso-user-given.js'
import { createVisitor } from '../given/visitor.js'
import { untilWaiting } from '../given/waiting.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)
const passkeys = passkeyGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given.flows)

/** A user with a password in an organization with the test provider. */
async function person() {
  const scene = await given.scene()
  const email = `p-${anything()}@awesome.example`
  const user = await service.given.user({ org_domain: scene.org_domain, email }, client)
  await given.flows.passwords.set({ ...scene, user })
  return { ...scene, user }
}

type Person = Awaited<ReturnType<typeof person>>

async function identitiesOf({ org_domain, user }: Person) {
  const kept = await client.users.get({ org_domain, user_id: user.id })
  return 'identities' in kept ? kept.identities : []
}

async function sessionsOf({ org_domain, user }: Person) {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data
}

async function provedAtOf({ user }: Person) {
  const [row] = await service.query<{ email_proved_at: Date | null }>(
    'select email_proved_at from users where id = $1',
    [user.id],
  )
  return row?.email_proved_at
}

async function passwordsOf({ user }: Person) {
  return (await service.query('select from passwords where user_id = $1', [user.id])).length
}

/** Signs in by the test provider, and by the password of the user who has the address. */
async function link(of: Person, subject = anything()) {
  const { visitor, landed } = await given.signIn(of, { subject, email: of.user.email })
  return { subject, landed: await visitor.press(landed, 'password', { password: goodPassword }) }
}

describe('an account at a social provider', () => {
  test('that is linked in a sign-in is told to the address of its user', async () => {
    const of = await person()
    await link(of)
    await service.runJobs()

    const { data } = await client.outbox.list({ to: of.user.email })
    expect(data.map(({ subject }) => subject).join()).toContain('was added')
    expect(await identitiesOf(of)).toHaveLength(1)
  })

  test('is not linked by the password of a user who has a passkey, as on the account page', async () => {
    const of = await person()
    await passkeys.withPasskey(of)

    expect(isIn((await link(of)).landed)).toBe(true)
    expect(await identitiesOf(of)).toEqual([])
  })

  test('is not linked to whoever comes by single sign-on, as on the account page', async () => {
    const of = await person()
    const { id: organization_id } = await client.organizations.get({ org_domain: of.org_domain })
    const { idp_id } = await client.ssoConnections.create({
      ...{ organization_id, application_id: of.application.id, provider_type: 'test' },
    })
    await comeBySso(service, { userId: of.user.id, idpId: idp_id })

    expect(isIn((await link(of)).landed)).toBe(true)
    expect((await identitiesOf(of)).map(({ provider }) => provider)).toEqual(['oidc.test'])
  })

  test('is not linked where the organization has switched the provider off since', async () => {
    const of = await person()
    const { visitor, landed } = await given.signIn(of, { subject: anything(), email: of.user.email })
    await client.socialConnection.update({ org_domain: of.org_domain, active: false })
    await visitor.press(landed, 'password', { password: goodPassword })

    expect(await identitiesOf(of)).toEqual([])
  })

  test('that was unlinked while its sign-in waited signs nobody in', async () => {
    const of = await person()
    const { subject } = await link(of)
    const again = await given.atProvider(of)
    const back = await given.answered(again.visitor, again.address, { subject, email: of.user.email })
    const db = new pg.Client({ connectionString: service.databaseUrl })
    await db.connect()
    try {
      // An unlinking that is under way: it has locked the user, deleted the identity and ended the sessions.
      await db.query('begin')
      await db.query('select id from users where id = $1 for no key update', [of.user.id])
      await db.query('delete from user_identities where user_id = $1', [of.user.id])
      await db.query('update sessions set ended_at = now() where user_id = $1 and ended_at is null', [
        of.user.id,
      ])
      await db.query('update users set version = version + 1 where id = $1', [of.user.id])
      const landing = again.visitor.visit(back)
      await untilWaiting(service, 1)
      await db.query('commit')

      expect(isIn(await landing)).toBe(false)
    } finally {
      await db.end()
    }
    expect(await sessionsOf(of)).toEqual([])
  })

  test('proves one address in one of two sign-ins, and the other one is refused', async () => {
    const of = await given.scene()
    const subject = anything()
    const [first, second] = [`a-${anything()}@awesome.example`, `b-${anything()}@awesome.example`]
    const one = await given.signIn(of, { subject, email: first, verified: false })
    const two = await given.signIn(of, { subject, email: second, verified: false })
    await one.visitor.press(one.landed, 'address_code', { code: await given.codeTo(first) })
    const late = await two.visitor.press(two.landed, 'address_code', { code: await given.codeTo(second) })

    expect([late.status, isIn(late)]).toEqual([403, false])
    expect((await client.users.list({ org_domain: of.org_domain })).data.map(({ email }) => email)).toEqual([
      first,
    ])
  })

  test('that says of an older sign-in makes no fresh session of it', async () => {
    const of = await person()
    const { name, idp } = await given.custom(of)
    const sub = anything()
    const one = await given.atProvider(of, name)
    const asked = await one.visitor.visit(idp.approve(one.address, { sub, email: of.user.email }))
    const proved = await one.visitor.press(asked, 'address_code', { code: await given.codeTo(of.user.email) })
    await one.visitor.press(proved, 'password', { password: goodPassword })
    await service.clock.advance(8 * 3600)
    const two = await given.atProvider(of, name)
    const old = Math.floor(service.clock.now().getTime() / 1000) - 8 * 3600
    expect(isIn(await two.visitor.visit(idp.approve(two.address, { sub, auth_time: old })))).toBe(true)

    const page = await two.visitor.visit(`/t/${of.org_domain}/account/password?environment=sandbox`)
    expect(page.url).toContain('/sign-in/')
  })
})

describe('the first proof of a mailbox', () => {
  test('ends the passkeys and the accounts at social providers of whoever had claimed the address', async () => {
    const of = await person()
    const { org_domain, user } = of
    const { magic_link } = await client.magicLink.createChallenge({
      org_domain,
      user_email: user.email,
      send_email: false,
    })
    await openMagicLink(magic_link ?? '')
    await given.flows.passwords.set(of)
    await link(of)
    await passkeys.withPasskey(of)

    const { link: mailed, visitor } = await links.linkSent(of)
    await links.open(mailed, visitor)

    expect(await passkeys.passkeysOf(of)).toEqual([])
    expect(await identitiesOf(of)).toEqual([])
    // That of the API stays.
    expect(isIn((await given.flows.signIn(of)).landed)).toBe(true)
  })

  test('is one by mail before whoever comes by a passkey sets a first password', async () => {
    const of = await person()
    const { held } = await passkeys.withPasskey(of)
    await service.query('delete from passwords where user_id = $1', [of.user.id])
    const section = passkeys.addressOf(of).replace('/passkeys', '/password')
    const visitor = given.flows.visitorOf()
    const asked = await visitor.visit(section)
    const page = await visitor.press(asked, 'passkey', { credential: held.use(passkeys.asked(asked)) })
    expect(page.html).toContain('show that you receive e-mail at this address')
    const form = await visitor.visit(passkeys.addressOf(of))
    const forged = { ...form, html: form.html.replaceAll('/account/passkeys', '/account/password') }

    const refused = await visitor.send(forged, 'add', { action: 'set_password', password: goodPassword })

    expect(refused.status).toBe(403)
    expect(await passwordsOf(of)).toBe(0)
    const { link: mailed, visitor: owner, page: waiting } = await links.linkSent(of)
    await links.open(mailed, owner)
    await owner.visit(waiting.url)
    await owner.press(await owner.visit(section), 'set_password', { password: goodPassword })
    expect(await passwordsOf(of)).toBe(1)
  })

  test('is recorded where a code to it precedes the password by which an account is linked, and leaves that account', async () => {
    const of = await person()
    const { visitor: squatter } = await passkeys.withPasskey(of)
    const { user } = of
    const { visitor, landed } = await given.signIn(of, {
      ...{ subject: anything(), email: user.email, verified: false },
    })
    const proved = await visitor.press(landed, 'address_code', { code: await given.codeTo(user.email) })
    expect(proved.html).toContain('You already have an account')
    expect(await provedAtOf(of)).toBeNull()

    expect(isIn(await visitor.press(proved, 'password', { password: goodPassword }))).toBe(true)

    expect(await provedAtOf(of)).not.toBeNull()
    expect(await passkeys.passkeysOf(of)).toEqual([])
    expect(await identitiesOf(of)).toHaveLength(1)
    expect(await sessionsOf(of)).toHaveLength(1)
    expect((await squatter.visit(passkeys.addressOf(of))).url).toContain('/sign-in/')
  })

  test('leaves the identity by which the user came, whose provider gives out the address', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const email = `v-${anything()}@awesome.example`
    const subject = anything()
    expect(isIn((await given.signIn(scene, { subject, email })).landed)).toBe(true)
    const user = await client.users.getByEmail({ org_domain, user_email: email })
    const { link: mailed, visitor } = await links.linkSent({ ...scene, user })
    await links.open(mailed, visitor)

    const again = await given.signIn(scene, { subject, email }, createVisitor(service.baseUrl))
    expect(isIn(again.landed)).toBe(true)
  })
})
