import { describe, expect, test } from 'vitest'
import { answerOf, flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { csrfOf, pkcePair, type Seen, type Visitor } from '../given/visitor.js'
import { exchange, refusal } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

const mfa = 'urn:portico:acr:mfa'

/** Whether a browser is signed in. */
async function isSignedIn(scene: FlowScene, visitor: Visitor): Promise<boolean> {
  return answerOf(await visitor.request(given.authorizeUrl(scene, { prompt: 'none' }))).has('code')
}

/** A browser with only a session cookie stolen from another. */
function withSession(visitor: Visitor, secret = visitor.sessionSecret() ?? ''): Visitor {
  const thief = given.visitorOf()
  const name = [...visitor.cookies.keys()].find((cookie) => cookie.includes('session')) ?? ''
  thief.cookies.set(name, secret)
  return thief
}

describe('login CSRF: a flow that one browser has begun', () => {
  test('is shown to no other one, whether that has a flow of its own or not', async () => {
    const { scene, page } = await given.atPassword()
    const [bare, busy] = [given.visitorOf(), given.visitorOf()]
    await given.begin(scene, {}, busy)

    const seen = [await bare.visit(page.url), await busy.visit(page.url)]

    expect(seen.map(({ status }) => status)).toEqual([403, 404])
    expect(seen.map(({ html }) => html.includes('<form'))).toEqual([false, false])
  })

  test('is not finished by another one, with the form of the first', async () => {
    const { scene, page, visitor } = await given.atPassword()
    const other = given.visitorOf()
    await given.begin(scene, {}, other)

    const seen = await other.send(page, 'password', { password: goodPassword })

    expect([seen.status, seen.location, other.sessionSecret()]).toEqual([403, null, undefined])
    expect(answerOf(await visitor.send(page, 'password', { password: goodPassword })).has('code')).toBe(true)
  })
})

describe('a form', () => {
  type Send = (scene: FlowScene, visitor: Visitor, page: Seen) => Promise<Seen>
  const right = { password: goodPassword }

  test.each<[string, Send]>([
    ['without csrf', (_, visitor, page) => visitor.send(page, 'password', { ...right, csrf: '' })],
    [
      'with the csrf of another flow',
      async (scene, visitor, page) => {
        const { page: other } = await given.begin(scene, {}, visitor)
        return visitor.send(page, 'password', { ...right, csrf: csrfOf(other.html) })
      },
    ],
    [
      'from another site',
      (_, visitor, page) => visitor.send(page, 'password', right, { origin: 'https://evil.example' }),
    ],
    [
      'from another site, whose name begins as ours',
      (_, visitor, page) =>
        visitor.send(page, 'password', right, { origin: `${service.baseUrl}.evil.example` }),
    ],
    ['that does not say where it is from', (_, visitor, page) => visitor.send(page, 'password', right, {})],
    [
      'from a page that hides where it is, on another site',
      (_, visitor, page) =>
        visitor.send(page, 'password', right, { origin: 'null', 'sec-fetch-site': 'cross-site' }),
    ],
    ['without the flow cookie', (_, __, page) => given.visitorOf().send(page, 'password', right)],
  ])('%s is refused, and does nothing', async (_, send) => {
    const { scene, page, visitor } = await given.atPassword()

    const seen = await send(scene, visitor, page)

    expect([seen.status, seen.location, visitor.sessionSecret()]).toEqual([403, null, undefined])
  })

  test('is taken from our own page, which hides where it is', async () => {
    const { page, visitor } = await given.atPassword()
    const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }

    expect(answerOf(await visitor.send(page, 'password', right, headers)).has('code')).toBe(true)
  })
})

describe('fixation: the secret of the session cookie', () => {
  test('is another one after every sign-in, and the one before is worth nothing', async () => {
    const { scene, visitor } = await given.signIn()
    const before = withSession(visitor)
    await given.signIn(scene, { prompt: 'login' }, visitor)

    expect(await isSignedIn(scene, before)).toBe(false)
    expect(await isSignedIn(scene, visitor)).toBe(true)
  })

  test('is another one after a step-up, and the one before is worth nothing', async () => {
    const scene = await given.enrolledScene()
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })
    const { visitor } = await given.signIn(scene)
    const before = withSession(visitor)
    await given.totp.activate(scene.org_domain)
    const page = await visitor.visit(given.authorizeUrl(scene, { acr_values: mfa }))
    await visitor.press(page, 'totp', { code: given.totp.codeOf(scene.app) })

    expect(await isSignedIn(scene, before)).toBe(false)
    expect(await isSignedIn(scene, visitor)).toBe(true)
  })

  test('is not the one that somebody has planted, who is signed out', async () => {
    const scene = await given.scene()
    const attacker = await service.given.user({ org_domain: scene.org_domain })
    await given.passwords.set({ ...scene, user: attacker })
    const theirs = await given.signIn({ ...scene, user: attacker })
    const planted = theirs.visitor.sessionSecret() ?? ''
    const victim = withSession(theirs.visitor)

    await given.signIn(scene, { prompt: 'login' }, victim)

    expect(victim.sessionSecret()).not.toBe(planted)
    expect(await isSignedIn(scene, theirs.visitor)).toBe(false)
    const { data } = await client.logEvents.list({
      org_domain: scene.org_domain,
      code: 'END_USER_SIGNED_OUT',
    })
    expect(data.map(({ resource_owner_id }) => resource_owner_id)).toEqual([attacker.id])
  })

  test('and one that never was is not taken over', async () => {
    const { scene, visitor } = await given.signIn()
    const planted = 'A'.repeat(43)
    const victim = withSession(visitor, planted)

    await given.signIn(scene, {}, victim)

    expect(victim.sessionSecret()).not.toBe(planted)
    expect(await isSignedIn(scene, withSession(visitor, planted))).toBe(false)
  })
})

describe('a code of the pages', () => {
  test('is not exchanged without its verifier, nor with that of another flow (RFC 7636, code injection)', async () => {
    const scene = await given.scene()
    const [victim, attacker] = [pkcePair(), pkcePair()]
    const codeOf = async () =>
      (await given.signIn(scene, { code_challenge: attacker.challenge })).answer.get('code') ?? ''

    const [without, injected, right] = [
      await exchange(service, { code: await codeOf() }),
      await exchange(service, { code: await codeOf(), code_verifier: victim.verifier }),
      await exchange(service, { code: await codeOf(), code_verifier: attacker.verifier }),
    ]

    expect([without.text, injected.text, right.status]).toEqual([refusal, refusal, 200])
  })

  test('ends, when it comes again, the refresh tokens that were made of it, and no session of the browser', async () => {
    const scene = await given.scene()
    const { client_id } = scene.application
    const refresh = (refresh_token: unknown) =>
      exchange(service, { grant_type: 'refresh_token', refresh_token: String(refresh_token), client_id })
    const { verifier, challenge } = pkcePair()
    const asked = { code_challenge: challenge, scope: 'openid offline_access' }
    const { visitor, answer } = await given.signIn(scene, asked)
    const code = answer.get('code') ?? ''
    const next = answerOf(await visitor.request(given.authorizeUrl(scene, asked)))
    const made = await exchange(service, { code, code_verifier: verifier, client_id })
    const other = await exchange(service, {
      code: next.get('code') ?? '',
      code_verifier: verifier,
      client_id,
    })

    await exchange(service, { code, client_id })
    await exchange(service, { code, code_verifier: pkcePair().verifier, client_id })
    const kept = await refresh(made.body['refresh_token'])
    await exchange(service, { code, code_verifier: verifier, client_id })

    expect(kept.status).toBe(200)
    expect((await refresh(kept.body['refresh_token'])).status).toBe(400)
    expect((await refresh(other.body['refresh_token'])).status).toBe(200)
    const again = await visitor.request(given.authorizeUrl(scene, { prompt: 'none' }))
    expect(answerOf(again).has('code')).toBe(true)
  })

  test('is not had without a challenge, and a code without one is not exchanged with a verifier (RFC 9700 section 2.1.1)', async () => {
    const scene = await given.scene()
    const { verifier } = pkcePair()
    const downgraded = await given
      .visitorOf()
      .request(given.authorizeUrl(scene, { code_challenge: undefined, code_challenge_method: undefined }))
    const { code } = await given.passwords.signIn(scene)

    const answer = await exchange(service, { code, code_verifier: verifier })

    expect(answerOf(downgraded).get('error')).toBe('invalid_request')
    expect(answer.text).toBe(refusal)
  })

  test('is exchanged at its own issuer alone, which its redirect names (RFC 9207)', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const { verifier, challenge } = pkcePair()
    const { answer } = await given.signIn(scene, { code_challenge: challenge })

    const mixedUp = await exchange(
      service,
      { code: answer.get('code') ?? '', code_verifier: verifier },
      { path: `/t/${other.org_domain}/oauth/token` },
    )

    expect(answer.get('iss')).toBe(`${service.baseUrl}/t/${scene.org_domain}`)
    expect(mixedUp.text).toBe(refusal)
  })
})
