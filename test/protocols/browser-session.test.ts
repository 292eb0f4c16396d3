import { describe, expect, test } from 'vitest'
import { answerOf, callback, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { pkcePair } from '../given/visitor.js'
import { authorizeGivenOf } from './authorize-given.js'
import { exchange } from './code-given.js'

type Members = Record<string, string | undefined>

const mfa = 'urn:portico:acr:mfa'
const oneFactor = 'urn:portico:acr:1fa'

const service = await startService()
const client = await service.client()
const given = authorizeGivenOf(service, client)

describe('a session of the browser', () => {
  test('gets a code at once, also without a page being allowed, and its code says when the user signed in', async () => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)
    const { verifier, challenge } = pkcePair()

    const answer = await given.answerTo(scene, { prompt: 'none', code_challenge: challenge }, visitor)
    const tokens = await exchange(service, { code: answer.get('code') ?? '', code_verifier: verifier })

    expect(tokens.status).toBe(200)
  })

  test('costs three round trips to the database', async () => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)
    const trips = async () => (await service.deps.metrics.roundTrips.get()).values[0]?.value ?? 0

    const before = await trips()
    await given.answerTo(scene, {}, visitor)

    expect((await trips()) - before).toBe(3)
  })

  test('is alive for as long as it is used every hour, and eight hours at most', async () => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)
    const codes: boolean[] = []
    for (let minutes = 55; minutes < 8 * 60; minutes += 55) {
      await service.clock.advance(55 * 60)
      codes.push((await given.answerTo(scene, { prompt: 'none' }, visitor)).has('code'))
    }
    await service.clock.advance(45 * 60)

    expect(codes).toEqual(Array.from({ length: 8 }, () => true))
    expect((await given.answerTo(scene, { prompt: 'none' }, visitor)).get('error')).toBe('login_required')
  })

  test('asks for a sign-in again when it was left alone for an hour', async () => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)
    await service.clock.advance(61 * 60)

    expect((await given.answerTo(scene, { prompt: 'none' }, visitor)).get('error')).toBe('login_required')
    expect(await given.beginsFlow(scene, {}, visitor)).toBe(true)
  })

  test('was left alone also where its application refreshes tokens in the background', async () => {
    const scene = await given.scene()
    const { verifier, challenge } = pkcePair()
    const { visitor, answer } = await given.signIn(scene, {
      code_challenge: challenge,
      scope: 'openid offline_access',
    })
    const { client_id } = scene.application
    await service.clock.advance(30)
    let { body } = await exchange(service, {
      code: answer.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: callback,
      client_id,
    })
    await service.clock.advance(59 * 60)
    const refresh_token = String(body['refresh_token'])
    ;({ body } = await exchange(service, { grant_type: 'refresh_token', refresh_token, client_id }))
    expect(body).toHaveProperty('refresh_token')
    await service.clock.advance(31)

    expect((await given.answerTo(scene, { prompt: 'none' }, visitor)).get('error')).toBe('login_required')
  })

  test.each<[string, Members]>([
    ['prompt login', { prompt: 'login' }],
    ['prompt select_account', { prompt: 'select_account' }],
    ['prompt create', { prompt: 'create' }],
    ['max_age 0', { max_age: '0' }],
    ['max_age that has passed', { max_age: '59' }],
    ['the address of somebody else', { login_hint: 'somebody.else@people.example' }],
  ])('is not enough with %s', async (_, members) => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)
    await service.clock.advance(60)

    expect(await given.beginsFlow(scene, members, visitor)).toBe(true)
  })

  test.each<[string, (scene: FlowScene) => Members]>([
    ['max_age that has not passed', () => ({ max_age: '3600' })],
    ['the address of its user, in any case', ({ user }) => ({ login_hint: user.email.toUpperCase() })],
    ['a login_hint that is no address', () => ({ login_hint: '+33612345678' })],
    ['acr of one factor', () => ({ acr_values: oneFactor })],
    ['acr mfa or one factor, where there is no second one', () => ({ acr_values: `${mfa} ${oneFactor}` })],
    ['acr values that nobody knows', () => ({ acr_values: 'phrh' })],
  ])('is enough with %s', async (_, members) => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)

    expect((await given.answerTo(scene, members(scene), visitor)).has('code')).toBe(true)
  })

  test('is of one organization and environment, whatever its secret is called', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const { visitor } = await given.signIn(scene)
    const signedInThere = await given.signIn(other)
    const secret = visitor.sessionSecret() ?? ''
    const nameThere = [...signedInThere.visitor.cookies.keys()].find((name) => name.includes('session')) ?? ''
    const forger = given.visitorOf()
    forger.cookies.set(nameThere, secret)

    expect((await given.answerTo(other, { prompt: 'none' }, visitor)).get('error')).toBe('login_required')
    expect((await given.answerTo(other, { prompt: 'none' }, forger)).get('error')).toBe('login_required')
  })

  test('is over when its user is deactivated, or the organization lets the address in no more', async () => {
    const deactivated = await given.scene()
    const closed = await given.scene()
    const [one, two] = [await given.signIn(deactivated), await given.signIn(closed)]
    await client.users.update({
      org_domain: deactivated.org_domain,
      user_id: deactivated.user.id,
      active: false,
    })
    await client.organizations.update({
      org_domain: closed.org_domain,
      allowed_email_domains: ['elsewhere.example'],
    })

    expect((await given.answerTo(deactivated, { prompt: 'none' }, one.visitor)).get('error')).toBe(
      'login_required',
    )
    expect((await given.answerTo(closed, { prompt: 'none' }, two.visitor)).get('error')).toBe(
      'login_required',
    )
  })
})

describe('an id_token_hint', () => {
  async function signedIn(scene: FlowScene) {
    const { verifier, challenge } = pkcePair()
    const { visitor, answer } = await given.signIn(scene, { code_challenge: challenge })
    const { body } = await exchange(service, { code: answer.get('code') ?? '', code_verifier: verifier })
    return { visitor, idToken: body.id_token ?? '', accessToken: body.access_token ?? '' }
  }

  test('of the session’s user, expired or not, leaves it enough; of another user it does not', async () => {
    const scene = await given.scene()
    const { visitor, idToken } = await signedIn(scene)
    const colleague = await service.given.user({ org_domain: scene.org_domain })
    await given.passwords.set({ ...scene, user: colleague })
    const theirs = await signedIn({ ...scene, user: colleague })

    const own = await given.answerTo(scene, { prompt: 'none', id_token_hint: idToken }, visitor)
    const other = await given.answerTo(scene, { prompt: 'none', id_token_hint: theirs.idToken }, visitor)
    await service.clock.advance(50 * 60)
    await given.answerTo(scene, {}, visitor)
    await service.clock.advance(50 * 60)
    const expired = await given.answerTo(scene, { prompt: 'none', id_token_hint: idToken }, visitor)

    expect([own.has('code'), other.get('error'), expired.has('code')]).toEqual([true, 'login_required', true])
  })

  test.each<[string, (tokens: { idToken: string; accessToken: string }) => string]>([
    ['with another signature', ({ idToken }) => `${idToken.slice(0, -8)}AAAAAAAA`],
    ['without one', ({ idToken }) => idToken.replace(/^[^.]+/, 'eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0')],
    ['that is an access token', ({ accessToken }) => accessToken],
  ])('%s is refused', async (_, forge) => {
    const scene = await given.scene()
    const { visitor, ...tokens } = await signedIn(scene)

    const answer = await given.answerTo(scene, { id_token_hint: forge(tokens) }, visitor)

    expect(answer.get('error')).toBe('invalid_request')
  })

  test('of another organization is refused', async () => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)
    const { idToken } = await signedIn(await given.scene())

    expect((await given.answerTo(scene, { id_token_hint: idToken }, visitor)).get('error')).toBe(
      'invalid_request',
    )
  })
})

describe('acr mfa', () => {
  test('has a session with one factor pass the second one, and then is had at once', async () => {
    const scene = await given.enrolledScene()
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })
    const { visitor } = await given.signIn(scene)
    await given.totp.activate(scene.org_domain)

    const none = await given.answerTo(scene, { acr_values: mfa, prompt: 'none' }, visitor)
    const page = await visitor.visit(given.authorizeUrl(scene, { acr_values: mfa }))
    const landed = await visitor.press(page, 'totp', { code: given.totp.codeOf(scene.app) })
    const again = await given.answerTo(scene, { acr_values: mfa, prompt: 'none' }, visitor)

    expect(none.get('error')).toBe('interaction_required')
    expect([answerOf(landed).has('code'), again.has('code')]).toEqual([true, true])
  })

  test('is not had by a session that has ended while its second factor was asked for', async () => {
    const scene = await given.enrolledScene()
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })
    const { visitor } = await given.signIn(scene)
    await given.totp.activate(scene.org_domain)
    const page = await visitor.visit(given.authorizeUrl(scene, { acr_values: mfa }))
    const of = { org_domain: scene.org_domain, user_id: scene.user.id }
    const { data: sessions } = await client.sessions.list(of)
    for (const { id: session_id } of sessions) await client.sessions.end({ ...of, session_id })

    const refused = await visitor.press(page, 'totp', { code: given.totp.codeOf(scene.app) })

    expect([refused.status, refused.location]).toEqual([403, null])
  })
})
