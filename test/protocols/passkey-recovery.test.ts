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
const hour = 60 * 60
const mfa = { acr_values: 'urn:portico:acr:mfa' }

/** A user who has lost the passkey that the organization demands. */
async function withLostPasskey() {
  const { scene } = await given.withPasskey()
  await client.passkeys.updateConnection({
    ...{ org_domain: scene.org_domain, requirement: 'required', grace_days: 0 },
  })
  await service.clock.advance(hour)
  return scene
}

function open({ org_domain, user }: FlowScene, reason = 'Lost their telephone') {
  return client.passkeys.openRecovery({ org_domain, user_id: user.id, reason })
}

/** The page after a link that was mailed, of a sign-in that its visitor has begun. */
async function afterLink(scene: FlowScene, first: Seen, visitor: Visitor): Promise<Seen> {
  await visitor.press(await visitor.press(first, 'identify', { email: scene.user.email }), 'mail_link')
  const opened = await links.open(await links.newestLinkTo(scene.user.email), visitor)
  return visitor.visit(opened.location ?? '')
}

async function byLink(scene: FlowScene, members: Record<string, string> = {}, visitor = flows.visitorOf()) {
  const { page } = await flows.begin(scene, members, visitor)
  return { visitor, page: await afterLink(scene, page, visitor) }
}

function add(page: Seen, visitor: Visitor, action = 'passkey', held = given.authenticator()): Promise<Seen> {
  return visitor.press(page, action, { credential: held.create(given.asked(page)) })
}

describe('the recovery of passkeys', () => {
  test('has who signs in by a link add one in place of those that are lost, once', async () => {
    const scene = await withLostPasskey()
    expect((await byLink(scene)).page.html).toContain(asking)
    await open(scene)
    const { visitor, page } = await byLink(scene)
    expect(page.html).toContain(adding)
    expect(page.html).not.toContain('value="not_now"')
    const held = given.authenticator()

    expect(isIn(await add(page, visitor, 'passkey', held))).toBe(true)

    expect(await given.passkeysOf(scene)).toHaveLength(2)
    const again = await byLink(scene)
    expect(again.page.html).toContain(asking)
    const credential = held.use(given.asked(again.page))
    expect(isIn(await again.visitor.press(again.page, 'passkey', { credential }))).toBe(true)
  })

  test('is told by an event, a log event and a mail, and lasts for 24 hours from the last time it was opened', async () => {
    const scene = await withLostPasskey()
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
    await service.clock.advance(23 * hour)
    const waiting = await byLink(scene)
    expect(waiting.page.html).toContain(adding)
    await service.clock.advance(hour)

    expect(isIn(await add(waiting.page, waiting.visitor))).toBe(false)
    expect(await given.passkeysOf(scene)).toHaveLength(1)
    expect((await byLink(scene)).page.html).toContain(asking)
  })

  test('is not for a password, nor for a mailbox that was proved before, nor for a code in place of a passkey', async () => {
    const scene = await withLostPasskey()
    await flows.totp.activate(scene.org_domain)
    const early = await byLink(scene)
    await service.clock.advance(1)
    await open(scene)
    const { visitor, page } = await flows.atPassword(scene)
    const after = await visitor.press(page, 'password', { password: goodPassword })
    expect(after.html).toContain(asking)
    expect((await early.visitor.visit(early.page.url)).html).toContain(asking)

    const late = await byLink(scene)

    expect(late.page.html).toContain(adding)
    expect(late.page.html).not.toContain('value="enroll"')
    const begun = await late.visitor.press(late.page, 'enroll')
    const code = /secret=([A-Z2-7]+)/.exec(begun.html)?.[1]
    expect(code).toBeDefined()
    expect(isIn(await late.visitor.press(begun, 'validate', { code: '000000' }))).toBe(false)
    expect((await late.visitor.visit(late.page.url)).html).toContain(adding)
  })

  test('takes the code, besides, of who has enrolled one', async () => {
    const { scene } = await given.withPasskey()
    const { org_domain, user } = scene
    await flows.totp.activate(org_domain)
    const { app } = await flows.totp.enroll({ org_domain, user_id: user.id })
    await service.clock.advance(hour)
    await open(scene)
    const visitor = flows.visitorOf()
    const first = await visitor.visit(given.addressOf(scene))
    const asked = await afterLink(scene, first, visitor)
    expect(asked.html).toContain('name="code"')

    const page = await visitor.press(asked, 'totp', { code: flows.totp.codeOf(app) })

    expect(page.html).toContain(adding)
    await add(page, visitor, 'add')
    expect(await given.passkeysOf(scene)).toHaveLength(2)
  })

  test('has who is asked for nothing else add one on the account page, which takes a passkey again then', async () => {
    const { scene } = await given.withPasskey()
    await service.clock.advance(hour)
    await open(scene)
    const visitor = flows.visitorOf()
    const page = await afterLink(scene, await visitor.visit(given.addressOf(scene)), visitor)
    expect(page.html).toContain(adding)

    await add(page, visitor, 'add')

    expect(await given.passkeysOf(scene)).toHaveLength(2)
    expect((await visitor.visit(given.addressOf(scene))).html).toContain(asking)
  })

  test('is not met on the account page by a session of before', async () => {
    const { scene } = await given.withPasskey()
    await service.clock.advance(hour)
    const { visitor } = await byLink(scene)
    await service.clock.advance(1)
    await open(scene)

    expect((await visitor.visit(given.addressOf(scene))).html).toContain(asking)
  })

  test('has an application that demands two factors met by a new one', async () => {
    const { scene } = await given.withPasskey()
    await service.clock.advance(hour)
    await open(scene)
    const { visitor, page } = await byLink(scene, mfa)

    expect(isIn(await add(page, visitor))).toBe(true)
    expect(await given.passkeysOf(scene)).toHaveLength(2)
  })

  test('is not met by a mailbox that was proved for an earlier sign-in', async () => {
    const { email, application, first, second, visitor } = await account.inTwo()
    await open({ ...first, application })
    await service.clock.advance(1)
    const list = await account.prove(application, email, visitor)
    expect(isIn(await account.enter(list, second.org_domain, visitor))).toBe(true)
    await service.clock.advance(hour / 2)
    const begin = () => account.begin(application, visitor, { prompt: 'select_organization' })
    expect(isIn(await account.enter(await begin(), first.org_domain, visitor))).toBe(false)

    const other = await account.inTwo()
    const theirs = await account.prove(other.application, other.email, other.visitor)
    await account.enter(theirs, other.second.org_domain, other.visitor)
    await service.clock.advance(hour / 2)
    const again = await account.begin(other.application, other.visitor, { prompt: 'select_organization' })
    expect(isIn(await account.enter(again, other.first.org_domain, other.visitor))).toBe(true)
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
