import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import type { FlowScene } from '../given/flow-given.js'
import type { Visitor } from '../given/visitor.js'
import { accountGivenOf, signedOut } from './account-given.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'
import { codeGivenOf, exchange } from './code-given.js'
import { refreshGivenOf } from './refresh-given.js'
import { claimsOf } from '../given/claims.js'

const service = await startService()
const client = await service.client()
const given = accountGivenOf(service, client)
const { flows, path } = given
const signIns = accountSignInGivenOf(service, client)

const logoutUrl = (parameters: Record<string, string> = {}, at = path) =>
  `${service.baseUrl}${at}/logout?${new URLSearchParams(parameters).toString()}`

/** Whether a browser still has a session of the organization. */
async function isSignedIn(scene: FlowScene, visitor: Visitor): Promise<boolean> {
  return 'code' in (await given.answerTo(scene, { prompt: 'none' }, visitor))
}

/** A browser with sessions of two organizations of the account. */
async function twice() {
  const first = await given.tokens()
  const { visitor, idToken, scene } = first
  const other = await given.scene(scene.application)
  await given.signIn(other, {}, visitor)
  return { visitor, idToken, scene, other }
}

describe('a sign-out of an account', () => {
  longTest('asks, names everybody who is signed in, and ends every session of the browser', async () => {
    const { visitor, scene, other } = await twice()

    const page = await visitor.visit(logoutUrl())
    expect(page.status).toBe(200)
    const addresses = page.html.replace(/<[^>]*>/g, '')
    for (const { user } of [scene, other]) expect(addresses).toContain(user.email)
    expect([await isSignedIn(scene, visitor), await isSignedIn(other, visitor)]).toEqual([true, true])
    const done = await visitor.press(page, 'sign_out')

    expect([done.status, done.html.includes('You are signed out')]).toEqual([200, true])
    expect([await isSignedIn(scene, visitor), await isSignedIn(other, visitor)]).toEqual([false, false])
    expect(visitor.sessionSecret()).toBeUndefined()
    const events = await service.query<{ actor_id: string }>(
      `select actor_id from events where code = 'user.session.end.success' and domain = any($1)`,
      [[scene.org_domain, other.org_domain]],
    )
    expect(events.map(({ actor_id }) => actor_id).sort()).toEqual([scene.user.id, other.user.id].sort())
  })

  longTest(
    '303: with the ID token of one of the sessions it ends them at once, and goes where the application wants',
    async () => {
      const { visitor, idToken, scene, other } = await twice()

      const left = await visitor.request(
        logoutUrl({ id_token_hint: idToken, post_logout_redirect_uri: signedOut, state: 's' }),
      )

      expect([left.status, left.location]).toEqual([303, `${signedOut}?state=s`])
      expect([await isSignedIn(scene, visitor), await isSignedIn(other, visitor)]).toEqual([false, false])
    },
  )

  longTest('asks with an ID token of a session that the browser does not have', async () => {
    const { visitor, scene } = await twice()
    const elsewhere = await given.tokens(scene)

    const page = await visitor.visit(logoutUrl({ id_token_hint: elsewhere.idToken }))

    expect([page.status, await isSignedIn(scene, visitor)]).toEqual([200, true])
  })

  longTest('leaves the sessions of other browsers, other accounts and the other environment', async () => {
    const own = await given.tokens()
    const elsewhere = await given.tokens(own.scene)
    const stranger = await service.client({ account: await service.createAccount() })
    const production = await service.client({ environment: 'production' })
    const others = [await strangerScene(stranger), await strangerScene(production, own.scene.org_domain)]
    for (const { url, of } of others) await given.pass(of, await own.visitor.visit(url), own.visitor)
    const cookies = own.visitor.cookies.size

    await own.visitor.request(logoutUrl({ id_token_hint: own.idToken }))

    expect(await isSignedIn(own.scene, own.visitor)).toBe(false)
    expect(await isSignedIn(elsewhere.scene, elsewhere.visitor)).toBe(true)
    expect(own.visitor.cookies.size).toBe(cookies - 1)
    for (const { url } of others) expect((await own.visitor.request(url)).location).toContain('code=')
  })

  test('of one organization leaves those of the others', async () => {
    const { visitor, idToken, scene, other } = await twice()

    await visitor.request(logoutUrl({ id_token_hint: idToken }, `/t/${scene.org_domain}`))

    expect([await isSignedIn(scene, visitor), await isSignedIn(other, visitor)]).toEqual([false, true])
  })

  longTest('is refused with a page, and nothing ends, for what is not of the account', async () => {
    const { visitor, idToken, scene } = await twice()
    const account = await service.createAccount()
    const stranger = await service.client({ account })
    const { domain: strange } = await stranger.organizations.create({ name: 'Strangers' })
    const foreign = await service.given.application({ org_domain: strange }, stranger)
    const wrong = [
      logoutUrl({ client_id: foreign.client_id }),
      logoutUrl({ id_token_hint: 'x.y.z' }),
      logoutUrl({ id_token_hint: idToken, post_logout_redirect_uri: `${signedOut}/` }),
      logoutUrl({ post_logout_redirect_uri: signedOut }),
      logoutUrl({ id_token_hint: idToken }, `/a/${account.domain}`),
      logoutUrl({ id_token_hint: idToken }, `/t/${(await given.scene()).org_domain}`),
    ]

    for (const url of wrong) expect((await visitor.request(url)).status).toBe(400)
    expect((await visitor.request(logoutUrl({}, '/a/no-such-account'))).status).toBe(404)
    expect(await isSignedIn(scene, visitor)).toBe(true)
  })

  longTest('is not pressed by another site, nor for other sessions than the page has named', async () => {
    const { visitor, scene, other } = await twice()
    const page = await visitor.visit(logoutUrl())
    const third = await given.scene(scene.application)
    await given.signIn(third, {}, visitor)

    const foreign = await visitor.send(page, 'sign_out', {}, { origin: 'https://evil.example' })
    const late = await visitor.send(page, 'sign_out')

    expect([foreign.status, late.status]).toEqual([403, 403])
    for (const each of [scene, other, third]) expect(await isSignedIn(each, visitor)).toBe(true)
  })

  /** An organization of somebody else, whose users sign in at its own issuer. */
  async function strangerScene(of: Awaited<ReturnType<typeof service.client>>, org_domain?: string) {
    const theirs = accountGivenOf(service, of).flows.passwords
    const domain = org_domain ?? (await of.organizations.create({ name: 'Strangers' })).domain
    await of.password.createConnection({ org_domain: domain })
    const application = await service.given.application({ org_domain: domain }, of)
    const user = await service.given.user({ org_domain: domain }, of)
    const scene = { org_domain: domain, application, user }
    await theirs.set(scene)
    return { of: scene, url: flows.authorizeUrl(scene) }
  }
})

describe('a sign-out after the application has ended its session by the refresh token', () => {
  /** A browser with sessions of two organizations, of which the application has ended the first. */
  async function revoked({ endsSession = true } = {}) {
    const { visitor, idToken, refreshToken: token, scene, parameters } = await given.tokens()
    const other = await given.scene(scene.application)
    await given.signIn(other, {}, visitor)
    const { client_id } = parameters
    const form = { token, client_id, ...(endsSession && { end_session: 'true' }) }
    expect((await exchange(service, form, { path: `${path}/oauth/revoke` })).status).toBe(200)
    const sid = String(claimsOf(idToken)['sid'])
    return { visitor, scene, other, hint: { client_id, logout_hint: sid } }
  }

  longTest(
    '303: asks nothing with client_id and logout_hint, and ends what else the browser has',
    async () => {
      const { visitor, scene, other, hint } = await revoked()
      expect(await isSignedIn(other, visitor)).toBe(true)

      const left = await visitor.request(logoutUrl({ ...hint, post_logout_redirect_uri: signedOut }))

      expect([left.status, left.location]).toEqual([303, signedOut])
      expect([await isSignedIn(scene, visitor), await isSignedIn(other, visitor)]).toEqual([false, false])
    },
  )

  test.each<[string, (of: Awaited<ReturnType<typeof revoked>>) => Promise<Record<string, string>>]>([
    ['of another session', async ({ hint }) => ({ ...hint, logout_hint: crypto.randomUUID() })],
    ['that is no id', async ({ hint }) => ({ ...hint, logout_hint: 'x' })],
    ['without client_id', async ({ hint: { logout_hint } }) => ({ logout_hint })],
    [
      'with another application',
      async ({ scene: { org_domain }, hint }) => {
        const { client_id } = await service.given.application({ org_domain })
        return { ...hint, client_id }
      },
    ],
    [
      'five minutes later',
      async ({ hint }) => {
        await service.clock.advance(5 * 60 + 1)
        return hint
      },
    ],
  ])('asks with a hint %s', async (_, hintOf) => {
    const of = await revoked()

    const page = await of.visitor.request(logoutUrl(await hintOf(of)))

    expect([page.status, await isSignedIn(of.other, of.visitor)]).toEqual([200, true])
  })

  longTest('asks where the session was ended otherwise, or goes on', async () => {
    const { scene, visitor, idToken, parameters } = await given.tokens()
    const other = await given.scene(scene.application)
    await given.signIn(other, {}, visitor)
    const sid = String(claimsOf(idToken)['sid'])
    const hint = { client_id: parameters.client_id, logout_hint: sid }
    const { org_domain, user } = scene
    await client.sessions.end({ org_domain, user_id: user.id, session_id: sid })
    const goesOn = await revoked({ endsSession: false })

    expect((await visitor.request(logoutUrl(hint))).status).toBe(200)
    expect((await goesOn.visitor.request(logoutUrl(goesOn.hint))).status).toBe(200)
    expect(await isSignedIn(other, visitor)).toBe(true)
    expect(await isSignedIn(goesOn.scene, goesOn.visitor)).toBe(true)
  })

  longTest('asks in another browser', async () => {
    const { scene, hint } = await revoked()
    const other = await given.signIn(await given.scene(scene.application))

    const page = await other.visitor.request(logoutUrl(hint))

    expect([page.status, await isSignedIn(other.scene, other.visitor)]).toEqual([200, true])
  })
})

describe('a sign-out of an account in a browser that only knows an address', () => {
  /** A browser that has proved a mailbox, and is signed in nowhere. */
  async function proved(visitor = flows.visitorOf()) {
    const application = await signIns.application()
    const { org_domain, user } = await signIns.member()
    expect(listedOn(await signIns.prove(application, user.email, visitor))).toEqual([org_domain])
    return { application, email: user.email, visitor }
  }

  async function isKnown({ application, visitor }: Awaited<ReturnType<typeof proved>>) {
    return listedOn(await signIns.begin(application, visitor, { prompt: 'select_organization' })).length > 0
  }

  const emailCookiesOf = ({ cookies }: Visitor) =>
    [...cookies.keys()].filter((name) => name.includes('portico-email-'))

  longTest(
    'asks whether to forget it, names it, and says only then that its user is signed out',
    async () => {
      const scene = await proved()
      const { visitor, email } = scene

      const page = await visitor.visit(logoutUrl())
      expect(page.html.replace(/<[^>]*>/g, '')).toContain(email)
      expect([page.status, page.html.includes('Forget this address?')]).toEqual([200, true])
      expect(await isKnown(scene)).toBe(true)
      const done = await visitor.press(page, 'sign_out')

      expect([done.status, done.html.includes('You can close this page')]).toEqual([200, true])
      expect([await isKnown(scene), emailCookiesOf(visitor)]).toEqual([false, []])
      expect((await visitor.visit(logoutUrl())).html).toContain('You can close this page')
    },
  )

  test('303: goes where the application wants after that', async () => {
    const { visitor, application } = await proved()
    const { client_id } = application

    const page = await visitor.visit(
      logoutUrl({ client_id, post_logout_redirect_uri: signedOut, state: 's' }),
    )
    const left = await visitor.send(page, 'sign_out')

    expect([left.status, left.location]).toEqual([303, `${signedOut}?state=s`])
    expect(emailCookiesOf(visitor)).toEqual([])
  })

  test('asks of the environment of the application alone', async () => {
    const scene = await proved()
    const production = await service.client({ environment: 'production' })
    const { client_id } = await service.given.application(
      { org_domain: await service.given.domain() },
      production,
    )

    const page = await scene.visitor.visit(logoutUrl({ client_id }))

    expect(page.html).toContain('You can close this page')
    expect(await isKnown(scene)).toBe(true)
  })

  test('is not pressed by another site, nor for another address than the page has named', async () => {
    const scene = await proved()
    const { visitor } = scene
    const page = await visitor.visit(logoutUrl())

    const foreign = await visitor.send(page, 'sign_out', {}, { origin: 'https://evil.example' })
    expect([foreign.status, await isKnown(scene)]).toEqual([403, true])
    const other = await proved(visitor)
    const late = await visitor.send(page, 'sign_out')

    expect([late.status, await isKnown(other)]).toEqual([403, true])
  })
})

describe('a sign-out by the ID token of a session that no browser has', () => {
  const codes = codeGivenOf(service, client)

  test.each<[string, (of: { org_domain: string }) => string]>([
    ['an organization', ({ org_domain }) => `/t/${org_domain}`],
    ['the account', () => path],
  ])('ends that session at %s, and not what another browser has proved', async (_, pathOf) => {
    const stranger = await codes.scene()
    const { idToken } = await refreshGivenOf(service, codes).tokens(stranger)
    const application = await signIns.application()
    const { org_domain, user } = await signIns.member()
    const visitor = flows.visitorOf()
    expect(listedOn(await signIns.prove(application, user.email, visitor))).toEqual([org_domain])

    const left = await visitor.request(logoutUrl({ id_token_hint: idToken }, pathOf(stranger)))

    expect([left.status, left.html.includes('You can close this page')]).toEqual([200, true])
    const of = { org_domain: stranger.org_domain, user_id: String(claimsOf(idToken)['sub']) }
    expect((await client.sessions.list(of)).data).toEqual([])
    const list = await signIns.begin(application, visitor, { prompt: 'select_organization' })
    expect(listedOn(list)).toEqual([org_domain])
  })

  test('asks nothing at the account where it has ended already, and ends as little', async () => {
    const stranger = await codes.scene()
    const { idToken } = await refreshGivenOf(service, codes).tokens(stranger)
    const of = { org_domain: stranger.org_domain, user_id: String(claimsOf(idToken)['sub']) }
    await client.sessions.endAll(of)
    const application = await signIns.application()
    const { org_domain, user } = await signIns.member()
    const visitor = flows.visitorOf()
    await signIns.prove(application, user.email, visitor)

    const left = await visitor.request(logoutUrl({ id_token_hint: idToken }))

    expect([left.status, left.html.includes('You can close this page')]).toEqual([200, true])
    const list = await signIns.begin(application, visitor, { prompt: 'select_organization' })
    expect(listedOn(list)).toEqual([org_domain])
  })
})
