import { followMagicLink } from '@portico/sdk'
import { expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows } = given

const logo = 'https://only.example/icon.png'

/** A user of one organization, which has passwords alone, with one that an administrator has set: its owner has opened no link. */
async function imported(): Promise<FlowScene> {
  const application = await given.application()
  const scene = await given.scene(application)
  const { org_domain, user } = scene
  await client.organizations.update({ org_domain, icon_logo_url: logo })
  await client.magicLink.updateConnection({ org_domain, active: false })
  await service.query('update users set email_proved_at = null, last_signed_in_at = null where id = $1', [
    user.id,
  ])
  return scene
}

/** Proves the mailbox, and enters the organization by its password. */
async function enterByPassword(scene: FlowScene, visitor: Visitor): Promise<Seen> {
  const list = await given.prove(scene.application, scene.user.email, visitor)
  expect(listedOn(list)).toEqual([scene.org_domain])
  const asked = await given.enter(list, scene.org_domain, visitor)
  return visitor.press(asked, 'password', { password: goodPassword })
}

longTest(
  'an organization that only an administrator has entered as the user is chosen, and shows no logo',
  async () => {
    const scene = await imported()
    const { landed } = await given.signIn(scene)
    expect(isIn(landed)).toBe(true)

    const list = await given.prove(scene.application, scene.user.email)

    expect(listedOn(list)).toEqual([scene.org_domain])
    expect(list.html).toContain('Not used yet')
    expect(list.html).not.toContain(logo)
  },
)

test('a sign-in by the password that began with the proof of the mailbox has its organization entered at once from then on', async () => {
  const scene = await imported()
  expect(isIn(await enterByPassword(scene, flows.visitorOf()))).toBe(true)

  const page = await given.prove(scene.application, scene.user.email)

  expect(listedOn(page)).toEqual([])
  expect(page.html).toContain('Enter your password')
})

test('the same sign-in ends what an administrator has begun as the user, and is the only one that goes on', async () => {
  const scene = await imported()
  const { visitor: administrator } = await given.signIn(scene)
  const visitor = flows.visitorOf()

  await enterByPassword(scene, visitor)

  expect(await given.answerTo(scene, { prompt: 'none' }, administrator)).toMatchObject({
    error: 'login_required',
  })
  expect(await given.answerTo(scene, { prompt: 'none' }, visitor)).toHaveProperty('code')
})

test('the proof of another address proves nothing of the user who signs in', async () => {
  const scene = await imported()
  const { org_domain, application, user } = scene
  const other = await service.given.user({ org_domain })
  const visitor = flows.visitorOf()
  const asked = await given.enter(await given.prove(application, other.email, visitor), org_domain, visitor)

  const identifier = await visitor.press(asked, 'change_address')
  expect(isIn(await given.pass(scene, identifier, visitor))).toBe(true)

  expect(listedOn(await given.prove(application, user.email))).toEqual([org_domain])
})

test('a sign-in link that the API has returned verifies the address, and its organization is chosen still', async () => {
  const application = await given.application()
  const { org_domain, user } = await given.member()
  const { id } = await client.organizations.get({ org_domain })
  const ofOne = await service.client({ organizationIds: [id] })
  const { magic_link: link } = await ofOne.magicLink.createChallenge({
    org_domain,
    user_email: user.email,
    send_email: false,
  })
  expect(await followMagicLink(link ?? '')).toMatchObject({ outcome: 'code' })

  expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({ email_verified: true })
  expect(listedOn(await given.prove(application, user.email))).toEqual([org_domain])
})

test('a password that was set by a link that the API has returned signs in, and its organization is chosen still', async () => {
  const scene = await given.scene(await given.application())
  expect(isIn((await given.signIn(scene)).landed)).toBe(true)

  expect(listedOn(await given.prove(scene.application, scene.user.email))).toEqual([scene.org_domain])
})

test('a session that only goes on, because consent alone is asked for, is not ended by the proof', async () => {
  const scene = await imported()
  const { visitor } = await given.signIn(scene)
  const asked = { prompt: 'consent select_organization' }
  const list = await given.prove(scene.application, scene.user.email, visitor, asked)

  const consent = await given.enter(list, scene.org_domain, visitor)

  expect(consent.html).toContain('name="action" value="allow"')
  expect(isIn(await visitor.press(consent, 'allow'))).toBe(true)
})
