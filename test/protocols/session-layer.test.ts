import { createSessions } from '@portico/sdk/session'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import {
  browserOf,
  applicationOf,
  cookieName,
  memberOf,
  script,
  secret,
} from '../clients/session/session-given.js'
import { callback, goodPassword, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import type { Visitor } from '../given/visitor.js'
import { accountGivenOf } from './account-given.js'

const service = await startService()
const client = await service.client()
const given = accountGivenOf(service, client)
const appUrl = 'https://app.example'
// Before the applications of the whole account, each of which a request for a password could be for.
const scenes: Pick<FlowScene, 'org_domain' | 'user'>[] = []
for (let count = 0; count < 6; count += 1) scenes.push(await given.flows.scene())
const hour = 3_600

/** An application with a secret whose sessions are those of the SDK, an organization with a user, and a browser. */
async function product() {
  const { org_domain, user } = sceneOf()
  const application = await service.given.application({
    org_domain,
    application_type: 'node_express',
    client_authentication: 'secret',
    allowed_redirect_urls: [`${appUrl}/auth/callback`, callback],
    allowed_logout_urls: [`${appUrl}/`],
    initiate_login_uri: `${appUrl}/auth/sign-in`,
  })
  const { client_id } = application
  const { value } = await client.applicationSecrets.create({ org_domain, client_id })
  const sessions = createSessions({
    ...{
      baseUrl: service.baseUrl,
      account: service.account.domain,
      clientId: client_id,
      clientSecret: value ?? '',
    },
    ...{ environment: 'sandbox', appUrl, secret, signedOutUrl: `${appUrl}/` },
    now: () => service.clock.now().getTime(),
  })
  const scene = { org_domain, user, application }
  const browser = browserOf({ signIn: () => '' }, applicationOf(sessions))
  const pages = given.flows.visitorOf()

  /** Signs in as a person does: from a page of the application over those of the service, and back. */
  async function signIn(
    at: FlowScene = scene,
    path = `/auth/sign-in?organization=${at.org_domain}&return_to=/invoices`,
  ) {
    const { location } = await browser.open(path)
    const landed = await passAt(at, pages, location ?? '')
    return browser.open(landed ?? '')
  }
  return { ...browser, sessions, scene, application, pages, signIn }
}

/** The ids of the user's sessions that the application began. */
async function sessionsOf({ org_domain, user, application }: FlowScene): Promise<string[]> {
  const { data } = await client.sessions.list({ org_domain, user_id: user.id })
  return data.filter(({ client_id }) => client_id === application.client_id).map(({ id }) => id)
}

function sceneOf() {
  const scene = scenes.shift()
  if (scene === undefined) throw new Error('make one scene more')
  return scene
}

async function passAt(scene: FlowScene, pages: Visitor, location: string): Promise<string | null> {
  const page = await pages.visit(location)
  if (page.location !== null) return page.location
  const asked = await pages.press(page, 'identify', { email: scene.user.email })
  const landed = await pages.press(asked, 'password', { password: goodPassword })
  return landed.location
}

describe('the session layer of the SDK, with the service', () => {
  longTest(
    'signs a user in at the issuer of the account, renews for hours, and signs out without a question',
    async () => {
      const { signIn, open, post, scene, pages, cookie } = await product()
      expect((await signIn()).location).toBe('/invoices')
      expect(memberOf(await open('/invoices'), 'user')).toMatchObject({
        id: scene.user.id,
        email: scene.user.email,
      })
      expect(memberOf(await open('/invoices'), 'organization')).toEqual({ domain: scene.org_domain })

      for (let count = 0; count < 3; count += 1) {
        await service.clock.advance(hour)
        const answers = await Promise.all(Array.from({ length: 20 }, () => open('/invoices')))
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      }
      const { location } = await post('/auth/sign-out')
      expect(cookie()).toBeUndefined()
      const left = await pages.request(location ?? '')
      expect([left.status, left.location]).toEqual([303, `${appUrl}/`])
      expect(await sessionsOf(scene)).toEqual([])
    },
  )

  test('switches to another organization of the application, and revokes the tokens of the one before alone', async () => {
    const { signIn, open, application, scene, visitor } = await product()
    await signIn()
    const before = visitor.cookies.get(cookieName) ?? ''
    const other = { ...sceneOf(), application }
    expect((await signIn(other)).location).toBe('/invoices')
    expect(memberOf(await open('/invoices'), 'organization')).toEqual({ domain: other.org_domain })
    expect(await sessionsOf(scene)).toHaveLength(1)

    visitor.cookies.set(cookieName, before)
    await service.clock.advance(hour)
    expect((await open('/invoices', script)).status).toBe(401)
  })

  test('takes part in an impersonation: it names who acts, and ends with it, without a refresh token', async () => {
    const { open, scene, application, pages, sessions } = await product()
    const { org_domain, user } = scene
    const { url, id } = await client.impersonations.create({
      ...{ org_domain, user_id: user.id, application_id: application.id },
      ...{ actor: { id: 'staff <7>' }, reason: 'Ticket 4711', duration_in_seconds: 600 },
    })
    const called = await pages.send(await pages.visit(url ?? ''), 'start')
    const begun = await open(called.location?.slice(appUrl.length) ?? '')
    const landed = await pages.request(begun.location ?? '')
    expect((await open(landed.location?.slice(appUrl.length) ?? '')).location).toBe('/')

    const page = await open('/invoices')
    expect(memberOf(page, 'user')).toMatchObject({ id: user.id })
    expect(memberOf(page, 'impersonator')).toEqual({ id: 'staff <7>', impersonation_id: id })
    await service.clock.advance(600)
    expect((await open('/invoices', script)).status).toBe(401)
    expect(sessions.counts).toMatchObject({ renewed: 0, failed: 0 })
  })

  test('notices at the next refresh that a session was ended', async () => {
    const { signIn, open, scene } = await product()
    await signIn()
    await client.sessions.endAll({ org_domain: scene.org_domain, user_id: scene.user.id })
    expect((await open('/invoices')).status).toBe(200)

    await service.clock.advance(hour)
    expect((await open('/invoices', script)).status).toBe(401)
  })

  test('says which error the service answers', async () => {
    const { begin, open } = await product()
    const pages = given.flows.visitorOf()
    const seen = await pages.request(await begin('/auth/sign-in?prompt=none'))

    const answered = await open(seen.location ?? '')

    expect([answered.status, answered.html]).toEqual([400, expect.stringContaining('login_required')])
  })
})
