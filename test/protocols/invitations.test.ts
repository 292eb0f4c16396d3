import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { goodPassword } from '../api/password-given.js'
import { answerOf, callback, flowGivenOf, isIn } from '../given/flow-given.js'
import { discoveryGivenOf } from '../given/discovery-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { invitationGivenOf, type InvitingScene } from '../given/invitation-given.js'
import { roleGivenOf } from '../given/role-given.js'
import { samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { scimGivenOf } from '../given/scim-given.js'
import { withoutReference, type Seen, type Visitor } from '../given/visitor.js'
import { longTest } from '../sampled.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = invitationGivenOf(service, client)
const flows = flowGivenOf(service, client)
const links = flowLinkGivenOf(service, client, flows)
const saml = samlGivenOf(service, client)
const roles = roleGivenOf(client)
const { directory } = scimGivenOf(client)
const accounts = accountSignInGivenOf(service, client)

const daySeconds = 24 * 60 * 60

type Place = Pick<InvitingScene, 'org_domain'>

function userOf({ org_domain }: Place, user_email: string) {
  return client.users.getByEmail({ org_domain, user_email }).catch(() => undefined)
}

/** The codes and reasons of log events about invitations, in their order. */
async function logOf({ org_domain }: Place): Promise<string[]> {
  const rows = await service.query<{ event_code: string; reason: string | null }>(
    `select event_code, reason from log_events where domain = $1 and event_code like 'END_USER_INVITATION%' order by id`,
    [org_domain],
  )
  return rows.map(({ event_code: code, reason }) =>
    [code.replace('END_USER_INVITATION_', ''), ...(reason === null ? [] : [reason])].join(' '),
  )
}

async function viaOf({ org_domain }: Place): Promise<unknown[]> {
  const rows = await service.query<{ params: Record<string, unknown> }>(
    `select params from events where domain = $1 and code = 'user.user.create.success' order by issued_at`,
    [org_domain],
  )
  return rows.map(({ params }) => params['via'])
}

describe('a mailed invitation', () => {
  test('makes its user at the button, with what it says of them, and signs them in', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    await service.given.metaKey({ org_domain, name: 'level' })
    const role = await roles.role()
    const { invitation, email, url } = await given.invited(scene, {
      roles: [role.name],
      profile: { given_name: 'Ada', family_name: 'Lovelace' },
      metadata: [{ key: 'level', value: '7' }],
    })
    const visitor = given.visitorOf()
    const page = await visitor.visit(url)
    await visitor.request(url, { method: 'HEAD' })
    expect(page.status).toBe(200)
    expect(page.html).not.toContain(email)
    expect(page.html).toContain(`${email.slice(0, 1)}***@people.example`)
    expect(await userOf(scene, email)).toBeUndefined()
    expect(await given.stateOf(scene, invitation)).toBe('pending')

    const landed = await visitor.press(page, 'begin')

    expect(isIn(landed)).toBe(true)
    const tokens = await client.oauth.token({
      grant_type: 'authorization_code',
      code: answerOf(landed).get('code') ?? '',
      redirect_uri: callback,
    })
    expect(tokens.access_token).not.toBe('')
    const user = await userOf(scene, email)
    expect(user).toMatchObject({
      email_verified: true,
      profile: { given_name: 'Ada', family_name: 'Lovelace' },
      metadata: [{ key: { name: 'level' }, value: '7' }],
    })
    const held = await client.roles.getUserRoles({ org_domain, user_id: user?.id ?? '' })
    expect(held.assignments).toMatchObject([{ role: role.name, source: 'invitation' }])
    expect(await client.invitations.get({ org_domain, invitation_id: invitation.id })).toMatchObject({
      state: 'accepted',
      user_id: user?.id,
    })
    expect(await given.eventsOf(scene)).toEqual(['create.success', 'accept.success'])
    expect(await viaOf(scene)).toEqual(['invitation'])
    expect(await logOf(scene)).toEqual(['ACCEPTED', 'OPENED'])
  })

  test('has one page when it is used, revoked, expired, unknown, or of another organization', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const other = await given.scene()
    const used = await given.invited(scene)
    const inside = given.visitorOf()
    expect(isIn(await given.open(used.url, inside))).toBe(true)
    const own = await inside.visit(used.url)
    expect([own.status, own.html.includes('already accepted')]).toEqual([200, true])
    const revoked = await given.invited(scene)
    await client.invitations.revoke({ org_domain, invitation_id: revoked.invitation.id })
    const expired = await given.invited(scene, { expires_in_days: 1 })
    await service.clock.advance(daySeconds)
    const fresh = await given.invited(scene)
    const unknown = `${fresh.url.slice(0, -43)}${'A'.repeat(43)}`

    const urls = [used.url, revoked.url, expired.url, unknown]
    const pages = await Promise.all(urls.map((url) => given.visitorOf().visit(url)))
    expect(pages.map(({ status }) => status)).toEqual(urls.map(() => 404))
    expect(new Set(pages.map(({ html }) => withoutReference(html))).size).toBe(1)
    expect((await given.visitorOf().visit(fresh.url.replace(org_domain, other.org_domain))).status).toBe(404)
    expect((await given.visitorOf().visit(fresh.url)).status).toBe(200)
  })

  test.each([
    [-30, true],
    [1, false],
  ])('%s seconds from its end lets its user in: %s', async (seconds, isLetIn) => {
    const { url, invitation, ...scene } = await given.invited(undefined, { expires_in_days: 1 })
    const visitor = given.visitorOf()
    const page = await visitor.visit(url)
    const end = Date.parse(invitation.expires_at)
    await service.clock.advance((end - service.clock.now().getTime()) / 1000 + seconds)

    expect(isIn(await visitor.press(page, 'begin'))).toBe(isLetIn)
    expect(await given.stateOf(scene, invitation)).toBe(isLetIn ? 'accepted' : 'expired')
  })

  /** How many browsers that press the button at once come in, and how many users there are then. */
  async function atOnce(count: number) {
    const { url, org_domain } = await given.invited()
    const visitors = Array.from({ length: count }, () => given.visitorOf())
    const pages = await Promise.all(visitors.map((visitor) => visitor.visit(url)))
    const landed = await Promise.all(
      visitors.map((visitor, index) => visitor.press(pages[index] as Seen, 'begin')),
    )
    return [landed.filter(isIn).length, (await client.users.list({ org_domain })).total]
  }

  test('lets one of many browsers in', async () => {
    expect(await atOnce(20)).toEqual([1, 1])
  })

  longTest(
    'lets one of 200 browsers in',
    async () => {
      expect(await atOnce(200)).toEqual([1, 1])
    },
    120_000,
  )

  test('is not begun by a form of another browser or site', async () => {
    const { url, invitation, ...scene } = await given.invited()
    const visitor = given.visitorOf()
    const page = await visitor.visit(url)

    expect((await given.visitorOf().send(page, 'begin')).status).toBe(403)
    const foreign = await visitor.send(page, 'begin', {}, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    expect(await given.stateOf(scene, invitation)).toBe('pending')
  })

  test('is nothing for the session of another address, whose user may sign out and go on', async () => {
    const scene = await given.scene()
    const visitor = given.visitorOf()
    const first = await given.invited(scene)
    expect(isIn(await given.open(first.url, visitor))).toBe(true)
    const { url, invitation, email } = await given.invited(scene)

    const page = await visitor.visit(url)
    expect(page.html.replaceAll('<wbr/>', '')).toContain(first.email)
    expect((await visitor.send(page, 'begin')).status).toBe(409)
    expect(await given.stateOf(scene, invitation)).toBe('pending')
    const after = await visitor.press(page, 'sign_out')
    expect(visitor.sessionSecret()).toBeUndefined()
    expect(isIn(await visitor.press(after, 'begin'))).toBe(true)
    expect(await given.stateOf(scene, invitation)).toBe('accepted')
    expect((await userOf(scene, email))?.id).not.toBe((await userOf(scene, first.email))?.id)
  })

  test('gives the roles that are there still', async () => {
    const scene = await given.scene()
    const [kept, gone] = [await roles.role(), await roles.role()]
    const { url, email } = await given.invited(scene, { roles: [kept.name, gone.name] })
    await client.roles.delete({ role_id: gone.id })

    expect(isIn(await given.open(url))).toBe(true)
    const user_id = (await userOf(scene, email))?.id ?? ''
    const held = await client.roles.getUserRoles({ org_domain: scene.org_domain, user_id })
    expect(held.roles).toEqual([kept.name])
  })

  test('ends where the application begins sign-ins, which the session answers', async () => {
    const { domain: org_domain } = await service.given.organization()
    const initiate_login_uri = 'https://store.example/auth/sign-in'
    const application = await service.given.application({
      ...{ org_domain, organization_domain_scope: org_domain, initiate_login_uri },
      ...{ allowed_redirect_urls: [callback], code_exchange: 'pkce' },
    })
    const { url, email } = await given.invited({ org_domain })
    const visitor = given.visitorOf()

    const landed = await given.open(url, visitor)

    const { origin, pathname } = new URL(landed.location ?? '')
    expect(`${origin}${pathname}`).toBe(initiate_login_uri)
    expect(answerOf(landed).get('organization')).toBe(org_domain)
    expect(answerOf(landed).get('login_hint')).toBe(email)
    expect(isIn(await visitor.visit(flows.authorizeUrl({ org_domain, application })))).toBe(true)
  })

  test('leads to a password where links sign nobody in', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    await client.magicLink.updateConnection({ org_domain, active: false })
    await client.password.createConnection({ org_domain })
    const { url, invitation } = await given.invited(scene)
    const visitor = given.visitorOf()

    const page = await given.open(url, visitor)
    expect(page.url).toContain('/set-password')
    expect(isIn(page)).toBe(false)
    const landed = await visitor.press(page, 'set_password', { password: goodPassword })
    expect(isIn(landed)).toBe(true)
    expect(await given.stateOf(scene, invitation)).toBe('accepted')
  })

  const refusals: Record<string, (scene: InvitingScene) => Promise<unknown>> = {
    no_method: ({ org_domain }) => client.magicLink.updateConnection({ org_domain, active: false }),
    email_domain_not_allowed: ({ org_domain }) =>
      client.organizations.update({ org_domain, allowed_email_domains: ['else.example'] }),
    seats_exhausted: async ({ org_domain }) => {
      await service.given.user({ org_domain })
      await client.organizationPolicy.update({ org_domain, seats_limit: 1 })
    },
  }

  test.each([
    ['the one that they choose', 'set_password', true],
    ['none, where they choose none', 'not_now', false],
  ] as const)(
    'offers a password where users have links and passwords: %s',
    async (_, action, hasPassword) => {
      const scene = await given.scene()
      const { org_domain } = scene
      await client.password.createConnection({ org_domain })
      const { email, url } = await given.invited(scene)
      const visitor = given.visitorOf()

      const page = await given.open(url, visitor)

      expect(page.html).toContain('If you choose none, we send you a link each time.')
      const landed = await visitor.press(page, action, { password: goodPassword })
      expect(landed.location).toContain(callback)
      expect(visitor.sessionSecret()).toBeDefined()
      const challenge = { org_domain, user_email: email, plain_text: goodPassword }
      expect((await client.password.createChallenge(challenge))['valid?']).toBe(hasPassword)
    },
  )

  test.each(Object.entries(refusals))('stays pending where %s refuses its user', async (reason, prepare) => {
    const scene = await given.scene()
    const { url, invitation, email } = await given.invited(scene)
    await prepare(scene)

    const page = await given.open(url)

    expect([page.status, isIn(page)]).toEqual([403, false])
    expect(await given.stateOf(scene, invitation)).toBe('pending')
    expect(await userOf(scene, email)).toBeUndefined()
    expect(await given.eventsOf(scene)).toEqual(['create.success', 'accept.fail'])
    expect(await logOf(scene)).toEqual([`REFUSED ${reason}`])
  })
})

describe('the URL of an answer', () => {
  test('proves no mailbox: a link is mailed, which takes the invitation', async () => {
    const scene = await given.scene()
    const role = await roles.role()
    const email = anyEmail()
    const invitation = await given.invite(scene, { email, send_email: false, roles: [role.name] })
    const visitor = given.visitorOf()

    const page = await given.open(invitation.invitation_url ?? '', visitor)

    expect(page.html.replaceAll('<wbr/>', '')).toContain(email)
    expect(isIn(page)).toBe(false)
    expect(await userOf(scene, email)).toBeUndefined()
    const opened = await links.open(await links.newestLinkTo(email), visitor)
    expect(isIn(await visitor.visit(opened.location ?? ''))).toBe(true)
    expect(await given.stateOf(scene, invitation)).toBe('accepted')
    expect(await viaOf(scene)).toEqual(['link'])
    const user_id = (await userOf(scene, email))?.id ?? ''
    expect((await client.roles.getUserRoles({ org_domain: scene.org_domain, user_id })).roles).toEqual([
      role.name,
    ])
  })

  test('offers a password where users have links and passwords', async () => {
    const scene = await given.scene()
    await client.password.createConnection({ org_domain: scene.org_domain })
    const email = anyEmail()
    const { invitation_url: url } = await given.invite(scene, { email, send_email: false })
    const visitor = given.visitorOf()
    await visitor.press(await given.open(url ?? '', visitor), 'mail_link')

    const opened = await links.open(await links.newestLinkTo(email), visitor)

    const page = await visitor.visit(opened.location ?? '')
    expect(page.html).toContain('If you choose none, we send you a link each time.')
  })

  test('leads to a password by a mailed link where links sign nobody in', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    await client.magicLink.updateConnection({ org_domain, active: false })
    await client.password.createConnection({ org_domain })
    const invitation = await given.invite(scene, { send_email: false })
    const visitor = given.visitorOf()
    await given.open(invitation.invitation_url ?? '', visitor)
    expect(await userOf(scene, invitation.email)).toBeUndefined()

    const opened = await links.open(await links.newestLinkTo(invitation.email), visitor)
    const page = await visitor.visit(opened.location ?? '')
    const landed = await visitor.press(page, 'set_password', { password: goodPassword })

    expect(isIn(landed)).toBe(true)
    expect(await given.stateOf(scene, invitation)).toBe('accepted')
  })

  test('that cannot be mailed a link is told of, and stays pending', async () => {
    const scene = await given.scene()
    const invitation = await given.invite(scene, { send_email: false })
    await client.organizations.update({
      org_domain: scene.org_domain,
      allowed_email_domains: ['else.example'],
    })

    const page = await given.open(invitation.invitation_url ?? '')

    expect([page.status, isIn(page)]).toEqual([403, false])
    expect(await given.stateOf(scene, invitation)).toBe('pending')
    expect(await given.eventsOf(scene)).toEqual(['create.success', 'accept.fail'])
    expect((await logOf(scene)).toSorted()).toEqual(['OPENED', 'REFUSED email_domain_not_allowed'])
  })

  test('is in that answer alone, and in no event', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const { id: invitation_id, invitation_url: url } = await given.invite(scene, { send_email: false })
    expect(url).toMatch(new RegExp(`^${service.baseUrl}/t/${org_domain}/invitations/[\\w-]{43}$`))
    expect((await client.invitations.get({ org_domain, invitation_id })).invitation_url).toBeNull()
    const rows = await service.query<{ text: string }>(
      'select events::text as text from events where domain = $1',
      [org_domain],
    )
    expect(rows.some(({ text }) => text.includes((url ?? '').slice(-43)))).toBe(false)
    await given.visitorOf().visit(url ?? '')
    expect(service.logLines.some((line) => line.includes((url ?? '').slice(-43)))).toBe(false)
  })
})

describe('the invitation of an address', () => {
  test('gives roles that the API takes back', async () => {
    const scene = await given.scene()
    const [invited, other] = [await roles.role(), await roles.role()]
    const { email, url } = await given.invited(scene, { roles: [invited.name, other.name] })
    expect(isIn(await given.open(url))).toBe(true)
    const { org_domain } = scene
    const user_id = (await userOf(scene, email))?.id ?? ''

    const left = await client.roles.setUserRoles({ org_domain, user_id, roles: [other.name] })

    expect(left).toMatchObject({ roles: [other.name], assignments: [{ source: 'api' }] })
    expect((await client.roles.setUserRoles({ org_domain, user_id, roles: [] })).roles).toEqual([])
  })

  test('is not taken by a discovery whose link the API has returned, which lists no inviting organization', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const redirect_uri = 'https://store.example/discovered'
    const { id: application_id } = await service.given.application({
      org_domain: await service.given.domain(),
      allowed_redirect_urls: [redirect_uri],
    })
    const { invitation, email } = await given.invited(scene)
    const seeker = { user_email: email, application_id, redirect_uri }

    const discovered = await discoveryGivenOf(service, client).discover(seeker)

    expect(discovered.organizations.map(({ domain }) => domain)).not.toContain(org_domain)
    const { discovery_token } = discovered
    const entered = client.discovery.enter({ discovery_token, org_domain, redirect_uri })
    await expect(entered).rejects.toMatchObject({ code: 'organization_not_found' })
    expect(await given.stateOf(scene, invitation)).toBe('pending')
    expect(await userOf(scene, email)).toBeUndefined()
  })

  test('is taken by its owner at the sign-in of the organization, where links make no users', async () => {
    const scene = await flows.scene()
    const email = anyEmail()
    const invitation = await given.invite(scene, { email })
    const { visitor, link } = await links.linkSent(scene, { email })
    const opened = await links.open(link, visitor)
    expect(isIn(await visitor.visit(opened.location ?? ''))).toBe(true)
    expect(await given.stateOf(scene, invitation)).toBe('accepted')
  })

  test('is among the organizations of a proved mailbox, and taken by entering', async () => {
    const application = await accounts.application()
    const scene = await given.scene()
    const email = anyEmail()
    const invitation = await given.invite(scene, { email })
    const visitor = given.visitorOf()

    const list = await accounts.prove(application, email, visitor)
    expect(listedOn(list)).toEqual([scene.org_domain])
    expect(isIn(await accounts.enter(list, scene.org_domain, visitor))).toBe(true)
    expect(await given.stateOf(scene, invitation)).toBe('accepted')
  })

  test('is not taken by a link that the API has returned, which proves no mailbox', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const role = await roles.role()
    const email = anyEmail()
    const invitation = await given.invite(scene, { email, roles: [role.name] })
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    const challenge = { org_domain, user_email: email, send_email: false }
    const { magic_link } = await client.magicLink.createChallenge(challenge)
    await openMagicLink(magic_link ?? '')

    expect(await given.stateOf(scene, invitation)).toBe('revoked')
    const user_id = (await userOf(scene, email))?.id ?? ''
    expect((await client.roles.getUserRoles({ org_domain, user_id })).roles).toEqual([])
  })
})

describe('at an identity provider', () => {
  const d = `${anything()}.example`

  /** An organization whose connection has the domain, and an invitation to it. */
  async function givenSso(settings: Parameters<typeof saml.scene>[0] = {}) {
    const scene = await saml.scene({ email_domains: [d], ...settings })
    const role = await roles.role()
    const email = `${anything()}@${d}`
    return { scene, role, ...(await given.invited(scene, { email, roles: [role.name] })) }
  }

  async function arrive(scene: SamlScene, visitor: Visitor, page: Seen, nameId: string): Promise<Seen> {
    const { requestId } = await saml.leave(visitor, page)
    return saml.comeBack(scene, visitor, scene.idp.respond({ ...scene.connection, requestId }, { nameId }))
  }

  test('an invited address comes in where users must be registered, and has its roles', async () => {
    const { scene, role, invitation, email, url } = await givenSso({ user_security_type: 'user_registered' })
    const visitor = given.visitorOf()

    const page = await given.open(url, visitor)
    expect(await userOf(scene, email)).toBeUndefined()
    const landed = await arrive(scene, visitor, page, email)

    expect(landed.status).toBeLessThan(400)
    expect(await given.stateOf(scene, invitation)).toBe('accepted')
    expect(await viaOf(scene)).toEqual(['sso'])
    const user_id = (await userOf(scene, email))?.id ?? ''
    const held = await client.roles.getUserRoles({ org_domain: scene.org_domain, user_id })
    expect(held.roles).toEqual([role.name])
  })

  test('another address is refused with both named, and the invitation stays', async () => {
    const { scene, invitation, email, url } = await givenSso()
    const visitor = given.visitorOf()
    const page = await given.open(url, visitor)
    const other = `${anything()}@${d}`

    const landed = await arrive(scene, visitor, page, other)

    expect(landed.status).toBe(403)
    expect([landed.html.includes(other), landed.html.includes(email)]).toEqual([true, true])
    expect((await saml.lastTrace(scene)).failed_check).toBe('invitation')
    expect(await given.stateOf(scene, invitation)).toBe('pending')
    expect(await userOf(scene, other)).toBeUndefined()
    expect(await given.eventsOf(scene)).toEqual(['create.success', 'accept.fail'])
    expect(await logOf(scene)).toEqual(['OPENED', 'REFUSED invitation'])
  })

  test('422: an address whose users a directory must provision is not invited', async () => {
    const scene = await saml.scene({ email_domains: [d], user_security_type: 'user_provisionned' })
    const refused = given.invite(scene, { email: `${anything()}@${d}` })
    await expect(refused).rejects.toMatchObject({ fields: [{ path: 'email', code: 'needs_provisioning' }] })
  })
})

test('a directory that makes the user revokes the invitation', async () => {
  const scene = await given.scene()
  const { org_domain } = scene
  const { invitation, email } = await given.invited(scene)
  const { scim } = await directory({ org_domain })
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  expect((await scim('POST', '/Users', { body: { schemas, userName: email } })).status).toBe(201)
  expect(await given.stateOf(scene, invitation)).toBe('revoked')
})

type Act = 'accept' | 'revoke' | 'resend' | 'provision'

/** What each act makes of an invitation and its user, in their order. */
function model(acts: readonly Act[]) {
  let state = 'pending'
  let isThere = false
  let isUrlGood = true
  for (const act of acts) {
    if (act === 'resend' && state === 'pending') isUrlGood = false
    if (act === 'revoke' && state === 'pending') state = 'revoked'
    if (act === 'provision' && !isThere) {
      isThere = true
      if (state === 'pending') state = 'revoked'
    }
    if (act === 'accept' && state === 'pending' && isUrlGood) {
      state = 'accepted'
      isThere = true
    }
  }
  return { state, isThere }
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}

/** Does the four to one invitation: one after the other, or all at once. */
async function actOn(acts: readonly Act[], isAtOnce: boolean) {
  const scene = await given.scene()
  const { org_domain } = scene
  const { scim } = await directory({ org_domain })
  const { invitation, email, url } = await given.invited(scene)
  const visitor = given.visitorOf()
  const page = await visitor.visit(url)
  const at = { org_domain, invitation_id: invitation.id }
  const nothing = () => undefined
  const does: Record<Act, () => Promise<unknown>> = {
    accept: () => visitor.press(page, 'begin'),
    revoke: () => client.invitations.revoke(at).catch(nothing),
    resend: () => client.invitations.resend(at).catch(nothing),
    provision: () =>
      scim('POST', '/Users', {
        body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: email },
      }),
  }
  if (isAtOnce) await Promise.all(acts.map((act) => does[act]()))
  else for (const act of acts) await does[act]()
  const { total } = await client.users.list({ org_domain })
  return { state: await given.stateOf(scene, invitation), isThere: total > 0, total }
}

const orders = permutations<Act>(['accept', 'revoke', 'resend', 'provision'])

longTest(
  'acceptance, revocation, a second mail and a directory come to the same in every order as in their model',
  async () => {
    for (const acts of orders)
      expect([acts, await actOn(acts, false)]).toEqual([
        acts,
        { ...model(acts), total: expect.any(Number) as number },
      ])
  },
  300_000,
)

test('acceptance, revocation, a second mail and a directory at once come to what some order of them makes', async () => {
  const possible = new Set(orders.map((acts) => JSON.stringify(model(acts))))
  for (let round = 0; round < 3; round += 1) {
    const { total, ...outcome } = await actOn(orders[round * 7] ?? [], true)
    expect(total).toBeLessThanOrEqual(1)
    expect(possible).toContain(JSON.stringify(outcome))
  }
}, 60_000)
