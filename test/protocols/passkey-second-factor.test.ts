import { describe, expect, test } from 'vitest'
import { goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import type { Lie } from '../given/passkey-authenticator.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import type { Visitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const mfa = { acr_values: 'urn:portico:acr:mfa' }

/** The page after the password, of a sign-in of its own. */
async function afterPassword(scene: FlowScene, members: Record<string, string> = {}) {
  const visitor = given.flows.visitorOf()
  const { page } = await given.flows.atPassword(scene, members, visitor)
  return { visitor, page: await visitor.press(page, 'password', { password: goodPassword }) }
}

/** A user with an app and a passkey. */
async function withBoth() {
  const scene = await given.flows.enrolledScene()
  const visitor = given.flows.visitorOf()
  const asked = await given.signInAt(visitor, await visitor.visit(given.addressOf(scene)), scene)
  const page = await visitor.press(asked, 'totp', { code: given.flows.totp.codeOf(scene.app) })
  const held = given.authenticator()
  await visitor.press(page, 'add', { credential: held.create(given.asked(page)) })
  await service.clock.advance(30)
  return { scene, held }
}

async function amrOf(scene: FlowScene) {
  const { data } = await client.sessions.list({ org_domain: scene.org_domain, user_id: scene.user.id })
  return data[0]?.amr
}

describe('a passkey as the second factor', () => {
  test('stands beside the code of who has both, and either passes', async () => {
    const { scene, held } = await withBoth()
    const { visitor, page } = await afterPassword(scene)
    const [passkey] = await given.passkeysOf(scene)
    expect(given.asked(page)).toMatchObject({
      allowCredentials: [{ id: passkey?.credential_id }],
      userVerification: 'preferred',
    })

    const landed = await visitor.press(page, 'passkey', {
      credential: held.use(given.asked(page), { isVerified: false, userHandle: null }),
    })

    expect(isIn(landed)).toBe(true)
    expect(await amrOf(scene)).toEqual(['pwd', 'pop', 'mfa'])
    const other = await afterPassword(scene)
    const code = given.flows.totp.codeOf(scene.app)
    expect(isIn(await other.visitor.press(other.page, 'totp', { code }))).toBe(true)
  })

  test('comes before the code where the application demands a second factor, or the organization passkeys, and after it elsewhere', async () => {
    const { scene } = await withBoth()
    const { org_domain } = scene
    const first = async (members: Record<string, string> = {}) => {
      const { visitor, page } = await afterPassword(scene, members)
      const isFirst = page.html.indexOf('data-passkey="get"') < page.html.indexOf('name="code"')
      const [, main] = /value="(\w+)" class="main"/.exec(page.html) ?? []
      return { visitor, page, order: [isFirst, main] }
    }

    expect((await first()).order).toEqual([false, 'totp'])
    const demanded = await first(mfa)
    expect(demanded.order).toEqual([true, 'passkey'])
    expect(demanded.page.html).toContain('<h1>Confirm that it is you</h1>')
    const wrong = await demanded.visitor.press(demanded.page, 'totp', { code: '000000' })
    expect(wrong.status).toBe(422)
    expect(wrong.html).toContain('<h1>Enter your code</h1>')
    const code = given.flows.totp.codeOf(scene.app)
    expect(isIn(await demanded.visitor.press(wrong, 'totp', { code }))).toBe(true)
    await client.passkeys.updateConnection({ org_domain, requirement: 'required', grace_days: 0 })
    expect((await first()).order).toEqual([true, 'passkey'])
  })

  test('is not asked of who has a password besides, unless the application demands two factors', async () => {
    const { scene, held } = await given.withPasskey()
    await given.flows.totp.activate(scene.org_domain)
    expect(isIn((await afterPassword(scene)).page)).toBe(true)
    const { visitor, page } = await afterPassword(scene, mfa)
    expect(isIn(page)).toBe(false)
    expect(page.html).not.toContain('name="code"')

    const landed = await visitor.press(page, 'passkey', { credential: held.use(given.asked(page)) })

    expect(isIn(landed)).toBe(true)
    expect(await amrOf(scene)).toEqual(['pwd', 'pop', 'mfa'])
  })

  test('has to verify its user where it would make the session of an unattended browser fresh', async () => {
    const { scene, held } = await given.withPasskey()
    const { visitor } = await given.flows.signIn(scene)
    await service.clock.advance(11 * 60)
    const { page } = await given.flows.begin(scene, mfa, visitor)
    expect(given.asked(page)).toMatchObject({ userVerification: 'required' })
    const touched = held.use(given.asked(page), { isVerified: false })

    const refused = await visitor.press(page, 'passkey', { credential: touched })

    expect([refused.status, isIn(refused)]).toEqual([422, false])
    const verified = held.use(given.asked(refused), { userHandle: null })
    expect(isIn(await visitor.press(refused, 'passkey', { credential: verified }))).toBe(true)
    expect(await amrOf(scene)).toEqual(['pwd', 'pop', 'mfa'])
  })

  test('need not verify its user after another sign-in, which the page of the session leads to', async () => {
    const { scene, held } = await given.withPasskey()
    const { visitor } = await given.flows.signIn(scene)
    await service.clock.advance(11 * 60)
    const { page } = await given.flows.begin(scene, mfa, visitor)

    const first = await visitor.press(page, 'anew')
    const asked = await given.signInAt(visitor, first, scene)

    expect(given.asked(asked)).toMatchObject({ userVerification: 'preferred' })
    const credential = held.use(given.asked(asked), { isVerified: false })
    expect(isIn(await visitor.press(asked, 'passkey', { credential }))).toBe(true)
  })

  test('has to verify its user after a first factor of long ago', async () => {
    const { scene } = await given.withPasskey()
    const { visitor, page } = await afterPassword(scene, mfa)
    await service.query('update sign_in_flows set authenticated_at = $1 where user_id = $2', [
      new Date(service.clock.now().getTime() - 11 * 60_000),
      scene.user.id,
    ])

    expect(given.asked(await visitor.visit(page.url))).toMatchObject({ userVerification: 'required' })
  })

  test('is asked in place of an enrolment that the organization demands', async () => {
    const { scene, held } = await given.withPasskey()
    const { org_domain } = scene
    await given.flows.totp.activate(org_domain)
    await client.organizationPolicy.update({
      ...{ org_domain, second_factor: 'required', second_factor_grace_days: 0 },
    })
    const { visitor, page } = await afterPassword(scene)

    expect(isIn(await visitor.press(page, 'passkey', { credential: held.use(given.asked(page)) }))).toBe(true)
  })

  test('of somebody else passes for nobody, nor does a forged one, and the right one passes after them', async () => {
    const { scene, held } = await withBoth()
    const other = await given.withPasskey()
    const { visitor, page } = await afterPassword(scene)
    const theirs = await visitor.press(page, 'passkey', { credential: other.held.use(given.asked(page)) })
    const forged = await visitor.press(theirs, 'passkey', {
      credential: held.use(given.asked(theirs), { isForged: true }),
    })
    for (const refused of [theirs, forged]) expect([refused.status, isIn(refused)]).toEqual([422, false])

    const landed = await visitor.press(forged, 'passkey', { credential: held.use(given.asked(forged)) })

    expect(isIn(landed)).toBe(true)
  })

  test('of a colleague does not pass for its neighbour in the organization', async () => {
    const { scene } = await withBoth()
    const user = await service.given.user({ org_domain: scene.org_domain })
    await given.flows.passwords.set({ ...scene, user })
    const colleague = await given.withPasskey({ ...scene, user })
    const { visitor, page } = await afterPassword(scene)

    const landed = await visitor.press(page, 'passkey', { credential: colleague.held.use(given.asked(page)) })

    expect([landed.status, isIn(landed)]).toEqual([422, false])
  })

  test('takes no answer of the first page, whose challenge is of another purpose', async () => {
    const { scene, held } = await withBoth()
    const visitor = given.flows.visitorOf()
    const { page: first } = await given.flows.begin(scene, {}, visitor)
    const credential = held.use(given.asked(first))
    const asked = await visitor.press(first, 'identify', { email: scene.user.email })
    const page = await visitor.press(asked, 'password', { password: goodPassword })
    const landed = await visitor.press(page, 'passkey', { credential })

    expect([landed.status, isIn(landed)]).toEqual([422, false])
  })

  const lies: readonly (readonly [string, Lie])[] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['nobody there', { isPresent: false }],
    ['another user', { userHandle: Buffer.alloc(32).toString('base64url') }],
  ]
  test.each(lies)('whose answer is of %s does not pass', async (_, lie) => {
    const { scene, held } = await withBoth()
    const { visitor, page } = await afterPassword(scene)
    const landed = await visitor.press(page, 'passkey', { credential: held.use(given.asked(page), lie) })

    expect([landed.status, isIn(landed)]).toEqual([422, false])
  })

  test('does not pass once it is removed, or switched off, and the code does', async () => {
    const { scene, held } = await withBoth()
    const { org_domain } = scene
    const { visitor, page } = await afterPassword(scene)
    await client.passkeys.updateConnection({ org_domain, active: false })
    const off = await press(visitor, page, held.use(given.asked(page)))
    expect(off).toEqual([422, false])

    const again = await afterPassword(scene)

    expect(again.page.html).not.toContain('data-passkey')
    const code = given.flows.totp.codeOf(scene.app)
    expect(isIn(await again.visitor.press(again.page, 'totp', { code }))).toBe(true)
  })
})

async function press(visitor: Visitor, page: Parameters<Visitor['press']>[0], credential: string) {
  const landed = await visitor.press(page, 'passkey', { credential })
  return [landed.status, isIn(landed)]
}
