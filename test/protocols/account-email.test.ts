import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { keepByDirectory } from '../api/person-given.js'
import { accountEmailGivenOf } from '../given/account-email-given.js'
import { goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { stepSeconds } from '../given/totp-given.js'
import { scimGivenOf } from '../given/scim-given.js'
import { socialGivenOf } from '../given/social-given.js'
import { idpMetadata } from '../given/sso-given.js'
import { createVisitor, type Seen } from '../given/visitor.js'
import { longDescribe } from '../sampled.js'

const service = await startService()
const client = await service.client()
const given = accountEmailGivenOf(service, client)
const passkeys = passkeyGivenOf(service, client)
const social = socialGivenOf(service, client)

const staleMinutes = 11
const daySeconds = 24 * 60 * 60

/** The events of a user about their address: their codes and actors, in their order. */
function eventsOf({ user }: FlowScene) {
  return service.query<{ code: string; actor_type: string; actor_id: string }>(
    `select code, actor_type, actor_id from events
     where subject_id = $1 and code like 'user.email_change.%' order by issued_at, id`,
    [user.id],
  )
}

async function logOf({ org_domain }: FlowScene): Promise<string[]> {
  const rows = await service.query<{ event_code: string }>(
    `select event_code from log_events where domain = $1 and event_code like 'ACCOUNT_EMAIL_%' order by id`,
    [org_domain],
  )
  return rows.map(({ event_code: code }) => code.replace('ACCOUNT_EMAIL_', ''))
}

function identitiesOf({ id }: FlowScene['user']) {
  return service.query('select provider from user_identities where user_id = $1', [id])
}

async function subjectsTo(address: string): Promise<(string | null)[]> {
  return (await given.mailsTo(address)).map(({ subject }) => subject)
}

/** A page without what every page and organization has of its own. */
function shapeOf({ html }: Seen, { org_domain }: FlowScene): string {
  const own = /name="csrf" value="[^"]*"|Organization [0-9a-f]+|[\w.-]+(?:<wbr\/>)?@[\w.-]+/g
  return html.replaceAll(own, '…').replaceAll(org_domain, '…')
}

/** A user whose address a link of the API has verified. */
async function verifiedScene(): Promise<FlowScene> {
  const scene = await given.flows.scene()
  const { org_domain, user } = scene
  const sent = await client.magicLink.createChallenge({
    ...{ org_domain, user_email: user.email, send_email: false },
  })
  await openMagicLink(sent.magic_link ?? '')
  // The first proof of an address forgets the password of before.
  await given.flows.passwords.set(scene)
  return scene
}

/** A user with a passkey, without which no sign-in of theirs is fresh. */
async function onEmailWith({
  scene,
  held,
}: Pick<Awaited<ReturnType<typeof passkeys.withPasskey>>, 'scene' | 'held'>) {
  const { page, ...on } = await given.onEmail(scene)
  return {
    ...on,
    page: await on.visitor.press(page, 'passkey', { credential: held.use(passkeys.asked(page)) }),
  }
}

describe('the address on the account page', () => {
  test('is changed by the codes of both mailboxes, is verified, and its user goes on with it', async () => {
    const { scene, visitor, email, page } = await given.changed()
    const { org_domain, user } = scene

    expect(page.html).toContain('Your e-mail address has been changed.')
    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({
      email,
      email_verified: true,
    })
    expect(await visitor.visit(given.addressOf(scene))).toMatchObject({ status: 200 })
    const own = { actor_type: 'user', actor_id: user.id }
    expect(await eventsOf(scene)).toEqual([{ code: 'user.email_change.request.success', ...own }])
    expect(await logOf(scene)).toEqual(['CHANGE_REQUESTED', 'CHANGED'])
    const signedIn = await given.onEmail({ ...scene, user: { ...user, email } })
    expect(signedIn.page.url).toContain('/account/email')
  })

  test('is changed once by a form that is sent twice, which tells so to its session alone', async () => {
    const { scene, visitor, email, page } = await given.proved()
    const code = (await given.codeTo(email)) ?? ''
    const other = await given.onEmail(scene)
    await visitor.send(page, 'new_code', { code })

    const again = await visitor.press(page, 'new_code', { code })

    expect(again.html).toContain('Your e-mail address has been changed.')
    const elsewhere = await other.visitor.send(other.page, 'new_code', { code })
    expect(elsewhere).toMatchObject({ status: 422 })
    expect((await logOf(scene)).filter((entry) => entry === 'CHANGED')).toHaveLength(1)
  })

  test('is not changed by wrong codes: five of each mailbox are compared, and then the right one is none', async () => {
    const { scene, visitor, email, page } = await given.asked()
    const wrong = (code = '') => (code === '000000' ? '000001' : '000000')
    const old = (await given.codeTo(scene.user.email)) ?? ''
    for (let tries = 0; tries < 5; tries++)
      expect(await visitor.send(page, 'old_code', { code: wrong(old) })).toMatchObject({ status: 422 })
    const late = await visitor.send(page, 'old_code', { code: old })
    expect(late.html).toContain('This code has expired')

    const again = await visitor.press(page, 'resend')
    const next = await visitor.press(again, 'old_code', {
      code: (await given.codeTo(scene.user.email)) ?? '',
    })
    const code = (await given.codeTo(email)) ?? ''
    for (let tries = 0; tries < 5; tries++) await visitor.send(next, 'new_code', { code: wrong(code) })
    const over = await visitor.send(next, 'new_code', { code })

    expect(over).toMatchObject({ status: 422 })
    expect(await given.emailOf(scene)).toBe(scene.user.email)
    expect((await logOf(scene)).filter((entry) => entry === 'CHANGE_FAILED')).toHaveLength(12)
  })

  test('is not changed by a code after 15 minutes, nor by that of the other mailbox or of another change', async () => {
    const { page: asked, ...on } = await given.asked()
    const { scene, visitor, email } = on
    const old = (await given.codeTo(scene.user.email)) ?? ''
    expect(await visitor.send(asked, 'new_code', { code: old })).toMatchObject({ status: 422 })
    const page = await visitor.press(asked, 'old_code', { code: old })
    expect(await visitor.send(page, 'new_code', { code: old })).toMatchObject({ status: 422 })
    const first = (await given.codeTo(email)) ?? ''
    await visitor.send(await visitor.press(page, 'cancel'), 'ask', { email: anyEmail() })
    expect(await visitor.send(page, 'old_code', { code: first })).toMatchObject({ status: 422 })
    expect(await visitor.send(page, 'new_code', { code: first })).toMatchObject({ status: 422 })

    const other = await given.proved()
    const code = (await given.codeTo(other.email)) ?? ''
    await service.clock.advance(15 * 60)
    const fresh = await given.onEmail(other.scene, other.visitor)
    const late = await other.visitor.send(fresh.page, 'new_code', { code })

    expect(late.html).toContain('This code has expired')
    expect(await given.emailOf(scene)).toBe(scene.user.email)
    expect(await given.emailOf(other.scene)).toBe(other.scene.user.email)
  })

  test('that somebody has is asked for alike: the page is the same, its user is told, and no code fits', async () => {
    const scene = await given.flows.scene()
    const taken = await service.given.user({ org_domain: scene.org_domain })
    const mine = await given.proved(await given.onEmail(scene), taken.email)
    const free = await given.proved()
    const code = '123456'
    const tried = await mine.visitor.send(mine.page, 'new_code', { code })
    const other = await free.visitor.send(free.page, 'new_code', { code })

    expect(shapeOf(mine.page, scene)).toBe(shapeOf(free.page, free.scene))
    expect(shapeOf(tried, scene)).toBe(shapeOf(other, free.scene))
    expect(tried.status).toBe(other.status)
    expect(await given.codeTo(taken.email)).toBeUndefined()
    expect(await subjectsTo(taken.email)).toEqual([
      expect.stringContaining('Someone wanted to use your e-mail address'),
    ])
    const [told] = await given.mailsTo(taken.email)
    expect(told?.text).not.toContain('network')
    expect(await given.emailOf(scene)).toBe(scene.user.email)
  })

  test('that somebody gets between the code and its entry stays theirs', async () => {
    const { scene, visitor, email, page } = await given.proved()
    const code = (await given.codeTo(email)) ?? ''
    await client.users.create({ org_domain: scene.org_domain, email })

    const refused = await visitor.send(page, 'new_code', { code })

    expect(refused.html).toContain('Another account here has this address by now')
    expect(await given.emailOf(scene)).toBe(scene.user.email)
  })

  test('that the API has changed in between stays as it is', async () => {
    const { scene, visitor, email, page } = await given.proved()
    const code = (await given.codeTo(email)) ?? ''
    const written = anyEmail()
    await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, email: written })

    expect(await visitor.send(page, 'new_code', { code })).toMatchObject({ status: 422 })
    expect(await given.emailOf(scene)).toBe(written)
  })

  test('is not changed where the organization or another system keeps it, nor to one that may not be here', async () => {
    const { scene, visitor, page } = await given.onEmail()
    const { org_domain, user } = scene
    const isUnchanged = async () => expect(await given.emailOf(scene)).toBe(user.email)
    for (const email of ['', 'ada@', user.email.toUpperCase()])
      expect(await visitor.send(page, 'ask', { email })).toMatchObject({ status: 422 })

    await client.organizations.update({ org_domain, allowed_email_domains: ['other.example'] })
    expect((await visitor.send(page, 'ask', { email: anyEmail() })).status).toBe(422)
    await client.organizations.update({ org_domain, allowed_email_domains: [] })
    const { id: organization_id } = await client.organizations.get({ org_domain })
    const email_domains = ['corp.example']
    const { idp_id } = await client.ssoConnections.create({ organization_id, email_domains })
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata(), active: true })
    expect((await visitor.send(page, 'ask', { email: 'ada@corp.example' })).status).toBe(422)

    const asked = await given.proved({ scene, visitor, page })
    await client.organizationPolicy.update({ org_domain, self_service: false })
    const code = (await given.codeTo(asked.email)) ?? ''
    const refused = await visitor.send(asked.page, 'new_code', { code })
    expect(refused.html).toContain('Your organization manages your e-mail address')
    await isUnchanged()

    await client.organizationPolicy.update({ org_domain, self_service: true })
    await keepByDirectory(client, { org_domain, user_id: user.id, email: user.email })
    expect((await visitor.send(page, 'ask', { email: anyEmail() })).status).toBe(422)
    await isUnchanged()
  })

  test('takes no invitation along that waits for it', async () => {
    const scene = await given.flows.scene()
    const { org_domain } = scene
    const email = anyEmail()
    const { id } = await client.invitations.create({ org_domain, email })

    await given.changed(await given.onEmail(scene), email)

    expect(await given.emailOf(scene)).toBe(email)
    expect(await client.invitations.get({ org_domain, invitation_id: id })).toMatchObject({
      state: 'pending',
      user_id: null,
    })
  })
})

describe('a stolen session on the account page', () => {
  test('changes no address without a fresh sign-in, by whatever form it sends', async () => {
    const { scene, visitor, email, page } = await given.proved()
    const code = (await given.codeTo(email)) ?? ''
    await service.clock.advance(staleMinutes * 60)

    for (const [action, fields] of [
      ['new_code', { code }],
      ['resend', {}],
      ['ask', { email }],
      ['cancel', {}],
    ] as const) {
      const late = await visitor.press(page, action, fields)
      expect(late.url).toContain(`/t/${scene.org_domain}/sign-in/`)
    }
    expect(await given.emailOf(scene)).toBe(scene.user.email)
  })

  test('does not go on with what the session of the user has begun, and its own request ends that', async () => {
    const { scene, visitor, page } = await given.asked()
    const code = (await given.codeTo(scene.user.email)) ?? ''
    const thief = await given.onEmail(scene)
    expect(thief.page.html).not.toContain('value="old_code"')
    const guessed = await thief.visitor.send(page, 'old_code', { code })
    expect(guessed.status).toBe(403)

    const own = await given.asked(thief, anyEmail())
    const misled = await visitor.send(page, 'old_code', {
      code: (await given.codeTo(scene.user.email)) ?? '',
    })

    expect(misled.html).toContain('This took too long, or was started in a different browser')
    expect((await thief.visitor.visit(given.addressOf(scene))).html).toContain('value="old_code"')
    expect(await given.emailOf(scene)).not.toBe(own.email)
  })

  test('cannot put an app or a passkey in place of the mailbox that it has just added', async () => {
    const scene = await given.flows.enrolledScene()
    const visitor = given.flows.visitorOf()
    const asked = await given.signInAt(visitor, await visitor.visit(given.addressOf(scene)), scene)
    const page = await visitor.press(asked, 'totp', { code: given.flows.totp.codeOf(scene.app) })
    const waiting = await given.asked({ scene, visitor, page })
    expect(waiting.page.html).not.toContain('value="app_code"')
    await service.clock.advance(stepSeconds)

    const body = { app_code: given.flows.totp.codeOf(scene.app) }
    const refused = await visitor.send(waiting.page, 'app_code', body)

    expect(refused).toMatchObject({ status: 422 })
    expect(await given.codeTo(waiting.email)).toBeUndefined()
    const withKey = await passkeys.withPasskey()
    const offered = await given.asked(await onEmailWith(withKey))
    expect(offered.page.html).not.toContain('value="passkey"')
  })
})

describe('an app or a passkey that a user has had for a week', () => {
  test('stands in for the mailbox that they no longer read, by a code that is good for one use', async () => {
    const scene = await given.flows.enrolledScene()
    await service.clock.advance(7 * daySeconds)
    const visitor = given.flows.visitorOf()
    const asked = await given.signInAt(visitor, await visitor.visit(given.addressOf(scene)), scene)
    const used = given.flows.totp.codeOf(scene.app)
    const page = await visitor.press(asked, 'totp', { code: used })
    const waiting = await given.asked({ scene, visitor, page })
    const replayed = await visitor.send(waiting.page, 'app_code', { app_code: used })
    expect(replayed.html).toContain('id="app_code-fault"')
    await service.clock.advance(stepSeconds)

    const next = await visitor.press(waiting.page, 'app_code', {
      app_code: given.flows.totp.codeOf(scene.app),
    })
    await visitor.press(next, 'new_code', { code: (await given.codeTo(waiting.email)) ?? '' })

    expect(await given.emailOf(scene)).toBe(waiting.email)
  })

  test('is used on the page by its authenticator, once, and is the user’s own', async () => {
    const { scene, held } = await passkeys.withPasskey()
    const { org_domain } = scene
    const other = { ...scene, user: await service.given.user({ org_domain }) }
    await given.flows.passwords.set(other)
    const stranger = await passkeys.withPasskey(other)
    await service.clock.advance(7 * daySeconds)
    const on = await onEmailWith({ scene, held })
    const waiting = await given.asked(on)
    const credential = held.use(passkeys.asked(waiting.page))
    const wrong = await on.visitor.send(waiting.page, 'passkey', { credential: '{}' })
    expect(wrong.html).toContain('This passkey was not accepted')
    expect((await on.visitor.send(waiting.page, 'passkey', { credential })).status).toBe(422)

    const shown = await on.visitor.visit(given.addressOf(scene))
    const foreign = { credential: stranger.held.use(passkeys.asked(shown)) }
    const refused = await on.visitor.send(shown, 'passkey', foreign)
    expect(refused.html).toContain('This passkey was not accepted')
    const next = await on.visitor.press(refused, 'passkey', {
      credential: held.use(passkeys.asked(refused)),
    })
    await on.visitor.press(next, 'new_code', { code: (await given.codeTo(waiting.email)) ?? '' })

    expect(await given.emailOf(scene)).toBe(waiting.email)
  })
})

async function sessionsOf({ org_domain, user }: FlowScene) {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data
}

describe('the link of the mail about a changed address', () => {
  test('puts it back once, ends sessions, stops changes for three days, and tells the account', async () => {
    const { scene, visitor, email } = await given.changed()
    const link = (await given.linkTo(scene.user.email)) ?? ''
    expect((await given.mailsTo(scene.user.email))[0]?.text).toContain('from the network')
    const other = createVisitor(service.baseUrl)
    const shown = await other.visit(link)
    expect([shown.status, await given.emailOf(scene)]).toEqual([200, email])

    const done = await other.press(shown, 'put_back')

    expect(done.html).toContain('Your address is back')
    const french = /href="(\/t\/[^"]+\/message\/[^"]+ui_locales=fr[^"]*)"/.exec(done.html)?.[1] ?? ''
    for (const page of [done, await other.visit(french.replaceAll('&amp;', '&'))]) {
      const onward =
        /href="(\/t\/[^"]+\/account\?[^"]+)"[^>]*>(?:Sign in|Se connecter)</.exec(page.html)?.[1] ?? ''
      expect((await other.visit(onward.replaceAll('&amp;', '&'))).url).toContain('/sign-in/')
    }
    expect(await given.emailOf(scene)).toBe(scene.user.email)
    expect((await visitor.visit(given.addressOf(scene))).url).toContain('/sign-in/')
    const own = { actor_type: 'user', actor_id: scene.user.id }
    expect((await eventsOf(scene)).at(-1)).toEqual({ code: 'user.email_change.revert.success', ...own })
    expect((await logOf(scene)).at(-1)).toBe('CHANGE_REVERTED')
    expect((await subjectsTo(email))[0]).toContain('was changed back')
    const again = [await other.send(shown, 'put_back'), await other.visit(link)]
    expect(again.map(({ status }) => status)).toEqual([404, 404])

    await given.flows.passwords.set(scene)
    const stopped = await given.onEmail(scene)
    expect(stopped.page.html).toContain('Your e-mail address was changed back')
    const form = await stopped.visitor.visit(given.addressOf(scene).replace('/email', '/password'))
    await stopped.visitor.send(
      { ...form, html: form.html.replaceAll('/account/password', '/account/email') },
      'set_password',
      { action: 'ask', email: anyEmail() },
    )
    expect((await logOf(scene)).at(-1)).toBe('CHANGE_REVERTED')
    await service.clock.advance(3 * daySeconds)
    expect((await given.changed(await given.onEmail(scene))).page.html).toContain('has been changed.')
  })

  test('is mailed when the recovery of passkeys ends, which is of the mailbox that the user had', async () => {
    const scene = await verifiedScene()
    const { org_domain, user } = scene
    await client.passkeys.openRecovery({ org_domain, user_id: user.id, reason: 'Lost their telephone' })
    const recoveries = () => service.query('select from passkey_recoveries where user_id = $1', [user.id])
    expect(await recoveries()).toHaveLength(1)

    await given.changed(await given.onEmail(scene))

    expect(await recoveries()).toEqual([])
    expect(await given.linkTo(user.email)).toBeDefined()
  })

  test('ends sessions, and leaves the address, once an operator has given the user another one', async () => {
    const { scene } = await given.changed()
    const link = (await given.linkTo(scene.user.email)) ?? ''
    const { org_domain, user } = scene
    const other = createVisitor(service.baseUrl)
    const shown = await other.visit(link)
    const email = anyEmail()
    await client.users.update({ org_domain, user_id: user.id, email })

    const kept = await other.send(shown, 'put_back')
    expect([kept.status, kept.html.includes('another e-mail address since')]).toEqual([409, true])
    expect(await sessionsOf(scene)).toEqual([])
    expect((await logOf(scene)).at(-1)).toBe('CHANGE_FAILED')
    expect((await other.send(shown, 'put_back')).status).toBe(404)
    expect((await other.visit(link)).status).toBe(404)
    expect(await given.emailOf(scene)).toBe(email)
  })

  test('of an address that an operator has taken away works no more once the user changes it again', async () => {
    const { scene } = await given.changed()
    const link = (await given.linkTo(scene.user.email)) ?? ''
    const email = anyEmail()
    const { org_domain, user } = scene
    await client.users.update({ org_domain, user_id: user.id, email })
    const next = await given.changed(await given.onEmail({ ...scene, user: { ...user, email } }))

    expect((await createVisitor(service.baseUrl).visit(link)).status).toBe(404)
    expect(await given.emailOf(scene)).toBe(next.email)
  })

  test('removes the passkey and the password that were added for the change, so that the thief has none and the owner is asked for none', async () => {
    const thief = await passkeys.withPasskey(await verifiedScene())
    const { scene, held } = thief
    const { org_domain } = scene
    await client.passkeys.updateConnection({ org_domain, requirement: 'required' })
    await thief.visitor.press(thief.page, 'new_codes')
    await client.passkeys.updateConnection({ org_domain, requirement: 'optional' })
    const codes = () =>
      service.query('select from passkey_recovery_codes where user_id = $1', [scene.user.id])
    expect(await codes()).toHaveLength(1)
    await service.clock.advance(8 * daySeconds)
    const email = anyEmail()
    const { visitor, page } = await given.asked(await onEmailWith(thief), email)
    const next = await visitor.press(page, 'passkey', { credential: held.use(passkeys.asked(page)) })
    await visitor.press(next, 'new_code', { code: (await given.codeTo(email)) ?? '' })
    expect(await given.emailOf(scene)).toBe(email)

    const done = await given.putBack((await given.linkTo(scene.user.email)) ?? '')

    expect(done.html).toContain('two weeks before the change, or since, were removed')
    expect(await passkeys.passkeysOf(scene)).toEqual([])
    expect(await codes()).toEqual([])
    expect((await subjectsTo(scene.user.email))[0]).toContain('passkey was removed')
    const removed = await service.query<{ actor_id: string }>(
      "select actor_id from events where subject_id = $1 and code = 'passkey.passkey.delete.success'",
      [scene.user.id],
    )
    expect(removed).toEqual([{ actor_id: scene.user.id }])
    const { landed } = await given.flows.signIn(scene)
    expect(isIn(landed)).toBe(false)
    await given.flows.passwords.set(scene)
    const owner = await passkeys.onPasskeys(scene)
    expect(owner.page.html).toContain('data-passkey="create"')
  })

  test('removes an app and an account elsewhere that were added for the change, and no passkey that was there 14 days before', async () => {
    const place = await social.scene()
    const { org_domain } = place
    const user = await service.given.user({ org_domain, email: anyEmail() }, client)
    const scene = { ...place, user }
    await given.flows.passwords.set(scene)
    const linked = await social.signIn(place, { subject: user.id, email: user.email })
    await linked.visitor.press(linked.landed, 'password', { password: goodPassword })
    const { held } = await passkeys.withPasskey(scene)
    const before = new Date(service.clock.now().getTime() - 15 * daySeconds * 1000)
    await service.query('update passkeys set inserted_at = $2 where user_id = $1', [user.id, before])
    await given.flows.totp.activate(org_domain)
    await given.flows.totp.enroll({ org_domain, user_id: user.id })
    expect(await identitiesOf(user)).toHaveLength(1)
    await given.changed(await onEmailWith({ scene, held }))

    await given.putBack((await given.linkTo(user.email)) ?? '')

    expect(await passkeys.passkeysOf(scene)).toHaveLength(1)
    expect(await identitiesOf(user)).toEqual([])
    expect(await service.query('select from totp_enrollments where user_id = $1', [user.id])).toEqual([])
    const subjects = (await subjectsTo(user.email)).slice(0, 2).join()
    expect(subjects).toContain('A way to sign in')
    expect(subjects).toContain('Two-step verification was removed')
  })

  test('works for seven days, at its own organization alone, and by no form of another browser', async () => {
    const { scene, email } = await given.changed()
    const link = (await given.linkTo(scene.user.email)) ?? ''
    const foreign = await given.flows.scene()
    const elsewhere = link.replace(`/t/${scene.org_domain}/`, `/t/${foreign.org_domain}/`)
    const visitor = createVisitor(service.baseUrl)
    expect((await visitor.visit(elsewhere)).status).toBe(404)
    const page = await visitor.visit(link)
    expect(await createVisitor(service.baseUrl).send(page, 'put_back')).toMatchObject({ status: 403 })

    await service.clock.advance(7 * daySeconds)

    expect(await visitor.send(page, 'put_back')).toMatchObject({ status: 404 })
    expect(await given.emailOf(scene)).toBe(email)
  })

  test('of the first address ends those of the addresses that came after it', async () => {
    const first = await given.changed()
    const { user, ...place } = first.scene
    const second = await given.changed({
      ...{ scene: { ...place, user: { ...user, email: first.email } }, visitor: first.visitor },
      page: first.page,
    })
    const [old, later] = [await given.linkTo(user.email), await given.linkTo(first.email)]
    expect(await given.emailOf(first.scene)).toBe(second.email)

    expect(await given.putBack(later ?? '')).toMatchObject({ status: 200 })
    expect(await given.emailOf(first.scene)).toBe(first.email)
    expect(await given.putBack(old ?? '')).toMatchObject({ status: 200 })

    expect(await given.emailOf(first.scene)).toBe(user.email)
    const third = await given.flows.scene()
    const begun = await given.changed(await given.onEmail(third))
    const scene = { ...third, user: { ...third.user, email: begun.email } }
    await given.changed({ scene, visitor: begun.visitor, page: begun.page })
    const [oldest, newest] = [await given.linkTo(third.user.email), await given.linkTo(begun.email)]
    await given.putBack(oldest ?? '')
    expect(await createVisitor(service.baseUrl).visit(newest ?? '')).toMatchObject({ status: 404 })
    expect(await given.emailOf(third)).toBe(third.user.email)
  })

  test('is in no mail to an address that nobody had proved', async () => {
    const scene = await given.flows.enrolledScene()
    const { org_domain, user } = scene
    const claimed = anyEmail()
    await client.users.update({ org_domain, user_id: user.id, email: claimed })
    await service.clock.advance(7 * daySeconds)
    const at = { ...scene, user: { ...user, email: claimed } }
    const visitor = given.flows.visitorOf()
    const asked = await given.signInAt(visitor, await visitor.visit(given.addressOf(at)), at)
    const page = await visitor.press(asked, 'totp', { code: given.flows.totp.codeOf(scene.app) })
    const waiting = await given.asked({ scene: at, visitor, page })
    await service.clock.advance(stepSeconds)
    const app_code = given.flows.totp.codeOf(scene.app)
    const next = await visitor.press(waiting.page, 'app_code', { app_code })

    await visitor.press(next, 'new_code', { code: (await given.codeTo(waiting.email)) ?? '' })

    expect(await given.emailOf(at)).toBe(waiting.email)
    expect((await subjectsTo(claimed))[0]).toContain('was changed')
    expect(await given.linkTo(claimed)).toBeUndefined()
  })

  test('ends sessions where another user has the address or a directory writes it, and changes nothing where the user is gone', async () => {
    const taken = await given.changed()
    const { org_domain, user } = taken.scene
    const link = (await given.linkTo(user.email)) ?? ''
    await client.users.create({ org_domain, email: user.email })
    expect((await given.putBack(link)).html).toContain('Another account of the organization')
    expect(await given.emailOf(taken.scene)).toBe(taken.email)
    expect(await sessionsOf(taken.scene)).toEqual([])
    expect((await createVisitor(service.baseUrl).visit(link)).status).toBe(404)

    const kept = await given.changed()
    const keptLink = (await given.linkTo(kept.scene.user.email)) ?? ''
    const place = { org_domain: kept.scene.org_domain, user_id: kept.scene.user.id }
    await keepByDirectory(client, { ...place, email: kept.email })
    expect((await given.putBack(keptLink)).html).toContain('Your organization manages your e-mail address')
    expect(await given.emailOf(kept.scene)).toBe(kept.email)
    expect(await sessionsOf(kept.scene)).toEqual([])

    const gone = await given.changed()
    const goneLink = (await given.linkTo(gone.scene.user.email)) ?? ''
    const page = await createVisitor(service.baseUrl).visit(goneLink)
    expect(page.status).toBe(200)
    await client.users.delete({ org_domain: gone.scene.org_domain, user_id: gone.scene.user.id })
    expect(await createVisitor(service.baseUrl).visit(goneLink)).toMatchObject({ status: 404 })
  })
})

longDescribe('changes of one address at the same time', () => {
  test('two hundred confirmations of one change are one', async () => {
    const { scene, visitor, email, page } = await given.proved()
    const code = (await given.codeTo(email)) ?? ''

    const answers = await Promise.all(
      Array.from({ length: 200 }, () => visitor.send(page, 'new_code', { code })),
    )

    // Those that come after the first one are told that it is done.
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(answers.some(({ status }) => status === 303)).toBe(true)
    expect(await given.emailOf(scene)).toBe(email)
    expect((await logOf(scene)).filter((entry) => entry === 'CHANGED')).toHaveLength(1)
  })

  test('two hundred uses of one link put the address back once', async () => {
    const { scene } = await given.changed()
    const other = createVisitor(service.baseUrl)
    const page = await other.visit((await given.linkTo(scene.user.email)) ?? '')

    const answers = await Promise.all(Array.from({ length: 200 }, () => other.send(page, 'put_back')))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await logOf(scene)).filter((entry) => entry === 'CHANGE_REVERTED')).toHaveLength(1)
  })

  test('a change, a deletion and an update by a directory leave one state, in each order', async () => {
    const orders = ['change', 'delete', 'update'] as const
    for (const first of orders)
      for (const second of orders.filter((one) => one !== first)) {
        const { scene, visitor, email, page } = await given.proved()
        const { org_domain, user } = scene
        const code = (await given.codeTo(email)) ?? ''
        const written = anyEmail()
        const work = {
          change: () => visitor.send(page, 'new_code', { code }),
          delete: () => client.users.delete({ org_domain, user_id: user.id }).catch(() => undefined),
          update: async () => {
            const { scim } = await scimGivenOf(client).directory({ org_domain, takes_over_users: true })
            const userName = await given.emailOf(scene).catch(() => undefined)
            const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
            await scim('POST', '/Users', { body: { schemas, userName: userName ?? written } })
            const emails = [{ value: written, type: 'work', primary: true }]
            const operation = { op: 'replace', value: { userName: written, emails } }
            const patch = {
              schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
              Operations: [operation],
            }
            await scim('PATCH', `/Users/${user.id}`, { body: patch })
          },
        }
        await work[first]()
        await work[second]()

        const row = await service.query<{ email: string; deleted: boolean }>(
          'select email, deleted_at is not null as deleted from users where id = $1',
          [user.id],
        )
        const isDeleted = first === 'delete' || second === 'delete'
        const last = first === 'update' ? written : first === 'change' ? email : user.email
        const ends = second === 'update' && first !== 'delete' ? written : last
        expect(row, `${first}, ${second}`).toEqual([{ email: ends, deleted: isDeleted }])
      }
  })
})
