import { describe, expect, test } from 'vitest'
import { goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { invitationGivenOf } from '../given/invitation-given.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { mfa } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const { flows } = given
const links = flowLinkGivenOf(service, client, flows)

const invitations = invitationGivenOf(service, client)

const heading = 'Sign in faster next time'
const day = 24 * 60 * 60

/** What the script says in a form, where the browser can make passkeys. */
const able = { passkeys: 'can' }

/** The user of a sign-in, what the forms say, and parameters of the request. */
interface Beginning {
  readonly email?: string
  readonly says?: Record<string, string>
  readonly members?: Record<string, string>
}

/** The page after the address. */
async function identified(scene: FlowScene, { email, says = able, members }: Beginning = {}) {
  const { visitor, page } = await flows.begin(scene, members)
  const sent = { email: email ?? scene.user.email, ...says }
  return { visitor, page: await visitor.press(page, 'identify', sent) }
}

async function afterPassword(scene: FlowScene, options: Beginning = {}) {
  const { visitor, page } = await identified(scene, options)
  return { visitor, page: await visitor.press(page, 'password', { password: goodPassword }) }
}

/** The page after the link of a mail that is asked for here. */
async function afterLink(scene: FlowScene, options: Beginning = {}) {
  const { visitor, page } = await identified(scene, options)
  await service.clock.advance(1)
  if (page.html.includes('value="mail_link"')) await visitor.press(page, 'mail_link')
  const opened = await links.open(await links.newestLinkTo(options.email ?? scene.user.email), visitor)
  return { visitor, page: await visitor.visit(opened.location ?? '') }
}

function prompt({ org_domain }: FlowScene, when: 'account_page' | 'after_account_change' | 'after_sign_in') {
  return client.passkeys.updateConnection({ org_domain, prompt: when })
}

/** A user who has proved their mailbox, whose organization offers passkeys after each sign-in. */
async function prompted(): Promise<FlowScene> {
  const scene = await flows.scene()
  await afterLink(scene, { says: {} })
  await prompt(scene, 'after_sign_in')
  return scene
}

function add(page: Seen, visitor: Visitor): Promise<Seen> {
  return visitor.press(page, 'passkey', { credential: given.authenticator().create(given.asked(page)) })
}

describe('a passkey at the end of a sign-in', () => {
  test('is offered, and added without another sign-in, to who has none', async () => {
    const scene = await prompted()
    const { visitor, page } = await afterPassword(scene)
    expect(page.html).toContain(heading)

    const landed = await add(page, visitor)

    expect(isIn(landed)).toBe(true)
    expect(await given.passkeysOf(scene)).toHaveLength(1)
    expect(isIn((await afterPassword(scene)).page)).toBe(true)
  })

  test('is not offered for 30 days to who has declined', async () => {
    const scene = await prompted()
    const { visitor, page } = await afterPassword(scene)
    expect(isIn(await visitor.press(page, 'not_now'))).toBe(true)
    await service.clock.advance(30 * day - 1)
    expect(isIn((await afterPassword(scene)).page)).toBe(true)

    await service.clock.advance(1)

    expect((await afterPassword(scene)).page.html).toContain(heading)
  })

  test('is not offered in a browser that has not said that it can make one', async () => {
    const scene = await prompted()

    expect(isIn((await afterPassword(scene, { says: {} })).page)).toBe(true)
    expect(isIn((await afterPassword(scene, { says: { passkeys: '' } })).page)).toBe(true)
  })

  test('is not offered before the mailbox is proved, nor where passkeys are off', async () => {
    const scene = await flows.scene()
    await prompt(scene, 'after_sign_in')
    expect(isIn((await afterPassword(scene)).page)).toBe(true)

    const other = await prompted()
    await client.passkeys.updateConnection({ org_domain: other.org_domain, active: false })

    expect(isIn((await afterPassword(other)).page)).toBe(true)
  })

  test('is not offered where it is a second factor alone, which the account page says', async () => {
    const scene = await prompted()
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, first_factor: false })
    const { visitor, page } = await afterPassword(scene)
    expect(isIn(page)).toBe(true)

    const own = await visitor.visit(given.addressOf(scene))

    expect(own.html).toContain('in place of a code')
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, first_factor: true })
    expect((await visitor.visit(given.addressOf(scene))).html).toContain('without a password')
  })

  test('is not offered where a session only gets a factor more', async () => {
    const scene = await prompted()
    await flows.totp.activate(scene.org_domain)
    const { visitor, page } = await afterPassword(scene)
    expect(isIn(await visitor.press(page, 'not_now'))).toBe(true)
    await service.query('update users set passkey_offer_declined_at = null where id = $1', [scene.user.id])
    const { app } = await flows.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })
    await service.clock.advance(30)
    const { page: asked } = await flows.begin(scene, mfa, visitor)

    const landed = await visitor.press(asked, 'totp', { ...able, code: flows.totp.codeOf(app) })

    expect(isIn(landed)).toBe(true)
  })

  test('is not offered to who puts off the passkey that is demanded', async () => {
    const scene = await prompted()
    await client.passkeys.updateConnection({
      ...{ org_domain: scene.org_domain, requirement: 'required', grace_days: 14 },
    })
    const { visitor, page } = await afterPassword(scene)
    expect(page.html).not.toContain(heading)

    expect(isIn(await visitor.press(page, 'not_now'))).toBe(true)
  })

  test('comes after consent, which is asked for once', async () => {
    const scene = await prompted()
    const { visitor, page } = await afterPassword(scene, { members: { prompt: 'consent' } })
    const offered = await visitor.press(page, 'allow')
    expect(offered.html).toContain(heading)

    expect(isIn(await visitor.press(offered, 'not_now'))).toBe(true)
  })

  test('is not added ten minutes later, nor before a second factor that is demanded meanwhile; the sign-in goes on', async () => {
    const late = await prompted()
    const first = await afterPassword(late)
    await service.clock.advance(11 * 60)
    expect(isIn(await add(first.page, first.visitor))).toBe(true)
    expect(await given.passkeysOf(late)).toEqual([])
    expect((await afterPassword(late)).page.html).toContain(heading)

    const scene = await prompted()
    const second = await afterPassword(scene)
    await client.organizationPolicy.update({
      ...{ org_domain: scene.org_domain, second_factor: 'required', second_factor_grace_days: 0 },
    })
    expect(isIn(await add(second.page, second.visitor))).toBe(false)
    expect(await given.passkeysOf(scene)).toEqual([])
  })

  test('lets who has got one meanwhile go on, and says what is wrong with an answer', async () => {
    const scene = await prompted()
    const waiting = await afterPassword(scene)
    const wrong = await waiting.visitor.press(waiting.page, 'passkey', { credential: '{}' })
    expect([wrong.status, wrong.html.includes(heading)]).toEqual([422, true])
    await given.withPasskey(scene)

    expect(isIn(await add(wrong, waiting.visitor))).toBe(true)
    expect(await given.passkeysOf(scene)).toHaveLength(1)
  })
})

describe('an organization that offers passkeys after a change of the account', () => {
  test('offers one after a sign-up and after a password that was set in the sign-in, and after no other', async () => {
    const scene = await flows.scene()
    await afterLink(scene, { says: {} })
    const { org_domain } = scene
    expect(await client.passkeys.getConnection({ org_domain })).toMatchObject({
      prompt: 'after_account_change',
    })
    expect(isIn((await afterPassword(scene)).page)).toBe(true)

    const { visitor, page } = await identified(scene)
    await service.clock.advance(1)
    await visitor.press(page, 'forgot_password')
    const opened = await links.open(await links.newestLinkTo(scene.user.email), visitor)
    const form = await visitor.visit(opened.location ?? '')
    const password_code = new URL(form.url).searchParams.get('password_code') ?? ''
    const set = await visitor.send(form, 'set_password', { password: goodPassword, password_code })
    expect((await visitor.visit(set.location ?? '')).html).toContain(heading)

    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    const email = anyEmail()
    const signedUp = await afterLink(scene, { email })
    const offered = signedUp.page.html.includes('value="set_password"')
      ? await signedUp.visitor.press(signedUp.page, 'not_now')
      : signedUp.page
    expect(offered.html).toContain(heading)
  })

  test('offers one to who comes by an invitation', async () => {
    const { url } = await invitations.invited()
    const visitor = invitations.visitorOf()

    const page = await visitor.press(await visitor.visit(url), 'begin', able)

    const offered = page.html.includes('value="set_password"') ? await visitor.press(page, 'not_now') : page
    expect(offered.html).toContain(heading)
  })

  test('offers none where it wants them on the account page alone', async () => {
    const scene = await flows.scene()
    const { org_domain } = scene
    await prompt(scene, 'account_page')
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })

    const { page } = await afterLink(scene, { email: anyEmail() })

    expect(page.html).not.toContain(heading)
  })
})
