import { describe, expect, test } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { joiningGivenOf } from '../given/joining-given.js'
import { roleGivenOf } from '../given/role-given.js'
import { shownCode } from '../given/flow-link-given.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = joiningGivenOf(service, client)
const { flows, links } = given
const roles = roleGivenOf(client)
const accounts = accountSignInGivenOf(service, client)

const asking = 'Ask to join'
const asked = 'Your request was sent'

async function viaOf(org_domain: string): Promise<unknown[]> {
  const rows = await service.query<{ params: Record<string, unknown> }>(
    `select params from events where domain = $1 and code = 'user.user.create.success' order by issued_at`,
    [org_domain],
  )
  return rows.map(({ params }) => params['via'])
}

describe('an address of a verified domain', () => {
  test('becomes a user with the roles of the policy, once its owner has opened a link', async () => {
    const role = await roles.role()
    const scene = await given.scene({ join_by_domain: 'automatic', join_roles: [role.name] })
    const { org_domain } = scene
    const email = scene.anybody()

    const landed = await given.arrive(scene, email)

    expect(isIn(landed)).toBe(true)
    const user = await given.userOf(scene, email)
    expect(user).toMatchObject({ email_verified: true })
    const held = await client.roles.getUserRoles({ org_domain, user_id: user?.id ?? '' })
    expect(held.assignments).toMatchObject([{ role: role.name, source: 'join', effective: true }])
    expect((await viaOf(org_domain)).at(-1)).toBe('join')
  })

  test('asks to join, is approved with the roles of the policy, told by mail, and signs in', async () => {
    const role = await roles.role()
    const scene = await given.scene({ join_by_domain: 'request', join_roles: [role.name] })
    const { org_domain } = scene
    const email = scene.anybody()
    const visitor = flows.visitorOf()

    const page = await given.arrive(scene, email, visitor)
    expect(page.html).toContain(asking)
    expect(await given.userOf(scene, email)).toBeUndefined()
    const sent = await visitor.press(page, 'ask')
    expect(sent.html).toContain(asked)
    expect(await given.userOf(scene, email)).toBeUndefined()
    const [request] = (await client.joinRequests.list({ org_domain })).data
    expect(request).toMatchObject({ email, state: 'pending', decided_by: null, user_id: null })

    const approved = await client.joinRequests.approve({ org_domain, join_request_id: request?.id ?? '' })

    const user = await given.userOf(scene, email)
    expect(approved).toMatchObject({
      state: 'approved',
      user_id: user?.id,
      decided_by: { type: 'api_key' },
    })
    const held = await client.roles.getUserRoles({ org_domain, user_id: user?.id ?? '' })
    expect(held.assignments).toMatchObject([{ role: role.name, source: 'join' }])
    await service.runJobs()
    const [mail] = (await client.outbox.list({ to: email })).data
    expect(mail?.subject).toContain('You are a member of')
    const waiting = await visitor.visit(page.url)
    expect(waiting.html).toContain('You are a member of')
    expect(isIn(await visitor.press(waiting, 'enter'))).toBe(true)
    expect(isIn(await given.arrive(scene, email))).toBe(true)
    expect(await given.eventsOf(scene)).toEqual(['create.success', 'approve.success'])
  })

  test('that is denied learns no more than that, has no user, and may ask again', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const request = await given.ask(scene)

    const denied = await client.joinRequests.deny({ org_domain, join_request_id: request.id })

    expect(denied).toMatchObject({ state: 'denied', user_id: null, decided_by: { type: 'api_key' } })
    expect(await given.userOf(scene, request.email)).toBeUndefined()
    await service.runJobs()
    const [mail] = (await client.outbox.list({ to: request.email })).data
    expect(mail?.text).toContain('was not approved')
    const page = await given.arrive(scene, request.email)
    expect(page.html).toContain('Your last request was not approved')
    expect((await given.ask(scene, request.email)).id).not.toBe(request.id)
  })

  test('asks by the code of a link that another browser has opened', async () => {
    const scene = await given.scene()
    const email = scene.anybody()
    const { page, link, visitor } = await links.linkSent(scene, { email })
    const code = shownCode(await links.open(link))
    expect(code).not.toBe('')

    const waiting = await visitor.press(await visitor.visit(page.url), 'link_code', { code })

    expect(waiting.html).toContain(asking)
  })

  test('is listed at the issuer of the account: entering joins, or asks', async () => {
    const application = await accounts.application()
    const automatic = await given.scene({ join_by_domain: 'automatic' })
    const request = await given.scene({ join_by_domain: 'request' })
    await client.domains.create({ org_domain: request.org_domain, domain: automatic.domain })
    await client.organizationPolicy.update({ org_domain: request.org_domain })
    const email = automatic.anybody()
    const visitor = flows.visitorOf()

    const list = await accounts.prove(application, email, visitor)

    expect(listedOn(list).toSorted()).toEqual([automatic.org_domain, request.org_domain].toSorted())
    expect(list.html.split('You can ask to join')).toHaveLength(2)
    const page = await accounts.enter(list, request.org_domain, visitor)
    expect(page.html).toContain(asking)
    expect((await visitor.press(page, 'ask')).html).toContain(asked)
    const again = await accounts.begin(application, visitor, { prompt: 'select_organization' })
    expect(isIn(await accounts.enter(again, automatic.org_domain, visitor))).toBe(true)
    expect(await given.userOf(automatic, email)).toBeDefined()
    expect(await given.userOf(request, email)).toBeUndefined()
  })
})

test.each([
  ['of this sign-in enrols a', 0, true],
  ['of an earlier one enrols no', 30, false],
] as const)('a proof %s second factor where the request is approved', async (_, minutes, isEnrolling) => {
  const application = await accounts.application()
  const scene = await given.scene({ join_by_domain: 'request' })
  const { org_domain } = scene
  const email = scene.anybody()
  const visitor = flows.visitorOf()
  const proved = await accounts.prove(application, email, visitor)
  await service.clock.advance(minutes * 60)
  const list = minutes === 0 ? proved : await accounts.begin(application, visitor)
  const page = await visitor.press(await accounts.enter(list, org_domain, visitor), 'ask')
  const [request] = (await client.joinRequests.list({ org_domain, email })).data
  await client.joinRequests.approve({ org_domain, join_request_id: request?.id ?? '' })
  await flows.totp.activate(org_domain)
  await client.organizationPolicy.update({
    ...{ org_domain, second_factor: 'required', second_factor_grace_days: 0 },
  })

  const entered = await visitor.press(await visitor.visit(page.url), 'enter')

  expect([entered.html.includes('Set up two-step verification'), isIn(entered)]).toEqual([isEnrolling, false])
})

describe('nobody joins', () => {
  /** Whether a sign-in of the address is mailed a link, which nobody's is not. */
  async function isMailed(scene: Awaited<ReturnType<typeof given.scene>>, email: string): Promise<boolean> {
    await links.atLinkSent(scene, { email })
    return (await links.linksTo(email)).length > 0
  }

  test.each([
    ['where the policy is off', 'off', (domain: string) => `ada@${domain}`],
    ['by a subdomain', 'automatic', (domain: string) => `ada@sub.${domain}`],
    ['by a domain of which the verified one is the end', 'automatic', (domain: string) => `ada@x${domain}`],
    ['by a domain that nobody has proved', 'automatic', () => `ada@${anything()}.example`],
  ] as const)('%s: no mail, and no user', async (_, join_by_domain, addressOf) => {
    const scene = await given.scene({ join_by_domain })
    const email = addressOf(scene.domain)

    expect(await isMailed(scene, email)).toBe(false)
    expect(await given.userOf(scene, email)).toBeUndefined()
  })

  test('by a domain that was only declared', async () => {
    const scene = await given.scene({ join_by_domain: 'automatic' })
    const production = await service.client({ environment: 'production' })
    const { org_domain } = scene
    const domain = `${anything()}.com`
    await production.domains.create({ org_domain, domain, declared: true })
    await client.domains.create({ org_domain, domain, declared: true })

    expect(await isMailed(scene, `ada@${domain}`)).toBe(false)
  })

  test.each(['automatic', 'request'] as const)(
    'by a domain that lapsed a minute ago, whose link was mailed before: %s',
    async (join_by_domain) => {
      const scene = await given.scene({ join_by_domain })
      const email = scene.anybody()
      const visitor = flows.visitorOf()
      const { link } = await links.linkSent(scene, { visitor, email })
      await client.domains.delete({ org_domain: scene.org_domain, domain_id: scene.domain_id })

      const opened = await links.open(link, visitor)

      expect(opened.status).toBe(404)
      expect(await given.userOf(scene, email)).toBeUndefined()
    },
  )

  test.each(['automatic', 'request'] as const)(
    'where links sign nobody in, though a password is asked for: %s',
    async (join_by_domain) => {
      const scene = await given.scene({ join_by_domain })
      await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
      const email = scene.anybody()
      const visitor = flows.visitorOf()
      const { page } = await flows.begin(scene, {}, visitor)
      const atPassword = await visitor.press(page, 'identify', { email })
      await visitor.press(atPassword, 'forgot_password')

      expect(await links.linksTo(email)).toEqual([])
      expect(await given.userOf(scene, email)).toBeUndefined()
    },
  )

  test('at once where they are to ask, also where links create users', async () => {
    const scene = await given.scene({ join_by_domain: 'request' })
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, find_or_create_user: true })
    const email = scene.anybody()

    expect((await given.arrive(scene, email)).html).toContain(asking)
    expect(await given.userOf(scene, email)).toBeUndefined()
  })

  test('by a link that the API has returned, which proves no mailbox: it makes a user without the roles', async () => {
    const role = await roles.role()
    const scene = await given.scene({ join_by_domain: 'automatic', join_roles: [role.name] })
    const { org_domain, application } = scene
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    const email = scene.anybody()
    const { magic_link } = await client.magicLink.createChallenge({
      org_domain,
      user_email: email,
      application_id: application.id,
      send_email: false,
    })

    await links.open(magic_link ?? '')

    const user = await given.userOf(scene, email)
    expect((await viaOf(org_domain)).at(-1)).toBe('link')
    const held = await client.roles.getUserRoles({ org_domain, user_id: user?.id ?? '' })
    expect(held.assignments).toEqual([])
  })

  test('where the question was asked with another address than the flow has by now', async () => {
    const scene = await given.scene()
    const visitor = flows.visitorOf()
    const page = await given.arrive(scene, scene.anybody(), visitor)
    const start = await visitor.press(page, 'change_address')
    expect(start.html).not.toContain(asking)

    const late = await visitor.press(page, 'ask')

    expect(late.html).not.toContain(asked)
    expect((await client.joinRequests.list({ org_domain: scene.org_domain })).data).toEqual([])
  })
})

describe('without a seat', () => {
  test('whoever would join at once is told so, by link and by code, and is nobody', async () => {
    const scene = await given.scene({ join_by_domain: 'automatic', seats_limit: 1 })
    const email = scene.anybody()
    const refused = await given.arrive(scene, email)
    expect([refused.status, refused.html.includes('There is no place for you yet')]).toEqual([403, true])

    const { page, link, visitor } = await links.linkSent(scene, { email })
    const code = shownCode(await links.open(link))
    const typed = await visitor.press(await visitor.visit(page.url), 'link_code', { code })
    expect([typed.status, typed.html.includes('There is no place for you yet')]).toEqual([403, true])
    expect(await given.userOf(scene, email)).toBeUndefined()
  })

  test('the list of the account says so, and the organization’s log', async () => {
    const application = await accounts.application()
    const scene = await given.scene({ join_by_domain: 'automatic', seats_limit: 1 })
    const email = scene.anybody()
    const visitor = flows.visitorOf()

    const list = await accounts.prove(application, email, visitor)
    const refused = await accounts.enter(list, scene.org_domain, visitor)

    expect([refused.status, listedOn(refused)]).toEqual([409, [scene.org_domain]])
    expect(refused.html).toContain('as many members as it can have')
    const { data } = await client.logEvents.list({ org_domain: scene.org_domain })
    expect(data).toContainEqual(
      expect.objectContaining({ event_code: 'END_USER_SIGN_IN_FAILED', reason: 'seats_exhausted', email }),
    )
  })
})

test('the page of a flow that waits for a decision signs nobody in where links do so no more', async () => {
  const scene = await given.scene()
  const { org_domain } = scene
  const email = scene.anybody()
  const visitor = flows.visitorOf()
  const page = await given.arrive(scene, email, visitor)
  await service.given.user({ org_domain, email })
  await client.magicLink.updateConnection({ org_domain, active: false })

  const refused = await visitor.press(page, 'enter')

  expect([refused.status, isIn(refused)]).toEqual([409, false])
  await client.magicLink.updateConnection({ org_domain, active: true })
  expect(isIn(await visitor.press(page, 'enter'))).toBe(true)
})

test('the page of a flow that waits for a decision signs in nobody but the owner of its address', async () => {
  const scene = await given.scene()
  const visitor = flows.visitorOf()
  const page = await given.arrive(scene, scene.anybody(), visitor)
  const early = await visitor.press(page, 'enter')
  expect([early.status, isIn(early)]).toEqual([409, false])
  const other = scene.anybody()
  await visitor.press(page, 'change_address')
  await service.given.user({ org_domain: scene.org_domain, email: other })

  const late = await visitor.press(page, 'enter')

  expect(isIn(late)).toBe(false)
})

test('of many at once of one address there is one request', async () => {
  const scene = await given.scene()
  const email = scene.anybody()
  const pages = []
  for (let count = 0; count < 3; count += 1) {
    const visitor = flows.visitorOf()
    pages.push({ visitor, page: await given.arrive(scene, email, visitor) })
  }

  await Promise.all(pages.map(({ visitor, page }) => visitor.press(page, 'ask')))

  expect((await client.joinRequests.list({ org_domain: scene.org_domain })).data).toHaveLength(1)
  expect(await given.eventsOf(scene)).toEqual(['create.success'])
})

test('who asks a fourth time within a day is told to wait', async () => {
  const scene = await given.scene()
  const { org_domain } = scene
  const email = scene.anybody()
  for (let count = 0; count < 3; count += 1) {
    const { id } = await given.ask(scene, email)
    await client.joinRequests.deny({ org_domain, join_request_id: id })
    await service.clock.advance(16 * 60)
  }
  const visitor = flows.visitorOf()

  const refused = await visitor.press(await given.arrive(scene, email, visitor), 'ask')

  expect(refused.status).toBe(429)
  expect(refused.html).toContain('You have asked too often')
  expect((await client.joinRequests.list({ org_domain, state: 'pending' })).data).toEqual([])
})
