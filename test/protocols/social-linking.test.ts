import { describe, expect, test } from 'vitest'
import { goodPassword, isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { leadOf } from '../given/saml-given.js'
import { socialGivenOf, type SocialChoice, type SocialScene } from '../given/social-given.js'
import { createVisitor, type Seen, type Visitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)

interface OnSection {
  readonly of: SocialScene
  readonly user: { readonly id: string; readonly email: string }
  readonly visitor: Visitor
  readonly page: Seen
}

const addressOf = ({ org_domain }: SocialScene) => `/t/${org_domain}/account/linked?environment=sandbox`

/** A user who has just signed in with a password, on the page of their accounts elsewhere. */
async function onSection(scene?: SocialScene): Promise<OnSection> {
  const of = scene ?? (await given.scene())
  const { org_domain } = of
  const user = await service.given.user({ org_domain, email: `ada-${anything()}@awesome.example` }, client)
  await given.flows.passwords.set({ ...of, user })
  const visitor = createVisitor(service.baseUrl)
  const page = await signInAt(visitor, await visitor.visit(addressOf(of)), user)
  return { of, user, visitor, page }
}

async function signInAt(visitor: Visitor, page: Seen, { email }: { readonly email: string }): Promise<Seen> {
  const asked = await visitor.press(page, 'identify', { email })
  return visitor.press(asked, 'password', { password: goodPassword })
}

/** Goes to the built-in provider to link an account there. @returns The address that its answer leads to. */
async function visited({ visitor, page }: OnSection, choice: SocialChoice = {}): Promise<string> {
  const leading = await visitor.press(page, 'link', { provider: 'test' })
  // Else the provider may answer for whoever else is signed in there.
  expect(new URL(leadOf(leading)).searchParams.get('prompt')).toBe('select_account')
  return given.answered(visitor, leadOf(leading), choice)
}

async function identitiesOf({ org_domain }: SocialScene, { email }: { readonly email: string }) {
  return (await client.users.getByEmail({ org_domain, user_email: email })).identities
}

describe('an account elsewhere', () => {
  test('is linked by a visit to its provider, whatever its address, and signs its user in from then on', async () => {
    const on = await onSection()
    const { of, user, visitor } = on
    const subject = anything()

    const back = await visitor.visit(await visited(on, { subject, email: 'other@elsewhere.example' }))

    expect(back.url).toContain('/account/linked?environment=sandbox')
    expect(back.html).toContain('other@elsewhere.example')
    expect(await identitiesOf(of, user)).toMatchObject([{ provider: 'social.test' }])
    const { data } = await client.events.list()
    expect(data).toContainEqual(
      expect.objectContaining({
        code: 'user.identity.link.success',
        actor: { type: 'user', id: user.id },
        data: expect.objectContaining({ user_id: user.id }),
      }),
    )
    await service.runJobs()
    const { data: mails } = await client.outbox.list({ to: user.email })
    expect(mails.map((mail) => mail.subject).join()).toContain('was added')
    const { landed } = await given.signIn(of, { subject, email: 'other@elsewhere.example', verified: false })
    expect(isIn(landed)).toBe(true)
    expect((await client.users.list({ org_domain: of.org_domain })).total).toBe(1)
  })

  test('that signs another user in stays theirs', async () => {
    const first = await onSection()
    const subject = anything()
    await first.visitor.visit(await visited(first, { subject }))
    const second = await onSection(first.of)
    const back = await second.visitor.visit(await visited(second, { subject }))
    expect(back.html).toContain('signs somebody else in')
    expect(await identitiesOf(second.of, second.user)).toEqual([])
    expect(await identitiesOf(first.of, first.user)).toHaveLength(1)
  })

  test.each([
    ['denied', 'nothing was linked'],
    ['wrong_nonce', 'could not be linked'],
    ['unsigned', 'could not be linked'],
  ])('is not linked by an answer with the fault %s', async (fault, said) => {
    const on = await onSection()
    const back = await on.visitor.visit(await visited(on, { fault }))
    expect(back.html).toContain(said)
    expect(await identitiesOf(on.of, on.user)).toEqual([])
  })

  test('is linked by the browser of its session alone, so that nobody gets the account of an attacker', async () => {
    const mallory = await onSection()
    const answer = await visited(mallory)
    const victim = await onSection(mallory.of)
    const brought = await victim.visitor.request(answer)
    expect([brought.status, brought.location]).toEqual([403, null])
    expect(await identitiesOf(victim.of, victim.user)).toEqual([])
    expect(await identitiesOf(mallory.of, mallory.user)).toEqual([])
  })

  test('is not linked after the end of the session, nor when it is not fresh any more', async () => {
    const ended = await onSection()
    const answer = await visited(ended)
    await client.sessions.endAll({ org_domain: ended.of.org_domain, user_id: ended.user.id })
    expect((await ended.visitor.request(answer)).status).toBe(403)
    expect(await identitiesOf(ended.of, ended.user)).toEqual([])

    const stale = await onSection()
    // The code of the provider is good for a minute.
    await service.clock.advance(9 * 60 + 45)
    const late = await visited(stale)
    await service.clock.advance(30)
    const asked = await stale.visitor.visit(late)
    expect(asked.url).toContain('/sign-in/')
    expect(await identitiesOf(stale.of, stale.user)).toEqual([])
  })

  test('is linked to nobody whose address has to come by single sign-on', async () => {
    const on = await onSection()
    const answer = await visited(on)
    const { org_domain } = on.of
    const { id: organization_id } = await client.organizations.get({ org_domain })
    const email_domains = ['awesome.example']
    await client.ssoConnections.create({ organization_id, provider_type: 'test', email_domains })
    const back = await on.visitor.visit(answer)
    expect(back.html).toContain('could not be linked')
    expect(await identitiesOf(on.of, on.user)).toEqual([])
  })

  test('is not offered by a provider that the organization does not use', async () => {
    const on = await onSection()
    const { org_domain } = on.of
    const answer = await visited(on)
    await client.socialConnection.update({ org_domain, active: false })
    expect((await on.visitor.visit(answer)).html).toContain('could not be linked')
    const refused = await on.visitor.press(on.page, 'link', { provider: 'test' })
    expect([refused.status, await identitiesOf(on.of, on.user)]).toEqual([403, []])
  })
})

describe('unlinking', () => {
  test('takes the account elsewhere, ends the other sessions of the user, and keeps this one', async () => {
    const on = await onSection()
    const { of, user, visitor } = on
    const subject = anything()
    const back = await visitor.visit(await visited(on, { subject }))
    await given.signIn(of, { subject })
    const { org_domain } = of
    expect((await client.sessions.list({ org_domain, user_id: user.id })).total).toBeGreaterThan(1)

    const after = await visitor.press(back, 'unlink')

    expect(after.html).toContain('has been saved')
    expect(await identitiesOf(of, user)).toEqual([])
    expect((await client.sessions.list({ org_domain, user_id: user.id })).total).toBe(1)
  })

  test('leaves the last way to sign in', async () => {
    const of = await given.scene()
    const { org_domain } = of
    const email = `ada-${anything()}@awesome.example`
    const { visitor } = await given.signIn(of, { subject: email, email })
    await client.magicLink.updateConnection({ org_domain, active: false })
    const page = await visitor.visit(addressOf(of))
    const refused = await visitor.press(page, 'unlink')
    expect([refused.status, refused.html.includes('you could no longer sign in')]).toEqual([409, true])
    const { identities } = await client.users.getByEmail({ org_domain, user_email: email })
    expect(identities).toHaveLength(1)
  })

  test('takes a fresh sign-in, and nothing of another user', async () => {
    const first = await onSection()
    const back = await first.visitor.visit(await visited(first))
    const second = await onSection(first.of)
    const [theirs] = await identitiesOf(first.of, first.user)
    const own = await second.visitor.visit(await visited(second, { subject: anything() }))
    await second.visitor.press(own, 'unlink', { identity_id: theirs?.id ?? '' })
    expect(await identitiesOf(first.of, first.user)).toHaveLength(1)

    await service.clock.advance(11 * 60)
    const asked = await first.visitor.press(back, 'unlink')
    expect(asked.url).toContain('/sign-in/')
    expect(await identitiesOf(first.of, first.user)).toHaveLength(1)
  })
})
