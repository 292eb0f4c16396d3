import { describe, expect, test } from 'vitest'
import { answerOf, callback, goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { readKeyUri } from '../given/authenticator.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import type { Visitor } from '../given/visitor.js'
import { keyUriOf, mfa } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const { flows } = given

/** The form by which a passkey is added: of the section, and of no page before it. */
const section = 'data-passkey="create"'
const asking = 'data-passkey="get"'

const isBlocked = 'Your passkey was blocked'

/** Blocks the passkeys of a user as copies. */
function block({ user }: FlowScene) {
  return service.query('update passkeys set disabled_at = now() where user_id = $1', [user.id])
}

/** A user with a passkey, signed in anew with the password alone. */
async function withPassword() {
  const { scene, held } = await given.withPasskey()
  const { visitor } = await flows.signIn(scene)
  return { scene, held, visitor }
}

async function amrsOf({ org_domain, user }: FlowScene) {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data.map(({ amr }) => amr)
}

describe('the account page of who has a passkey', () => {
  test('takes the passkey in addition to the password, without another sign-in', async () => {
    const { scene, held, visitor } = await withPassword()
    const before = await amrsOf(scene)

    const page = await visitor.visit(given.addressOf(scene))
    expect(page.html).toContain(asking)
    expect(page.html).not.toContain('name="email"')
    const after = await visitor.press(page, 'passkey', { credential: held.use(given.asked(page)) })

    expect(after.html).toContain(section)
    expect(await amrsOf(scene)).toHaveLength(before.length)
    expect(await amrsOf(scene)).toContainEqual(['pwd', 'pop', 'mfa'])
  })

  test('is shown at once after a sign-in with it, and to who signs in anew with it after ten minutes', async () => {
    const { scene, held } = await given.withPasskey()
    const visitor = flows.visitorOf()
    const first = await visitor.visit(given.addressOf(scene))
    const page = await visitor.press(first, 'passkey', { credential: held.use(given.asked(first)) })
    expect(page.html).toContain(section)
    await service.clock.advance(11 * 60)

    const again = await visitor.visit(given.addressOf(scene))
    const asked = await visitor.press(again, 'identify', { email: scene.user.email })
    const second = await visitor.press(asked, 'password', { password: goodPassword })
    expect(second.html).toContain(asking)
    const after = await visitor.press(second, 'passkey', { credential: held.use(given.asked(second)) })

    expect(after.html).toContain(section)
  })

  test('takes no code in its place, whatever the form says', async () => {
    const { scene, held, visitor } = await withPassword()
    const { org_domain, user } = scene
    await flows.totp.activate(org_domain)
    const { app } = await flows.totp.enroll({ org_domain, user_id: user.id })
    await service.clock.advance(30)
    const page = await visitor.visit(given.addressOf(scene))
    expect(page.html).not.toContain('value="totp"')

    const shown = await visitor.press(page, 'totp', { code: flows.totp.codeOf(app) })
    expect(shown.html).not.toContain(section)
    const again = await visitor.visit(given.addressOf(scene))
    expect(again.html).not.toContain(section)
    const after = await visitor.press(again, 'passkey', { credential: held.use(given.asked(again)) })
    expect(after.html).toContain(section)
  })

  test('takes no form of a session that has not used it', async () => {
    const { scene, visitor } = await withPassword()
    const [passkey] = await given.passkeysOf(scene)
    const profile = await visitor.visit(given.addressOf(scene).replace('/passkeys', '/profile'))
    const html = profile.html.replaceAll('/account/profile', '/account/passkeys')

    const refused = await visitor.press({ ...profile, html }, 'save', {
      ...{ action: 'rename', passkey_id: passkey?.id ?? '', name: 'Theirs' },
    })

    expect(refused.url).toContain(`/t/${scene.org_domain}/sign-in/`)
    expect(await given.passkeysOf(scene)).toMatchObject([{ name: 'Passkey' }])
  })

  test('takes nothing weaker in place of one that is blocked, and says who can help', async () => {
    const { scene, visitor } = await withPassword()
    const { org_domain, user } = scene
    await block(scene)
    const blocked = await visitor.visit(given.addressOf(scene))
    expect(blocked.html).toContain(isBlocked)
    expect(blocked.html).toContain('Contact your administrator')
    await flows.totp.activate(org_domain)
    await flows.totp.enroll({ org_domain, user_id: user.id })
    const again = flows.visitorOf()
    const page = await given.signInAt(again, await again.visit(given.addressOf(scene)), scene)
    expect([page.html.includes(section), page.url.includes('/account/')]).toEqual([false, false])

    const [passkey] = await given.passkeysOf(scene)
    await client.passkeys.delete({ org_domain, user_id: user.id, passkey_id: passkey?.id ?? '' })
    await client.totp.removeEnrollment({ org_domain, user_id: user.id })

    expect((await given.onPasskeys(scene)).page.html).toContain(section)
  })

  test('takes another one of who has one that is blocked, which is removed by it', async () => {
    const { scene, visitor, page, held } = await given.withPasskey()
    const [first] = await given.passkeysOf(scene)
    const other = given.authenticator()
    await visitor.press(page, 'add', { credential: other.create(given.asked(page)) })
    await service.query('update passkeys set disabled_at = now() where id = $1', [first?.id])
    const again = await flows.signIn(scene)
    const asked = await again.visitor.visit(given.addressOf(scene))
    const refused = await again.visitor.press(asked, 'passkey', { credential: held.use(given.asked(asked)) })
    expect(refused.html).not.toContain(section)
    const shown = await again.visitor.press(refused, 'passkey', {
      credential: other.use(given.asked(refused)),
    })

    await again.visitor.press(shown, 'remove', { passkey_id: first?.id ?? '' })

    expect(await given.passkeysOf(scene)).toMatchObject([{ disabled_at: null }])
  })

  test('asks for no passkey while the organization has switched them off', async () => {
    const { scene, visitor } = await withPassword()
    expect((await visitor.visit(given.addressOf(scene))).html).not.toContain(section)

    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })

    const page = await visitor.visit(given.addressOf(scene))
    expect(page.url).toContain('/account/passkeys')
  })
})

describe('an application that demands two factors of an organization without codes', () => {
  test('gets a session with the passkey in addition', async () => {
    const { scene, held, visitor } = await withPassword()

    const { page } = await flows.begin(scene, mfa, visitor)
    expect(page.html).not.toContain('name="email"')
    const landed = await visitor.press(page, 'passkey', { credential: held.use(given.asked(page)) })

    expect(isIn(landed)).toBe(true)
    expect(await amrsOf(scene)).toContainEqual(['pwd', 'pop', 'mfa'])
  })

  test('has who has none add one, which is the second factor of the same sign-in', async () => {
    const scene = await flows.scene()
    const { visitor, page } = await afterPassword(scene)
    expect(page.html).toContain(section)
    const held = given.authenticator()
    const forged = await visitor.press(page, 'passkey', {
      credential: held.create(given.asked(page), { origin: 'https://evil.example' }),
    })
    expect([forged.status, isIn(forged)]).toEqual([422, false])

    const added = await visitor.press(forged, 'passkey', { credential: held.create(given.asked(forged)) })

    expect(isIn(await given.withCodesSaved(visitor, added))).toBe(true)
    expect((await amrsOf(scene))[0]).toEqual(['pwd', 'pop', 'mfa'])
    expect(await given.passkeysOf(scene)).toHaveLength(1)
  })

  test('is told where its user goes back without setting one up, also where there are codes', async () => {
    const scene = await flows.scene()
    const { org_domain, application } = scene
    for (const button of ['passkey', 'enroll']) {
      const { visitor, page } = await afterPassword(scene)
      expect(page.html).toContain(`name="action" value="${button}"`)
      expect(page.html).toContain(`Back to ${application.name}`)

      const landed = await visitor.press(page, 'cancel')

      expect(landed.location?.startsWith(callback)).toBe(true)
      expect(Object.fromEntries(answerOf(landed))).toMatchObject({
        error: 'access_denied',
        error_description: 'the user has not set up the second factor that the application demands',
        state: 'state-1',
      })
      expect(visitor.sessionSecret()).toBeUndefined()
      expect((await visitor.send(page, 'cancel')).status).toBe(404)
      await flows.totp.activate(org_domain)
    }

    const { data } = await client.logEvents.list({ org_domain, code: 'END_USER_SIGN_IN_FAILED' })
    expect(data.map(({ reason }) => reason)).toEqual(['second_factor_expected', 'second_factor_expected'])
  })

  test('has who has one that is blocked add none by the password, nor enrol an app', async () => {
    const { scene } = await given.withPasskey()
    await block(scene)
    expect((await afterPassword(scene)).page.html).toContain(isBlocked)
    await flows.totp.activate(scene.org_domain)

    const { page } = await afterPassword(scene)

    expect(page.html).toContain(isBlocked)
    expect([page.html.includes(section), page.html.includes('value="enroll"')]).toEqual([false, false])
  })

  test('is told that there is no second factor where passkeys are off, too', async () => {
    const scene = await flows.scene()
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })
    const { page } = await flows.begin(scene, mfa)

    expect(page.location).toContain('error=unmet_authentication_requirements')
  })

  test('lets nobody add one in place of a passkey or a code that the user has by then', async () => {
    const scene = await flows.scene()
    const { org_domain, user } = scene
    const waiting = await afterPassword(scene)
    await given.withPasskey(scene)
    const credential = given.authenticator().create(given.asked(waiting.page))
    const landed = await waiting.visitor.press(waiting.page, 'passkey', { credential })
    expect(isIn(landed)).toBe(false)
    expect(await given.passkeysOf(scene)).toHaveLength(1)

    const other = await flows.scene()
    const coded = await afterPassword(other)
    await flows.totp.activate(other.org_domain)
    await flows.totp.enroll({ org_domain: other.org_domain, user_id: other.user.id })
    const refused = await coded.visitor.press(coded.page, 'passkey', {
      credential: given.authenticator().create(given.asked(coded.page)),
    })
    expect(isIn(refused)).toBe(false)
    expect(await given.passkeysOf(other)).toEqual([])
    expect(await client.passkeys.list({ org_domain, user_id: user.id })).toMatchObject({ total: 1 })
  })
})

describe('an application that demands two factors of an organization with codes', () => {
  test('lets nobody enrol an app in place of a passkey that the user has by then', async () => {
    const scene = await flows.scene()
    await flows.totp.activate(scene.org_domain)
    const { visitor, page } = await afterPassword(scene)
    const shown = await visitor.send(page, 'enroll')
    const app = readKeyUri(keyUriOf(shown))
    await given.withPasskey(scene)

    const landed = await visitor.press(shown, 'validate', { code: flows.totp.codeOf(app) })

    expect(isIn(landed)).toBe(false)
    const enrolled = await service.query(
      'select from totp_enrollments where user_id = $1 and validated_at is not null',
      [scene.user.id],
    )
    expect(enrolled).toEqual([])
  })
})

describe('a policy that demands a second factor', () => {
  const demanded = { second_factor: 'required', second_factor_grace_days: 0 } as const

  test('is met by a passkey, which who has none adds, where the organization has no codes', async () => {
    const scene = await flows.scene()
    await client.organizationPolicy.update({ org_domain: scene.org_domain, ...demanded })
    const { visitor, page } = await afterPassword(scene, {})
    const held = given.authenticator()

    const added = await visitor.press(page, 'passkey', { credential: held.create(given.asked(page)) })

    expect(isIn(await given.withCodesSaved(visitor, added))).toBe(true)
    const next = await afterPassword(scene, {})
    expect(next.page.html).toContain(asking)
  })

  test('is no demand of the application, which no button leads back to', async () => {
    const scene = await flows.scene()
    await client.organizationPolicy.update({ org_domain: scene.org_domain, ...demanded })
    const { visitor, page } = await afterPassword(scene, {})
    expect(page.html).not.toContain('value="cancel"')

    const after = await visitor.press(page, 'cancel')

    expect([after.status, after.url]).toEqual([200, page.url])
    expect(after.html).toContain(section)
  })

  test('keeps the last second factor of the organization on, codes or passkeys', async () => {
    const { org_domain } = await flows.scene()
    const off = { org_domain, active: false }
    await client.organizationPolicy.update({ org_domain, ...demanded })
    const fault = { status: 422, fields: [expect.objectContaining({ path: 'active' }) as unknown] }

    await expect(client.passkeys.updateConnection(off)).rejects.toMatchObject(fault)
    await flows.totp.activate(org_domain)
    await client.passkeys.updateConnection(off)
    await expect(client.totp.updateConnection(off)).rejects.toMatchObject(fault)
    await client.passkeys.updateConnection({ org_domain, active: true })
    await client.totp.updateConnection(off)
  })

  test('never loses both, however many switch off one or the other at once', async () => {
    const { org_domain } = await flows.scene()
    await flows.totp.activate(org_domain)
    await client.organizationPolicy.update({ org_domain, ...demanded })
    const off = { org_domain, active: false }
    await Promise.allSettled(
      [...Array(12).keys()].map((index) =>
        index % 2 === 0 ? client.totp.updateConnection(off) : client.passkeys.updateConnection(off),
      ),
    )

    const codes = await client.totp.getConnection({ org_domain })
    const passkeys = await client.passkeys.getConnection({ org_domain })
    expect([codes.active, passkeys.active].filter(Boolean)).toHaveLength(1)
  })
})

/** The page after the password of a sign-in of its own, of which two factors are demanded. */
async function afterPassword(
  scene: FlowScene,
  members: Record<string, string> = mfa,
  visitor: Visitor = flows.visitorOf(),
) {
  const { page } = await flows.atPassword(scene, members, visitor)
  return { visitor, page: await visitor.press(page, 'password', { password: goodPassword }) }
}
