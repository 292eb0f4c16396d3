import { describe, expect, test } from 'vitest'
import { goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { accountSignInGivenOf } from './account-sign-in-given.js'
import { mfa, recoveryCodesOf } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const account = accountSignInGivenOf(service, client)
const { flows } = given

const adding = 'data-passkey="create"'
const asking = 'data-passkey="get"'
const notNow = 'name="action" value="not_now"'
const link = 'way=recovery'
const wrong = 'This recovery code is incorrect or has already been used.'
const minute = 60

/** Has an organization demand passkeys. */
function demand(
  { org_domain }: Pick<FlowScene, 'org_domain'>,
  requirement: 'optional' | 'required' = 'required',
) {
  return client.passkeys.updateConnection({ org_domain, requirement, grace_days: 0 })
}

async function demandingScene(): Promise<FlowScene> {
  const scene = await flows.scene()
  await demand(scene)
  return scene
}

/** The page after the password, of a sign-in of its own. */
async function afterPassword(
  scene: FlowScene,
  members: Record<string, string> = {},
  visitor = flows.visitorOf(),
) {
  const { page } = await flows.atPassword(scene, members, visitor)
  return { visitor, page: await visitor.press(page, 'password', { password: goodPassword }) }
}

/** A user who has just added their first passkey in a sign-in that demands one, at the page that follows. */
async function added(of?: FlowScene, members: Record<string, string> = {}) {
  const scene = of ?? (await demandingScene())
  const { visitor, page } = await afterPassword(scene, members)
  const held = given.authenticator()
  const shown = await visitor.press(page, 'passkey', { credential: held.create(given.asked(page)) })
  return { scene, visitor, held, shown, codes: recoveryCodesOf(shown) }
}

/** The same user later, with the codes that they have saved. */
async function withCodes(of?: FlowScene, members: Record<string, string> = {}) {
  const at = await added(of, members)
  const page = await given.withCodesSaved(at.visitor, at.shown)
  expect([at.codes.length, isIn(page)]).toEqual([5, true])
  await service.clock.advance(1)
  return { ...at, code: at.codes[0] ?? '' }
}

/** The page of the recovery code, by the link on a page that asks for the passkey. */
function toCode(page: Seen, visitor: Visitor): Promise<Seen> {
  const [, address] = /href="([^"]*way=recovery[^"]*)"/.exec(page.html) ?? []
  expect(address).toBeDefined()
  return visitor.visit(address?.replaceAll('&amp;', '&') ?? '')
}

/** The page of the recovery code, of a sign-in of its own. */
async function atCode(scene: FlowScene, members: Record<string, string> = {}) {
  const { visitor, page } = await afterPassword(scene, members)
  return { visitor, page: await toCode(page, visitor) }
}

/** Sends a code at the page for it. */
function type({ visitor, page }: { visitor: Visitor; page: Seen }, code: string): Promise<Seen> {
  return visitor.press(page, 'recovery_code', { code })
}

/** Whether a code still leads to the page that adds a passkey. */
async function works(scene: FlowScene, code: string): Promise<boolean> {
  return (await type(await atCode(scene), code)).html.includes(adding)
}

async function add(page: Seen, visitor: Visitor, held = given.authenticator()): Promise<Seen> {
  return visitor.press(page, 'passkey', { credential: held.create(given.asked(page)) })
}

/** The section of the account page, after a sign-in with the passkey. */
async function onSection(scene: FlowScene, held: ReturnType<typeof given.authenticator>) {
  const visitor = flows.visitorOf()
  const first = await visitor.visit(given.addressOf(scene))
  return {
    visitor,
    page: await visitor.press(first, 'passkey', { credential: held.use(given.asked(first)) }),
  }
}

async function amrsOf({ org_domain, user }: FlowScene) {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data.map(({ amr }) => amr)
}

async function logOf({ org_domain, user }: FlowScene) {
  const { data } = await client.logEvents.list({ org_domain, user_id: user.id })
  return data.map(({ event_code, reason }) => [event_code, reason])
}

async function subjectsTo({ user }: FlowScene): Promise<string> {
  await service.runJobs()
  const { data } = await client.outbox.list({ to: user.email })
  return data.map(({ subject }) => subject).join('\n')
}

/** Blocks the passkeys of a user as copies. */
function block({ user }: FlowScene) {
  return service.query('update passkeys set disabled_at = now() where user_id = $1', [user.id])
}

describe('the recovery codes of passkeys', () => {
  test('come with the first passkey that is demanded, are shown once, and are to be saved', async () => {
    const { scene, visitor, held, shown, codes } = await added()
    expect(codes).toHaveLength(5)
    expect(shown.html).toContain('If you lose your passkey')
    const again = await visitor.visit(shown.url)
    expect(recoveryCodesOf(again)).toEqual([])
    const unsaved = await visitor.press(again, 'acknowledge')
    expect([unsaved.status, isIn(unsaved)]).toEqual([422, false])
    const fresh = await visitor.press(again, 'new_codes')
    expect(recoveryCodesOf(fresh)).toHaveLength(5)

    const landed = await visitor.press(fresh, 'acknowledge', { acknowledged: 'true' })

    expect(isIn(landed)).toBe(true)
    expect(await amrsOf(scene)).toContainEqual(['pwd', 'pop', 'mfa'])
    expect(await works(scene, codes[0] ?? '')).toBe(false)
    expect(await works(scene, recoveryCodesOf(fresh)[0] ?? '')).toBe(true)
    const next = await afterPassword(scene)
    const credential = held.use(given.asked(next.page))
    expect(isIn(await next.visitor.press(next.page, 'passkey', { credential }))).toBe(true)
  })

  test('come with one that an application or the policy demands, and not where nothing does, nor beside an app', async () => {
    expect((await added(await flows.scene(), mfa)).codes).toHaveLength(5)
    const policy = await flows.scene()
    await client.organizationPolicy.update({
      ...{ org_domain: policy.org_domain, second_factor: 'required', second_factor_grace_days: 0 },
    })
    expect((await added(policy)).codes).toHaveLength(5)

    const free = await given.withPasskey()
    expect(free.page.html).not.toContain('recovery code')
    const coded = await flows.enrolledScene()
    const asked = await afterPassword(coded, { acr_values: 'phr' })
    const page = await asked.visitor.press(asked.page, 'totp', { code: flows.totp.codeOf(coded.app) })
    expect(isIn(await add(page, asked.visitor))).toBe(true)
  })

  test('are made by one of two sign-ins that add the first passkey at once', async () => {
    const scene = await demandingScene()
    const both = await Promise.all([afterPassword(scene), afterPassword(scene)])

    const pages = await Promise.all(both.map(({ page, visitor }) => add(page, visitor)))

    expect(pages.map((page) => recoveryCodesOf(page).length).toSorted()).toEqual([0, 5])
    expect(await given.passkeysOf(scene)).toHaveLength(1)
  })
})

describe('a recovery code in place of a passkey', () => {
  test('leads to a page that adds another one, once, and signs nobody in by itself', async () => {
    const { scene, code } = await withCodes()
    const before = await amrsOf(scene)
    const at = await atCode(scene)
    expect(at.page.html).not.toContain('data-passkey')

    const page = await type(at, ` ${code.toUpperCase().replace('-', ' ')}`)

    expect(page.html).toContain(adding)
    expect(page.html).toContain('Your recovery code was right')
    expect([page.html.includes(notNow), page.html.includes('value="enroll"')]).toEqual([false, false])
    const refused = await at.visitor.press(page, 'not_now')
    expect([refused.status, isIn(refused)]).toEqual([422, false])
    expect(await amrsOf(scene)).toEqual(before)
    const held = given.authenticator()
    const landed = await add(refused, at.visitor, held)
    expect(isIn(landed)).toBe(true)
    expect(await given.passkeysOf(scene)).toHaveLength(2)
    expect((await amrsOf(scene))[0]).toEqual(['pwd', 'pop', 'mfa'])
    const again = await type(await atCode(scene), code)
    expect([again.status, again.html.includes(wrong)]).toEqual([422, true])
    expect(await works(scene, code)).toBe(false)
  })

  test('is told by a mail and a log event, as a refused one is', async () => {
    const { scene, code } = await withCodes()
    await type(await atCode(scene), 'aaaaa-aaaaa')
    await type(await atCode(scene), code)

    const log = await logOf(scene)

    expect(log).toContainEqual(['PASSKEY_RECOVERY_CODE_USED', null])
    expect(log).toContainEqual(['END_USER_PASSKEY_FAILED', 'code_rejected'])
    expect(await subjectsTo(scene)).toContain('A recovery code was used at')
  })

  test('is used by one of two browsers at once', async () => {
    const { scene, code } = await withCodes()
    const both = await Promise.all([atCode(scene), atCode(scene)])

    const pages = await Promise.all(both.map((at) => type(at, code)))

    expect(pages.filter((page) => page.html.includes(adding))).toHaveLength(1)
  })

  test('is one of two that a sign-in sends at once, and the other one still works', async () => {
    const { scene, codes } = await withCodes()
    const [first = '', second = ''] = codes
    const at = await atCode(scene)

    await Promise.all([type(at, first), type(at, second)])

    expect([await works(scene, first), await works(scene, second)].filter(Boolean)).toHaveLength(1)
  })

  test('is looked at five times, and then for 15 minutes not, right or wrong; the passkey passes', async () => {
    const { scene, held, code } = await withCodes()
    const at = await atCode(scene)
    let page = at.page
    const statuses: number[] = []
    for (const typed of [...Array<string>(5).fill('aaaaa-aaaaa'), code]) {
      page = await type({ ...at, page }, typed)
      statuses.push(page.status)
    }
    expect(statuses).toEqual([422, 422, 422, 422, 429, 429])
    expect(page.html).toContain('Too many attempts')
    expect((await logOf(scene))[0]).toEqual(['END_USER_PASSKEY_FAILED', 'locked'])
    const asked = await afterPassword(scene)
    const credential = held.use(given.asked(asked.page))
    expect(isIn(await asked.visitor.press(asked.page, 'passkey', { credential }))).toBe(true)

    await service.clock.advance(15 * minute)

    expect(await works(scene, code)).toBe(true)
  })

  test('is wrong at a sign-in of a colleague, and of somebody elsewhere', async () => {
    const { scene, code } = await withCodes()
    const { org_domain } = scene
    const user = await service.given.user({ org_domain }, client)
    const colleague = { ...scene, user }
    await flows.passwords.set(colleague)
    await withCodes(colleague)
    const { scene: elsewhere } = await withCodes()

    for (const other of [colleague, elsewhere]) {
      const page = await type(await atCode(other), code)
      expect([page.status, page.html.includes(wrong)]).toEqual([422, true])
    }
    expect(await works(scene, code)).toBe(true)
  })

  test('is not for who has enrolled an app by now', async () => {
    const { scene, code } = await withCodes()
    const { org_domain, user } = scene
    const early = await atCode(scene)
    await flows.totp.activate(org_domain)
    await flows.totp.enroll({ org_domain, user_id: user.id })

    const { visitor, page } = await afterPassword(scene)
    const landed = await Promise.all([type(early, code), type({ visitor, page }, code)])

    expect(landed.map(({ html }) => html.includes(adding))).toEqual([false, false])
    await client.totp.removeEnrollment({ org_domain, user_id: user.id })
    expect(await works(scene, code)).toBe(true)
  })

  test('is not used where passkeys are switched off by now', async () => {
    const { scene, code } = await withCodes()
    const at = await atCode(scene)
    const { org_domain } = scene
    await client.passkeys.updateConnection({ org_domain, active: false })

    const page = await type(at, code)

    expect([page.html.includes(adding), isIn(page)]).toEqual([false, false])
    await client.passkeys.updateConnection({ org_domain, active: true })
    await demand(scene)
    expect(await works(scene, code)).toBe(true)
  })

  test('is taken by no call of the API', async () => {
    const { scene, code } = await withCodes()
    const { org_domain, user } = scene
    const by = { org_domain, user_email: user.email, plain_text: goodPassword }
    const { request_id } = await client.password.createChallenge(by)
    const of = { org_domain, user_id: user.id }

    const refused = { code: expect.stringMatching(/^totp_/) as unknown }
    const asked = client.totp.createChallenge({ ...of, password_request_id: request_id ?? '' })
    await expect(asked).rejects.toMatchObject(refused)
    await expect(client.totp.validateChallenge({ ...of, code })).rejects.toMatchObject(refused)
    expect(await works(scene, code)).toBe(true)
  })

  test('is no way around an application that takes a passkey alone', async () => {
    const phr = { acr_values: 'phr' }
    const { scene, code } = await withCodes(await flows.scene(), phr)
    const at = await atCode(scene, phr)

    const page = await type(at, code)

    expect([page.html.includes(adding), page.html.includes(notNow)]).toEqual([true, false])
    for (const action of ['not_now', 'enroll', 'acknowledge'])
      expect(isIn(await at.visitor.press(page, action, { acknowledged: 'true' }))).toBe(false)
    const shown = await at.visitor.visit(page.url)
    expect(isIn(await add(shown, at.visitor))).toBe(true)
  })

  test('takes the place of a passkey that was blocked', async () => {
    const { scene, code } = await withCodes()
    await block(scene)
    const { visitor, page } = await afterPassword(scene)
    expect(page.html).toContain('Your passkey was blocked')

    const next = await type({ visitor, page: await toCode(page, visitor) }, code)

    expect(isIn(await add(next, visitor))).toBe(true)
    expect(await given.passkeysOf(scene)).toHaveLength(2)
  })

  test('leads the account page to the section, where the new passkey removes the lost one', async () => {
    const { scene, code } = await withCodes()
    const [lost] = await given.passkeysOf(scene)
    const visitor = flows.visitorOf()
    const asked = await given.signInAt(visitor, await visitor.visit(given.addressOf(scene)), scene)
    expect(asked.html).toContain(asking)
    const page = await type({ visitor, page: await toCode(asked, visitor) }, code)

    const own = await add(page, visitor)

    expect(own.url).toContain('/account/passkeys')
    await visitor.press(own, 'remove', { passkey_id: lost?.id ?? '' })
    const left = await given.passkeysOf(scene)
    expect(left).toHaveLength(1)
    expect(left).not.toContainEqual(expect.objectContaining({ id: lost?.id }))
  })

  test('does not refresh a session of more than ten minutes, which signs in anew for it', async () => {
    const { scene, code } = await withCodes(await flows.scene(), mfa)
    const { visitor } = await flows.signIn(scene)
    const recent = await flows.begin(scene, mfa, visitor)
    expect(recent.page.html).toContain(link)
    await service.clock.advance(11 * minute)

    const { page } = await flows.begin(scene, mfa, visitor)
    expect(page.html).toContain(asking)
    expect(page.html).not.toContain(link)
    const refused = await type({ visitor, page }, code)

    expect([refused.html.includes(adding), isIn(refused)]).toEqual([false, false])
    const first = await visitor.press(refused, 'anew')
    const asked = await given.signInAt(visitor, first, scene)
    expect((await type({ visitor, page: await toCode(asked, visitor) }, code)).html).toContain(adding)
  })

  test('is for the sign-in of its user, and not for who signs in after them in the same browser', async () => {
    const { scene, code } = await withCodes()
    const user = await service.given.user({ org_domain: scene.org_domain }, client)
    const colleague = { ...scene, user }
    await flows.passwords.set(colleague)
    const at = await atCode(scene, { prompt: 'consent' })
    const page = await type(at, code)
    await demand(scene, 'optional')
    const allowing = await at.visitor.press(page, 'not_now')
    const first = await at.visitor.press(allowing, 'change_address')
    await demand(scene)

    const other = await given.signInAt(at.visitor, first, colleague)

    expect(other.html).toContain(adding)
    expect(other.html).not.toContain('Your recovery code was right')
  })

  test('ends with the passkeys when the owner of the mailbox proves it for the first time', async () => {
    const { scene, code } = await withCodes()
    const visitor = flows.visitorOf()
    const { page } = await flows.begin(scene, {}, visitor)
    await visitor.press(await visitor.press(page, 'identify', { email: scene.user.email }), 'mail_link')
    const opened = await account.links.open(await account.links.newestLinkTo(scene.user.email), visitor)
    const enrolling = await visitor.visit(opened.location ?? '')
    expect(enrolling.html).toContain(adding)

    const shown = await add(enrolling, visitor)

    expect(recoveryCodesOf(shown)).toHaveLength(5)
    expect(recoveryCodesOf(shown)).not.toContain(code)
  })

  test('leaves new ones with the passkey when it was the last', async () => {
    const { scene, codes } = await withCodes()
    const pages: Seen[] = []
    for (const code of codes) {
      const at = await atCode(scene)
      pages.push(await add(await type(at, code), at.visitor))
    }

    expect(pages.map((page) => recoveryCodesOf(page).length)).toEqual([0, 0, 0, 0, 5])
  })

  test('leaves new ones where an application alone demands the passkey', async () => {
    const { scene, codes } = await withCodes(await flows.scene(), mfa)
    const pages: Seen[] = []
    for (const code of codes) {
      const at = await atCode(scene, mfa)
      pages.push(await add(await type(at, code), at.visitor))
    }

    expect(pages.map((page) => recoveryCodesOf(page).length)).toEqual([0, 0, 0, 0, 5])
  })

  test('is taken of no sign-in whose password signs nobody in by now, and stays good', async () => {
    const { scene, code } = await withCodes()
    const { org_domain } = scene
    const at = await atCode(scene)
    await client.password.updateConnection({ org_domain, active: false })

    const refused = await type(at, code)

    expect(refused.html).not.toContain(adding)
    await client.password.updateConnection({ org_domain, active: true })
    expect(await works(scene, code)).toBe(true)
  })

  test('that was typed where no passkey can be made leaves another sign-in, for which another code is good', async () => {
    const { scene, codes } = await withCodes()
    const at = await atCode(scene)
    const page = await type(at, codes[0] ?? '')

    const again = await at.visitor.press(page, 'anew')

    expect(again.html).toContain('name="email"')
    expect(await works(scene, codes[1] ?? '')).toBe(true)
  })

  test('ends when an operator opens the recovery of the passkeys', async () => {
    const { scene } = await withCodes()
    expect((await afterPassword(scene)).page.html).toContain(link)

    await client.passkeys.openRecovery({
      ...{ org_domain: scene.org_domain, user_id: scene.user.id, reason: 'Lost their bag' },
    })

    expect((await afterPassword(scene)).page.html).not.toContain(link)
  })
})

describe('the recovery codes on the account page', () => {
  test('are counted, and made anew by a fresh session, which is told by mail', async () => {
    const { scene, held, code } = await withCodes()
    const { visitor, page } = await onSection(scene, held)
    expect(page.html).toContain('You have 5 recovery codes left')

    const shown = await visitor.press(page, 'new_codes')

    const [made = ''] = recoveryCodesOf(shown)
    expect(recoveryCodesOf(shown)).toHaveLength(5)
    expect((await visitor.press(shown, 'acknowledge')).status).toBe(422)
    const saved = await visitor.press(shown, 'acknowledge', { acknowledged: 'true' })
    expect(saved.html).toContain('You have 5 recovery codes left')
    expect(await subjectsTo(scene)).toContain('You have new recovery codes for')
    expect([await works(scene, code), await works(scene, made)]).toEqual([false, true])
    expect((await visitor.visit(given.addressOf(scene))).html).toContain('You have 4 recovery codes left')
    await service.clock.advance(11 * minute)
    const late = await visitor.press(saved, 'new_codes')
    expect([recoveryCodesOf(late), late.url.includes('/sign-in/')]).toEqual([[], true])
  })

  test('are offered to who has a passkey that is demanded, and to nobody else', async () => {
    const free = await given.withPasskey()
    expect(free.page.html).not.toContain('new_codes')
    expect(recoveryCodesOf(await free.visitor.press(free.page, 'new_codes'))).toEqual([])
    await demand(free.scene)
    const offered = await free.visitor.visit(given.addressOf(free.scene))
    expect(offered.html).toContain('Get recovery codes')
    expect(recoveryCodesOf(await free.visitor.press(offered, 'new_codes'))).toHaveLength(5)

    const { scene, held } = await withCodes()
    const { visitor, page } = await onSection(scene, held)
    const { org_domain, user } = scene
    await flows.totp.activate(org_domain)
    await flows.totp.enroll({ org_domain, user_id: user.id })

    expect((await visitor.visit(given.addressOf(scene))).html).not.toContain('new_codes')
    expect(recoveryCodesOf(await visitor.press(page, 'new_codes'))).toEqual([])
  })
})
