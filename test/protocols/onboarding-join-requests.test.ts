import { describe, expect, test } from 'vitest'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { joiningGivenOf } from '../given/joining-given.js'
import { onboardingGivenOf } from '../given/onboarding-given.js'
import { createVisitor, withoutReference, type Seen, type Visitor } from '../given/visitor.js'
import { longDescribe } from '../sampled.js'

const service = await startService()
const client = await service.client()
const joining = joiningGivenOf(service, client)
const onboarding = onboardingGivenOf(service, client)

const path = '/onboarding/join-requests/sandbox'
const tenMinutes = 10 * 60
type Scene = Awaited<ReturnType<typeof joining.scene>>

/** An administrator whom the organization has invited. */
async function administratorOf({ org_domain }: Pick<Scene, 'org_domain'>) {
  const email = `it-${anything()}@corp.example`
  const { id } = await client.admins.invite({ org_domain, email })
  return { id, email, link: await onboarding.linkTo(email) }
}

/** The mails about people who ask to join, newest first. */
async function noticesTo({ email }: { email: string }): Promise<string[]> {
  await service.clock.advance(tenMinutes)
  const mails = await onboarding.mailsTo(email)
  return mails.filter((text) => text.includes('/onboarding/join-requests?'))
}

/** An organization in which somebody has asked, and the browser of its administrator behind the code. */
async function onPage() {
  const scene = await joining.scene()
  const admin = await administratorOf(scene)
  const request = await joining.ask(scene)
  const { visitor } = await onboarding.arrived(admin)
  return { scene, admin, request, visitor, page: () => visitor.visit(path) }
}

async function decide(visitor: Visitor, verdict: 'approve' | 'deny', join_request_id: string) {
  return visitor.send(await visitor.visit(path), verdict, { join_request_id })
}

function stateOf({ org_domain }: Pick<Scene, 'org_domain'>, join_request_id: string) {
  return client.joinRequests.get({ org_domain, join_request_id })
}

test('an administrator is mailed how many people ask to join, and decides about each behind the code', async () => {
  const scene = await joining.scene({ join_by_domain: 'request' })
  const admin = await administratorOf(scene)
  const [ada, grace] = [await joining.ask(scene), await joining.ask(scene)]
  const [mail, ...others] = await noticesTo(admin)
  expect(mail).toContain('2 people ask to join')
  expect(mail).not.toContain(ada.email)
  expect(others).toEqual([])

  const link = await onboarding.linkTo(admin.email)
  const { visitor, invitation, page: code } = await onboarding.atCode({ link })
  expect(invitation.html).toContain('Requests to join')
  expect(invitation.html).not.toContain(ada.email)
  expect((await visitor.visit(path)).status).toBe(401)
  const page = await visitor.press(code, 'verify', { code: await onboarding.codeTo(admin.email) })
  for (const told of [ada.email, grace.email]) expect(page.html).toContain(told)

  expect((await decide(visitor, 'approve', ada.id)).status).toBe(303)
  expect((await decide(visitor, 'deny', grace.id)).status).toBe(303)

  const decided_by = { type: 'admin', id: admin.id }
  expect(await stateOf(scene, ada.id)).toMatchObject({ state: 'approved', decided_by })
  expect(await stateOf(scene, grace.id)).toMatchObject({ state: 'denied', decided_by })
  expect(await joining.userOf(scene, ada.email)).toMatchObject({ active: true, email_verified: true })
  expect(await joining.userOf(scene, grace.email)).toBeUndefined()
  expect((await onboarding.mailsTo(ada.email))[0]).toContain('was approved')
  expect((await onboarding.mailsTo(grace.email))[0]).toContain('was not approved')
  expect((await visitor.visit(path)).html).toContain('Nobody is waiting')
  expect((await visitor.visit(`${path}?ui_locales=fr`)).html).toContain('Aucune demande')
})

longDescribe('nobody is mailed about those who ask', () => {
  test('who was invited to one connection, has declined, or whose invitation is over', async () => {
    const scene = await joining.scene()
    const { org_domain } = scene
    const { id: organization_id } = await client.organizations.get({ org_domain })
    const ofConnection = `it-${anything()}@corp.example`
    await client.ssoConnections.create({ organization_id, sso_admin_email: ofConnection, send_email: true })
    const declined = await administratorOf(scene)
    const { visitor, page } = await onboarding.arrived(declined)
    await visitor.send(page, 'decline')
    const late = await administratorOf(scene)
    await service.query(
      `update sso_admin_links set expires_at = $1 from sso_admins
       where sso_admins.id = sso_admin_links.admin_id and sso_admins.email = $2`,
      [service.clock.now(), late.email],
    )
    const told = await administratorOf(scene)
    await joining.ask(scene)

    expect(await noticesTo(told)).toHaveLength(1)
    for (const email of [ofConnection, declined.email, late.email])
      expect(await noticesTo({ email })).toEqual([])
  })

  test('when everything is decided by then, and no more than once in ten minutes', async () => {
    const scene = await joining.scene()
    const { org_domain } = scene
    const admin = await administratorOf(scene)
    const { id: join_request_id } = await joining.ask(scene)
    await client.joinRequests.deny({ org_domain, join_request_id })
    expect(await noticesTo(admin)).toEqual([])

    for (let asked = 0; asked < 3; asked++) await joining.ask(scene)
    expect(await noticesTo(admin)).toHaveLength(1)
    await joining.ask(scene)
    expect((await noticesTo(admin))[0]).toContain('4 people ask to join')
  })
})

describe('the link of such a mail', () => {
  test('reaches what the invitation does, as long as it does, beside its own link', async () => {
    const scene = await joining.scene()
    const admin = await administratorOf(scene)
    await joining.ask(scene)
    await noticesTo(admin)
    const link = await onboarding.linkTo(admin.email)
    expect((await createVisitor(service.baseUrl).visit(admin.link)).status).toBe(200)
    expect((await createVisitor(service.baseUrl).visit(link)).status).toBe(200)
    const [row] = await service.query<{ count: string }>(
      `select count(distinct expires_at) from sso_admin_links where admin_id = $1`,
      [admin.id],
    )
    expect(row?.count).toBe('1')
    const { visitor } = await onboarding.arrived({ link, email: admin.email })

    await client.admins.invite({ org_domain: scene.org_domain, email: admin.email })

    expect((await createVisitor(service.baseUrl).visit(link)).status).toBe(404)
    expect((await visitor.visit(path)).status).toBe(401)
  })

  test('ends with a refusal by the first link', async () => {
    const scene = await joining.scene()
    const admin = await administratorOf(scene)
    await joining.ask(scene)
    await noticesTo(admin)
    const link = await onboarding.linkTo(admin.email)
    const { visitor, page } = await onboarding.arrived(admin)

    await visitor.send(page, 'decline')

    expect((await createVisitor(service.baseUrl).visit(link)).status).toBe(404)
  })
})

describe('a decision on the page', () => {
  test('is one, of many administrators at once; the others are told', async () => {
    const { scene, request, visitor } = await onPage()
    const second = await onboarding.arrived(await administratorOf(scene))
    const pages = [await visitor.visit(path), await second.visitor.visit(path)]
    const send = (index: number) =>
      (index % 2 === 0 ? visitor : second.visitor).send(
        pages[index % 2] ?? missing(),
        index < 3 ? 'approve' : 'deny',
        { join_request_id: request.id },
      )

    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => send(index)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409, 409, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.html).toContain('decided in the meantime')
    expect(await joining.eventsOf(scene)).toHaveLength(2)
  })

  test('gives the roles of the policy, whatever the form says', async () => {
    const [given, other] = [`r${anything()}`, `r${anything()}`]
    for (const name of [given, other]) await client.roles.create({ name, display_name: name })
    const { scene, request, visitor, page } = await onPage()
    await client.organizationPolicy.update({ org_domain: scene.org_domain, join_roles: [given] })

    await visitor.send(await page(), 'approve', { join_request_id: request.id, roles: other })

    const { user_id } = await stateOf(scene, request.id)
    const { roles } = await client.roles.getUserRoles({
      org_domain: scene.org_domain,
      user_id: user_id ?? '',
    })
    expect(roles).toEqual([given])
  })

  test('is not made without a seat or for a domain that is no longer verified, and the page says why', async () => {
    const { scene, request, visitor } = await onPage()
    const { org_domain, domain_id } = scene
    await client.organizationPolicy.update({ org_domain, seats_limit: 1 })
    const full = await decide(visitor, 'approve', request.id)
    expect([full.status, full.html.includes('no free seat')]).toEqual([409, true])
    await client.organizationPolicy.update({ org_domain, seats_limit: 0 })
    await client.domains.delete({ org_domain, domain_id })
    const lapsed = await decide(visitor, 'approve', request.id)
    expect([lapsed.status, lapsed.html.includes('is no longer verified')]).toEqual([409, true])
    expect(await stateOf(scene, request.id)).toMatchObject({ state: 'pending' })
  })
})

describe('the page of the requests', () => {
  test('is in the list where people ask to join', async () => {
    const { scene, visitor } = await onPage()
    expect((await visitor.visit('/onboarding')).html).toContain(path)
    await client.organizationPolicy.update({ org_domain: scene.org_domain, join_by_domain: 'off' })
    expect((await visitor.visit('/onboarding')).html).not.toContain(path)
  })

  test('decides nothing of another organization, or of production for the sandbox', async () => {
    const mine = await onPage()
    const theirs = await onPage()
    expect((await decide(mine.visitor, 'approve', theirs.request.id)).status).toBe(409)
    expect((await mine.page()).html).not.toContain(theirs.request.email)
    expect(await stateOf(theirs.scene, theirs.request.id)).toMatchObject({ state: 'pending' })
    expect((await mine.visitor.visit('/onboarding/join-requests/production')).status).toBe(404)
  })

  test('is not there for whoever is invited to one connection, as one that is not there at all', async () => {
    const { scene, request } = await onPage()
    const { id: organization_id } = await client.organizations.get({ org_domain: scene.org_domain })
    const invited = await onboarding.invited({ organization_id })
    const { visitor, page: shown } = await onboarding.arrived(invited)
    const said = ({ status, html }: Seen) => ({ status, html: withoutReference(html) })
    const page = await visitor.visit(path)
    expect(page.status).toBe(404)
    expect(said(page)).toEqual(said(await visitor.visit('/onboarding/join-requests/nowhere')))
    const form = { ...shown, html: shown.html.replaceAll(/ action="[^"]*"/g, ` action="${path}"`) }
    await visitor.send(form, 'approve', { join_request_id: request.id })
    expect(await stateOf(scene, request.id)).toMatchObject({ state: 'pending' })
  })

  test('does nothing for a form that another site has sent, or that is another browser’s', async () => {
    const { scene, request, page, visitor } = await onPage()
    const fields = { join_request_id: request.id }
    const foreign = await visitor.send(await page(), 'approve', fields, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    const other = await onPage()
    expect((await visitor.send(await other.page(), 'approve', fields)).status).toBe(403)
    expect(await stateOf(scene, request.id)).toMatchObject({ state: 'pending' })
  })
})

function missing(): never {
  throw new Error('no page')
}
