import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { roundTrips } from '../given/counted.js'
import { answerOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import type { Visitor } from '../given/visitor.js'
import { accountGivenOf } from './account-given.js'
import { exchange } from './code-given.js'
import { claimsOf } from '../given/claims.js'
import { pkcePair } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = accountGivenOf(service, client)
const { flows } = given

const unnamed = { organization: undefined }

const accountPages = 'the pages of the account'

/** Where a request without an organization leads. */
async function leadsTo(
  { application }: Pick<FlowScene, 'application'>,
  visitor: Visitor,
  members: Record<string, string | undefined>,
): Promise<string | undefined> {
  const url = given.authorizeUrl({ org_domain: '', application }, members)
  const { location } = await visitor.request(url)
  if (location?.startsWith(`${given.path}/sign-in/`) === true) return accountPages
  return location?.startsWith('/t/') === true
    ? location.split('/')[2]
    : (new URL(location ?? '').searchParams.get('error') ?? undefined)
}

/** A browser with a session of one organization, and a later one of another. */
async function twoOrganizations() {
  const { scene: first, visitor } = await given.signIn()
  const second = await given.scene(first.application)
  await service.clock.advance(1)
  await given.signIn(second, {}, visitor)
  await service.clock.advance(1)
  return { first, second, visitor }
}

/** The organization and user to whom a request without an organization gives a code at once. */
async function codeFor(
  { application }: Pick<FlowScene, 'application'>,
  visitor: Visitor,
  members: Record<string, string | undefined> = {},
) {
  const { verifier: code_verifier, challenge: code_challenge } = pkcePair()
  const asked = { ...unnamed, prompt: 'none', code_challenge, ...members }
  const answer = await given.answerTo({ org_domain: '', application }, asked, visitor)
  if (answer['code'] === undefined) return answer['error']
  const sent = { code: answer['code'], code_verifier, client_id: application.client_id }
  const { status, body } = await exchange(service, sent, { path: `${given.path}/oauth/token` })
  expect(status).toBe(200)
  return claimsOf(body.id_token)['org']
}

describe('a request that names no organization', () => {
  longTest(
    'gets a code for the organization that the browser has used last, in three round trips',
    async () => {
      const { first, second, visitor } = await twoOrganizations()

      expect(await codeFor(first, visitor)).toBe(second.org_domain)
      await service.clock.advance(1)
      expect(await given.answerTo(first, { prompt: 'none' }, visitor)).toHaveProperty('code')
      expect(await codeFor(first, visitor)).toBe(first.org_domain)

      const before = await roundTrips(service)
      expect(await given.answerTo(first, unnamed, visitor)).toHaveProperty('code')
      expect((await roundTrips(service)) - before).toBe(3)
    },
  )

  test('passes over the last used of three to the later of the others, which are read in one round trip more', async () => {
    const { first, second, visitor } = await twoOrganizations()
    const third = await given.scene(first.application)
    await given.signIn(third, {}, visitor)
    await service.clock.advance(1)
    const { org_domain } = third
    await client.organizations.update({ org_domain, allowed_email_domains: ['corp.example'] })

    expect(await codeFor(first, visitor)).toBe(second.org_domain)

    await service.clock.advance(1)
    const before = await roundTrips(service)
    const hinted = { ...unnamed, login_hint: first.user.email }
    expect(await given.answerTo(first, hinted, visitor)).toHaveProperty('code')
    expect((await roundTrips(service)) - before).toBe(4)
  })

  test('of an organization that demands a second factor by now gives no code', async () => {
    const { scene, visitor } = await given.signIn()
    const { org_domain } = scene
    expect(await codeFor(scene, visitor)).toBe(org_domain)
    await client.totp.updateConnection({ org_domain, active: true })
    await client.organizationPolicy.update({
      ...{ org_domain, second_factor: 'required', second_factor_grace_days: 0 },
    })

    expect(await codeFor(scene, visitor)).toBe('login_required')
  })

  test('counts a session that began at the organization’s own issuer', async () => {
    const scene = await given.scene()
    const { visitor } = await flows.signIn(scene)

    expect(await codeFor(scene, visitor)).toBe(scene.org_domain)
  })

  test.each<[string, (second: FlowScene) => Promise<unknown>]>([
    ['was ended', ({ org_domain, user }) => client.sessions.endAll({ org_domain, user_id: user.id })],
    [
      'is of a user who was deactivated',
      ({ org_domain, user }) => client.users.update({ org_domain, user_id: user.id, active: false }),
    ],
    [
      'is of an organization that was deleted',
      ({ org_domain }) => client.organizations.delete({ org_domain }),
    ],
    [
      'is of an organization whose users may not sign in with their address any more',
      ({ org_domain }) =>
        client.organizations.update({ org_domain, allowed_email_domains: ['corp.example'] }),
    ],
  ])('passes over a session that %s, to the one before', async (_, change) => {
    const { first, second, visitor } = await twoOrganizations()

    await change(second)

    expect(await codeFor(first, visitor)).toBe(first.org_domain)
  })

  test('passes over those of other users than it asks for, and over what the application cannot use', async () => {
    const { first, second, visitor } = await twoOrganizations()
    const own = await service.given.application({
      org_domain: first.org_domain,
      organization_domain_scope: first.org_domain,
    })
    const claims = JSON.stringify({ id_token: { sub: { value: first.user.id } } })

    expect(await codeFor(second, visitor, { login_hint: first.user.email })).toBe(first.org_domain)
    expect(await codeFor(second, visitor, { claims })).toBe(first.org_domain)
    expect(await codeFor({ application: own }, visitor)).toBe(first.org_domain)
    expect(await codeFor(second, visitor, { login_hint: 'nobody@people.example' })).toBe('login_required')
  })

  longTest('finds no session for an application whose only organization was deleted', async () => {
    const { visitor } = await twoOrganizations()
    const { domain: org_domain } = await service.given.organization()
    const application = await service.given.application({ org_domain, organization_domain_scope: org_domain })
    await client.organizations.delete({ org_domain })

    expect(await codeFor({ application }, visitor)).toBe('login_required')
  })

  test('finds none after an hour without use, with prompts that ask for a sign-in, and with max_age=0', async () => {
    const { first, visitor } = await twoOrganizations()

    for (const members of [
      { prompt: 'login' },
      { prompt: 'select_account' },
      { prompt: 'create' },
      { max_age: '0' },
    ])
      expect(await leadsTo(first, visitor, { ...unnamed, ...members })).toBe(accountPages)
    expect(await codeFor(first, visitor, { max_age: '60' })).toEqual(expect.any(String))
    await service.clock.advance(61 * 60)
    expect(await codeFor(first, visitor)).toBe('login_required')
    expect(await leadsTo(first, visitor, unnamed)).toBe(accountPages)
  })

  test('has the user pass the second factor that the session lacks, where a page may be shown', async () => {
    const enrolled = await flows.enrolledScene()
    const { application } = await given.scene()
    const scene = { ...enrolled, application }
    const visitor = flows.visitorOf()
    const asked = await given.pass(scene, await visitor.visit(given.authorizeUrl(scene)), visitor)
    await visitor.press(asked, 'totp', { code: flows.totp.codeOf(enrolled.app) })
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })
    await given.signIn(scene, { prompt: 'login' }, visitor)
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: true })

    expect(await codeFor(scene, visitor)).toBe('interaction_required')
    const page = await visitor.visit(given.authorizeUrl(scene, unnamed))

    expect(page.url).toContain(`/t/${scene.org_domain}/sign-in/`)
    expect(page.html).toContain('name="code"')
  })

  test('is asked for consent where it wants it, at the organization used last', async () => {
    const { first, second, visitor } = await twoOrganizations()

    const page = await visitor.visit(given.authorizeUrl(first, { ...unnamed, prompt: 'consent' }))
    const landed = await visitor.press(page, 'allow')

    expect(page.url).toContain(`/t/${second.org_domain}/sign-in/`)
    expect(answerOf(landed).get('iss')).toBe(given.issuer)
    expect(answerOf(landed).has('code')).toBe(true)
  })

  longTest(
    'finds no session of another account, of the other environment, or of another browser',
    async () => {
      const { first } = await twoOrganizations()
      const account = await service.createAccount()
      const visitor = flows.visitorOf()
      for (const of of [
        await service.client({ account }),
        await service.client({ environment: 'production' }),
      ]) {
        const { domain: org_domain } = await of.organizations.create({ name: 'Strangers' })
        await of.password.createConnection({ org_domain })
        const application = await service.given.application({ org_domain }, of)
        const user = await service.given.user({ org_domain }, of)
        const scene = { org_domain, application, user }
        await accountGivenOf(service, of).flows.passwords.set(scene, goodPassword)
        await given.pass(scene, await visitor.visit(flows.authorizeUrl(scene)), visitor)
      }

      expect(visitor.sessionSecret()).toBeDefined()
      expect(await codeFor(first, visitor)).toBe('login_required')
      expect(await codeFor(first, flows.visitorOf())).toBe('login_required')
    },
  )
})

describe('a browser that is signed in nowhere', () => {
  /** Users of one address in two organizations, who have signed in one after the other. */
  async function oneAddress() {
    const { scene: first, visitor } = await given.signIn()
    const { org_domain } = await given.scene(first.application)
    const user = await service.given.user({ org_domain, email: first.user.email })
    const second = { org_domain, user, application: first.application }
    await flows.passwords.set(second)
    await given.signIn(second, {}, visitor)
    await service.clock.advance(61 * 60)
    return { first, second, visitor, hinted: { ...unnamed, login_hint: first.user.email } }
  }

  test('goes to the organization that it has last used with the hinted address, whose page has it filled in', async () => {
    const { first, second, visitor, hinted } = await oneAddress()

    expect(await leadsTo(first, visitor, hinted)).toBe(second.org_domain)
    expect(await leadsTo(first, visitor, { ...hinted, prompt: 'login' })).toBe(second.org_domain)
    const page = await visitor.visit(given.authorizeUrl(first, hinted))
    expect(page.html).toContain(`value="${first.user.email}"`)
    await given.signIn(first, {}, visitor)
    await service.clock.advance(61 * 60)
    expect(await leadsTo(first, visitor, hinted)).toBe(first.org_domain)
  })

  test('shows no organization for another address, for none, and where no page of one is asked for', async () => {
    const { first, visitor, hinted } = await oneAddress()
    expect(await leadsTo(first, visitor, { ...hinted, login_hint: 'eve@people.example' })).toBe(accountPages)
    expect(await leadsTo(first, visitor, unnamed)).toBe(accountPages)
    expect(await leadsTo(first, visitor, { ...hinted, prompt: 'none' })).toBe('login_required')
    expect(await leadsTo(first, visitor, { ...hinted, prompt: 'select_account' })).toBe(accountPages)
    expect(await leadsTo(first, flows.visitorOf(), hinted)).toBe(accountPages)
  })

  test('gets no session and no code by its memory alone, and none of what is not its own', async () => {
    const { first, visitor, hinted } = await oneAddress()
    const [name = '', value = ''] =
      [...visitor.cookies].find(([key]) => key.startsWith('portico-account-')) ?? []
    const withCookie = (text: string) => {
      const thief = flows.visitorOf()
      thief.cookies.set(name, text)
      return thief
    }

    expect(await codeFor(first, withCookie(value))).toBe('login_required')
    expect(await leadsTo(first, withCookie(`${value.slice(0, -2)}xx`), hinted)).toBe(accountPages)
    expect(await leadsTo(first, withCookie('x'), hinted)).toBe(accountPages)
  })

  test('remembers nothing of sign-ins at the issuer of an organization', async () => {
    const { visitor } = await flows.signIn()

    expect([...visitor.cookies.keys()].filter((key) => key.startsWith('portico-account-'))).toEqual([])
  })

  test('forgets an organization that was deleted', async () => {
    const { first, second, visitor, hinted } = await oneAddress()
    const production = await service.client({ environment: 'production' })
    await production.organizations.delete({ org_domain: second.org_domain })

    expect(await leadsTo(first, visitor, hinted)).toBe(accountPages)
  })
})
