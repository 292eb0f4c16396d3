import { describe, expect, test } from 'vitest'
import { goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { accountSignInGivenOf } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const { flows } = given
const links = flowLinkGivenOf(service, client, flows)
const account = accountSignInGivenOf(service, client)

const adding = 'data-passkey="create"'
const asking = 'data-passkey="get"'
const notNow = 'name="action" value="not_now"'
const hour = 60 * 60
const mfa = { acr_values: 'urn:portico:acr:mfa' }

/** The user of an organization, as the calls and pages of these tests name them. */
type Holder = Pick<FlowScene, 'org_domain' | 'user'>

/** A user who has proved their mailbox, and has lost the passkey that they have added since. */
async function withLostPasskey(): Promise<FlowScene> {
  const scene = await flows.scene()
  await byLink(scene)
  await given.withPasskey(scene)
  await service.clock.advance(1)
  return scene
}

async function withDemandedPasskey(): Promise<FlowScene> {
  const scene = await withLostPasskey()
  await client.passkeys.updateConnection({
    ...{ org_domain: scene.org_domain, requirement: 'required', grace_days: 0 },
  })
  return scene
}

/** A user with an app of codes besides. */
async function withCodes(scene: Holder) {
  const { org_domain, user } = scene
  await flows.totp.activate(org_domain)
  const { app } = await flows.totp.enroll({ org_domain, user_id: user.id })
  await service.clock.advance(30)
  return app
}

function open({ org_domain, user }: Holder, reason = 'Lost their telephone') {
  return client.passkeys.openRecovery({ org_domain, user_id: user.id, reason })
}

/** The page after a link that was mailed, of a sign-in whose first page is given. */
async function afterLink({ user }: Holder, first: Seen, visitor: Visitor): Promise<Seen> {
  // The newest link is the one that is asked for now.
  await service.clock.advance(1)
  const asked = await visitor.press(first, 'identify', { email: user.email })
  if (asked.html.includes('value="mail_link"')) await visitor.press(asked, 'mail_link')
  const opened = await links.open(await links.newestLinkTo(user.email), visitor)
  return visitor.visit(opened.location ?? '')
}

async function byLink(scene: FlowScene, members: Record<string, string> = {}, visitor = flows.visitorOf()) {
  const { page } = await flows.begin(scene, members, visitor)
  return { visitor, page: await afterLink(scene, page, visitor) }
}

async function add(page: Seen, visitor: Visitor, held = given.authenticator()): Promise<Seen> {
  const credential = held.create(given.asked(page))
  return given.withCodesSaved(visitor, await visitor.press(page, 'passkey', { credential }))
}

async function amrsOf({ org_domain, user }: Holder) {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data.map(({ amr }) => amr)
}

describe('the recovery of passkeys', () => {
  test('has a sign-in by a link add a passkey in place of those that are lost, once', async () => {
    const scene = await withDemandedPasskey()
    expect((await byLink(scene)).page.html).toContain(asking)
    await open(scene)
    const { visitor, page } = await byLink(scene)
    expect(page.html).toContain(adding)
    expect(page.html).not.toContain(notNow)
    const held = given.authenticator()

    expect(isIn(await add(page, visitor, held))).toBe(true)

    expect(await given.passkeysOf(scene)).toHaveLength(2)
    expect(await amrsOf(scene)).toContainEqual(['email', 'pop', 'mfa'])
    const again = await byLink(scene)
    expect(again.page.html).toContain(asking)
    const credential = held.use(given.asked(again.page))
    expect(isIn(await again.visitor.press(again.page, 'passkey', { credential }))).toBe(true)
  })

  test('adds one passkey by two sign-ins at once', async () => {
    const scene = await withDemandedPasskey()
    await open(scene)
    const first = await byLink(scene)
    const second = await byLink(scene)

    const landed = await Promise.all([first, second].map(({ page, visitor }) => add(page, visitor)))

    expect(landed.filter(isIn)).toHaveLength(1)
    expect(await given.passkeysOf(scene)).toHaveLength(2)
  })

  test('is told by an event, a log event and a mail, and lasts for 24 hours from the last time it was opened', async () => {
    const scene = await withDemandedPasskey()
    const { org_domain, user } = scene
    const { cursor } = await client.events.list({ after: 'latest' })
    const opened = await open(scene, 'Lost their telephone; confirmed by a call')
    const lasting = new Date(opened.expired_at).getTime() - new Date(opened.inserted_at).getTime()
    expect(opened).toMatchObject({ user_id: user.id, reason: 'Lost their telephone; confirmed by a call' })
    expect(lasting).toBe(24 * hour * 1000)
    const { data: events } = await client.events.list({ after: cursor })
    expect(events.at(-1)).toMatchObject({ code: 'passkey.recovery.open.success', data: { user_id: user.id } })
    const logged = await client.logEvents.list({ org_domain, user_id: user.id })
    expect(logged.data[0]).toMatchObject({ event_code: 'PASSKEY_RECOVERY_OPENED' })
    await service.runJobs()
    const { data: mails } = await client.outbox.list({ to: user.email })
    expect(mails.map(({ subject }) => subject)).toContainEqual(
      expect.stringContaining('You can replace your passkeys'),
    )

    await service.clock.advance(23 * hour)
    await open(scene)
    await service.clock.advance(23.5 * hour)
    const waiting = await byLink(scene)
    expect(waiting.page.html).toContain(adding)
    await service.clock.advance(0.5 * hour)

    expect(isIn(await add(waiting.page, waiting.visitor))).toBe(false)
    expect(await given.passkeysOf(scene)).toHaveLength(1)
    expect((await byLink(scene)).page.html).toContain(asking)
  })

  test('is not for a password, and sets up no codes', async () => {
    const scene = await withDemandedPasskey()
    await flows.totp.activate(scene.org_domain)
    await open(scene)
    const { visitor, page } = await flows.atPassword(scene)
    const after = await visitor.press(page, 'password', { password: goodPassword })
    expect(after.html).toContain(asking)

    const late = await byLink(scene)

    expect(late.page.html).toContain(adding)
    expect(late.page.html).not.toContain('value="enroll"')
    const begun = await late.visitor.press(late.page, 'enroll')
    expect(begun.html).not.toContain('secret=')
    expect(begun.html).toContain(adding)
  })

  test('takes the code, besides, of a user who has enrolled one', async () => {
    const scene = await withLostPasskey()
    const app = await withCodes(scene)
    await open(scene)
    const visitor = flows.visitorOf()
    const first = await visitor.visit(given.addressOf(scene))
    const asked = await afterLink(scene, first, visitor)
    expect(asked.html).toContain('name="code"')
    expect(asked.html).not.toContain(adding)

    const page = await visitor.press(asked, 'totp', { code: flows.totp.codeOf(app) })

    expect(page.html).toContain(adding)
    expect(page.url).toContain('/sign-in/')
    const own = await add(page, visitor)
    expect(own.url).toContain('/account/passkeys')
    expect(await given.passkeysOf(scene)).toHaveLength(2)
    expect(await amrsOf(scene)).toContainEqual(['email', 'otp', 'pop', 'mfa'])
  })

  test('is not completed without a code that is asked for meanwhile', async () => {
    const scene = await withLostPasskey()
    await withCodes(scene)
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })
    await open(scene)
    const { visitor, page } = await byLink(scene)
    expect(page.html).toContain(adding)
    await flows.totp.activate(scene.org_domain)

    await add(page, visitor)

    expect(await given.passkeysOf(scene)).toHaveLength(1)
  })

  test('is not for a mailbox that was proved before it was opened', async () => {
    const scene = await withLostPasskey()
    const app = await withCodes(scene)
    const early = await byLink(scene)
    await service.clock.advance(1)
    await open(scene)

    const landed = await early.visitor.press(early.page, 'totp', { code: flows.totp.codeOf(app) })

    expect(landed.html).not.toContain(adding)
    expect(isIn(landed)).toBe(true)
  })

  test('is not for a session that a code is added to', async () => {
    const scene = await withLostPasskey()
    await open(scene)
    const { visitor, page } = await byLink(scene)
    expect(isIn(await visitor.press(page, 'not_now'))).toBe(true)
    const app = await withCodes(scene)
    const { page: asked } = await flows.begin(scene, mfa, visitor)
    expect(asked.html).toContain('name="code"')

    const landed = await visitor.press(asked, 'totp', { code: flows.totp.codeOf(app) })

    expect(landed.html).not.toContain(adding)
    expect(isIn(landed)).toBe(true)
  })

  test('is put off only where the sign-in takes no passkey', async () => {
    const scene = await withLostPasskey()
    await open(scene)
    const free = await byLink(scene)
    expect(free.page.html).toContain(notNow)
    expect(isIn(await free.visitor.press(free.page, 'not_now'))).toBe(true)
    expect((await free.visitor.visit(given.addressOf(scene))).html).toContain(asking)

    const refusing = async (members: Record<string, string> = {}) => {
      const asked = await byLink(scene, members)
      expect(asked.page.html).toContain(adding)
      expect(asked.page.html).not.toContain(notNow)
      const refused = await asked.visitor.press(asked.page, 'not_now')
      expect([refused.status, isIn(refused)]).toEqual([422, false])
    }
    await refusing(mfa)
    await client.organizationPolicy.update({
      ...{ org_domain: scene.org_domain, second_factor: 'required', second_factor_grace_days: 14 },
    })
    await refusing()
  })

  test('leads from the account page back to it, where the new passkey removes the lost one', async () => {
    const scene = await withLostPasskey()
    const [lost] = await given.passkeysOf(scene)
    await open(scene)
    const visitor = flows.visitorOf()
    const page = await afterLink(scene, await visitor.visit(given.addressOf(scene)), visitor)
    const own = await add(page, visitor)

    await visitor.press(own, 'remove', { passkey_id: lost?.id ?? '' })

    const left = await given.passkeysOf(scene)
    expect(left).toHaveLength(1)
    expect(left).not.toContainEqual(expect.objectContaining({ id: lost?.id }))
    expect((await visitor.visit(given.addressOf(scene))).url).toContain('/account/passkeys')
  })

  test('is not for a mailbox that was proved for an earlier sign-in', async () => {
    const enterLater = async (isOpened: boolean) => {
      const { email, application, first, second, visitor } = await account.inTwo()
      const own = flows.visitorOf()
      const section = await afterLink(first, await own.visit(given.addressOf(first)), own)
      await own.press(section, 'add', { credential: given.authenticator().create(given.asked(section)) })
      if (isOpened) await open(first)
      await service.clock.advance(1)
      const list = await account.prove(application, email, visitor)
      expect(isIn(await account.enter(list, second.org_domain, visitor))).toBe(true)
      await service.clock.advance(hour / 2)
      const again = await account.begin(application, visitor, { prompt: 'select_organization' })
      return account.enter(again, first.org_domain, visitor)
    }

    const asked = await enterLater(true)

    expect([isIn(asked), asked.html.includes(adding)]).toEqual([false, false])
    expect(isIn(await enterLater(false))).toBe(true)
  })

  test('is opened of no user of another organization', async () => {
    const scene = await flows.scene()
    const { domain: org_domain } = await service.given.organization()

    await expect(open({ ...scene, org_domain })).rejects.toMatchObject({
      status: 404,
      code: 'user_not_found',
    })
  })
})
