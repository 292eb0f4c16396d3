import type { Session } from '@portico/sdk'
import { expect, test } from 'vitest'
import { callback, isIn, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { pkcePair, type Visitor } from '../given/visitor.js'
import { accountSignInGivenOf } from './account-sign-in-given.js'
import { authorizeGivenOf } from './authorize-given.js'
import { exchange } from './code-given.js'
import { impersonationGivenOf } from './impersonation-given.js'

const service = await startService()
const client = await service.client()
const given = authorizeGivenOf(service, client)
const accounts = accountSignInGivenOf(service, client)
const impersonations = impersonationGivenOf(service, client)

/** Whether the browser gets a code without a page, which is a use of its session. */
async function isSignedIn(scene: FlowScene, visitor: Visitor): Promise<boolean> {
  return (await given.answerTo(scene, { prompt: 'none' }, visitor)).has('code')
}

async function sessionOf({ org_domain, user }: FlowScene): Promise<Session | undefined> {
  const { data } = await client.sessions.list({ org_domain, user_id: user.id })
  return data[0]
}

function advance(minutes: number): Promise<void> {
  return service.clock.advance(60 * minutes)
}

/** Seconds from the sign-in to the end of a session, as the API says. */
function lastsFor(session: Session | undefined): number {
  const ms = Date.parse(session?.expires_at ?? '') - Date.parse(session?.authenticated_at ?? '')
  return Math.round(ms / 1000)
}

test('a session and its cookie last as long as the policy says from the sign-in, also much longer than eight hours', async () => {
  const scene = await given.scene()
  await client.organizationPolicy.update({
    org_domain: scene.org_domain,
    session_lifetime_in_seconds: 2_592_000,
    session_idle_in_seconds: 2_592_000,
  })

  const { visitor, landed } = await given.signIn(scene)

  expect(landed.headers.getSetCookie().join('\n')).toMatch(
    /portico-session-\w+=\S+; Path=\/; Max-Age=2592000;/,
  )
  expect(lastsFor(await sessionOf(scene))).toBe(2_592_000)
  await advance(29 * 24 * 60)
  expect(await isSignedIn(scene, visitor)).toBe(true)
  await advance(24 * 60)
  expect(await isSignedIn(scene, visitor)).toBe(false)
  expect(await sessionOf(scene)).toBeUndefined()
})

test('a shorter lifetime holds at once for sessions that are open, a longer one from the next sign-in', async () => {
  const scene = await given.scene()
  const { org_domain } = scene
  const { visitor } = await given.signIn(scene)
  await advance(14)

  await client.organizationPolicy.update({
    org_domain,
    session_idle_in_seconds: 900,
    session_lifetime_in_seconds: 900,
  })
  expect(lastsFor(await sessionOf(scene))).toBe(900)
  expect(await isSignedIn(scene, visitor)).toBe(true)
  await client.organizationPolicy.update({ org_domain, session_lifetime_in_seconds: 86_400 })
  expect(lastsFor(await sessionOf(scene))).toBe(28_800)
  await client.organizationPolicy.update({ org_domain, session_lifetime_in_seconds: 900 })
  await advance(1)

  expect(await isSignedIn(scene, visitor)).toBe(false)
  expect(await sessionOf(scene)).toBeUndefined()
  expect((await visitor.visit(`/t/${org_domain}/sessions`)).status).toBe(401)
})

test('a session that the release before has opened ends by the policy, counted from its sign-in', async () => {
  const scene = await given.scene()
  const { visitor } = await given.signIn(scene)
  await service.query('update sessions set begun_at = null where user_id = $1', [scene.user.id])
  await client.organizationPolicy.update({
    org_domain: scene.org_domain,
    session_idle_in_seconds: 900,
    session_lifetime_in_seconds: 900,
  })

  expect(lastsFor(await sessionOf(scene))).toBe(900)
  await advance(15)
  expect(await isSignedIn(scene, visitor)).toBe(false)
})

test('another sign-in in the browser begins the lifetime anew', async () => {
  const scene = await given.scene()
  await client.organizationPolicy.update({
    org_domain: scene.org_domain,
    session_idle_in_seconds: 900,
    session_lifetime_in_seconds: 900,
  })
  const { visitor } = await given.signIn(scene)
  const before = await sessionOf(scene)
  await advance(10)

  const { landed } = await given.signIn(scene, { prompt: 'login' }, visitor)

  expect(landed.headers.getSetCookie().join('\n')).toContain('Max-Age=900;')
  expect(await sessionOf(scene)).toMatchObject({ id: before?.id })
  expect(lastsFor(await sessionOf(scene))).toBe(900)
  await advance(10)
  expect(await isSignedIn(scene, visitor)).toBe(true)
})

test('a browser that leaves its session alone for as long as the policy says has to sign in', async () => {
  const scene = await given.scene()
  await client.organizationPolicy.update({ org_domain: scene.org_domain, session_idle_in_seconds: 300 })
  const { visitor } = await given.signIn(scene)
  await advance(4)
  expect(await isSignedIn(scene, visitor)).toBe(true)
  await advance(4)
  expect(await isSignedIn(scene, visitor)).toBe(true)
  await advance(5)

  expect(await isSignedIn(scene, visitor)).toBe(false)
  expect(await given.beginsFlow(scene, {}, visitor)).toBe(true)
})

test('refresh tokens have a lifetime of their own, which the policy leaves as it is', async () => {
  const scene = await given.scene()
  const { client_id } = scene.application
  const { verifier: code_verifier, challenge: code_challenge } = pkcePair()
  const { answer } = await given.signIn(scene, { code_challenge, scope: 'openid offline_access' })
  const sent = { code: answer.get('code') ?? '', code_verifier, redirect_uri: callback, client_id }
  const { body } = await exchange(service, sent)
  await client.organizationPolicy.update({
    org_domain: scene.org_domain,
    session_idle_in_seconds: 300,
    session_lifetime_in_seconds: 900,
  })
  await advance(60)

  const refresh_token = String(body['refresh_token'])
  expect(await exchange(service, { grant_type: 'refresh_token', refresh_token, client_id })).toMatchObject({
    status: 200,
  })
})

test('who ends their other sessions ends those of a longer policy, too, which would come back with it', async () => {
  const scene = await given.scene()
  const { org_domain } = scene
  const long = { session_lifetime_in_seconds: 2_592_000, session_idle_in_seconds: 2_592_000 }
  await client.organizationPolicy.update({ org_domain, ...long })
  const { visitor: stolen } = await given.signIn(scene)
  await advance(60)
  await client.organizationPolicy.update({
    org_domain,
    session_lifetime_in_seconds: 900,
    session_idle_in_seconds: 900,
  })
  const { visitor } = await given.signIn(scene)
  await visitor.press(await visitor.visit(`/t/${org_domain}/sessions`), 'end_others')

  await client.organizationPolicy.update({ org_domain, ...long })

  expect(await isSignedIn(scene, stolen)).toBe(false)
  expect(await isSignedIn(scene, visitor)).toBe(true)
})

test('a session that the policy alone has ended is ended by the API, once', async () => {
  const scene = await given.scene()
  const { org_domain, user } = scene
  await given.signIn(scene)
  const session_id = (await sessionOf(scene))?.id ?? ''
  const short = { session_lifetime_in_seconds: 900, session_idle_in_seconds: 900 }
  await client.organizationPolicy.update({ org_domain, ...short })
  await advance(16)
  expect(await sessionOf(scene)).toBeUndefined()

  const at = { org_domain, user_id: user.id, session_id }
  await expect(client.sessions.end(at)).resolves.toMatchObject({ resource: { id: session_id } })
  await expect(client.sessions.end(at)).rejects.toMatchObject({ code: 'session_not_found' })
})

test('an impersonation has an end of its own, and ends with its session whatever the policy says', async () => {
  const scene = await impersonations.scene()
  const { org_domain, user } = scene
  const { created, accessToken: token } = await impersonations.tokens(scene, { duration_in_seconds: 3600 })
  const short = { session_lifetime_in_seconds: 900, session_idle_in_seconds: 900 }
  await client.organizationPolicy.update({ org_domain, ...short })
  await advance(16)
  const key = await service.apiKey()
  const isActive = async () => (await client.oauth.introspect({ token, ...key })).active
  expect(await isActive()).toBe(true)

  await client.impersonations.end({ org_domain, user_id: user.id, impersonation_id: created.id })

  expect(await isActive()).toBe(false)
})

test('a consent that is given when its session was left alone for too long signs nobody in', async () => {
  const scene = await given.scene()
  await client.organizationPolicy.update({ org_domain: scene.org_domain, session_idle_in_seconds: 300 })
  const { visitor } = await given.signIn(scene)
  await advance(4)
  const page = await visitor.visit(given.authorizeUrl(scene, { prompt: 'consent' }))
  expect(page.html).toContain('value="allow"')
  await advance(4)
  expect((await visitor.press(page, 'allow')).location).toContain(callback)
  const late = await visitor.visit(given.authorizeUrl(scene, { prompt: 'consent' }))
  await advance(5)

  const ended = await visitor.press(late, 'allow')

  expect([ended.status, ended.location]).toEqual([403, null])
})

test('at the issuer of the account a proof of a mailbox opens no session for longer than one would have lasted', async () => {
  const { email, application, first, visitor } = await accounts.inTwo()
  const short = { session_lifetime_in_seconds: 900, session_idle_in_seconds: 900 }
  await client.organizationPolicy.update({ org_domain: first.org_domain, ...short })
  await accounts.prove(application, email, visitor)
  await advance(14)
  const enter = async () =>
    isIn(await accounts.enter(await accounts.begin(application, visitor), first.org_domain, visitor))
  expect(await enter()).toBe(true)
  await advance(40)

  expect(await enter()).toBe(false)
})

test('a policy is of one organization and environment', async () => {
  const scene = await given.scene()
  const other = await given.scene()
  const production = await service.client({ environment: 'production' })
  const short = { session_idle_in_seconds: 900, session_lifetime_in_seconds: 900 }
  await client.organizationPolicy.update({ org_domain: other.org_domain, ...short })
  await production.organizationPolicy.update({ org_domain: scene.org_domain, ...short })
  const { visitor } = await given.signIn(scene)
  await advance(50)

  expect(await isSignedIn(scene, visitor)).toBe(true)
})
