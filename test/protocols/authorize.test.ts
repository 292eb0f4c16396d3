import { beforeAll, describe, expect, test } from 'vitest'
import { answerOf, callback } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { pkcePair, withoutReference } from '../given/visitor.js'
import { authorizeGivenOf, type AuthorizeGiven } from './authorize-given.js'
import { exchange } from './code-given.js'

type Members = Record<string, string | undefined>

const mfa = 'urn:portico:acr:mfa'

const service = await startService()
const client = await service.client()
const given = authorizeGivenOf(service, client)

describe('a request that cannot be answered', () => {
  /** Objects that refused requests do not change. */
  let common: Awaited<ReturnType<AuthorizeGiven['scene']>>
  beforeAll(async () => {
    common = await given.scene()
    await client.passkeys.updateConnection({ org_domain: common.org_domain, active: false })
  })

  test.each<[string, Members, string]>([
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['two response types', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['another response_mode', { response_mode: 'web_message' }, 'invalid_request'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['a scope without openid', { scope: 'profile email' }, 'invalid_scope'],
    ['a scope that only contains the letters', { scope: 'openids' }, 'invalid_scope'],
    ['no code_challenge', { code_challenge: undefined }, 'invalid_request'],
    ['an empty code_challenge', { code_challenge: '' }, 'invalid_request'],
    ['a code_challenge that is too short', { code_challenge: 'abc' }, 'invalid_request'],
    ['a code_challenge with padding', { code_challenge: `${'a'.repeat(43)}=` }, 'invalid_request'],
    ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no code_challenge_method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['another prompt', { prompt: 'maybe' }, 'invalid_request'],
    ['prompt none with login', { prompt: 'none login' }, 'invalid_request'],
    ['max_age that is no number', { max_age: 'old' }, 'invalid_request'],
    ['max_age below zero', { max_age: '-1' }, 'invalid_request'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request_uri', { request_uri: 'https://store.example/r' }, 'request_uri_not_supported'],
    ['an id_token_hint that is none', { id_token_hint: 'x.y.z' }, 'invalid_request'],
    ['a nonce with a control character', { nonce: 'a\0b' }, 'invalid_request'],
    ['a login_hint with a control character', { login_hint: 'a\0b@people.example' }, 'invalid_request'],
    ['an idp_hint with a control character', { idp_hint: 'password\0' }, 'invalid_request'],
    ['acr mfa where nobody can have it', { acr_values: mfa }, 'unmet_authentication_requirements'],
    ['prompt none without a session', { prompt: 'none' }, 'login_required'],
  ])('tells the application: %s', async (_, members, error) => {
    const answer = await given.answerTo(common, members)

    expect(Object.fromEntries(answer)).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
      state: 'state-1',
      iss: `${service.baseUrl}/t/${common.org_domain}`,
    })
  })

  test('tells the application which parameter comes twice, whichever it is', async () => {
    const scene = await given.scene()
    const url = given.authorizeUrl(scene, { prompt: 'login', max_age: '10' })
    const names = [...new URL(url).searchParams.keys()].filter(
      (name) => !/^(client_id|redirect_uri)$/.test(name),
    )

    const answers = await Promise.all(
      names.map(async (name) => {
        const again = `${url}&${name}=${encodeURIComponent(new URL(url).searchParams.get(name) ?? '')}`
        return [name, answerOf(await given.visitorOf().request(again)).get('error')]
      }),
    )

    expect(names).toHaveLength(8)
    expect(answers).toEqual(names.map((name) => [name, 'invalid_request']))
  })

  test('repeats no state that could not be one, and none that was not sent', async () => {
    const scene = await given.scene()

    const malformed = await given.answerTo(scene, { state: 'a\nb' })
    const missing = await given.answerTo(scene, { state: undefined, scope: 'email' })

    expect([malformed.get('error'), malformed.has('state')]).toEqual(['invalid_request', false])
    expect([missing.get('error'), missing.has('state')]).toEqual(['invalid_scope', false])
  })

  test('shows a page, and redirects nowhere, where the application is unknown, foreign, deleted or not said', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const stranger = await service.client({ account: await service.createAccount() })
    const { domain: strange } = await stranger.organizations.create({ name: 'Strangers' })
    const foreign = await service.given.application(
      { org_domain: strange, allowed_redirect_urls: [callback] },
      stranger,
    )
    const deleted = await service.given.application({
      org_domain: scene.org_domain,
      allowed_redirect_urls: [callback],
    })
    await client.applications.delete({ org_domain: scene.org_domain, client_id: deleted.client_id })
    const members: Members[] = [
      { client_id: undefined },
      { client_id: '' },
      { client_id: 'store' },
      { client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4' },
      { client_id: other.application.client_id },
      { client_id: foreign.client_id },
      { client_id: deleted.client_id },
      { redirect_uri: undefined },
    ]

    const seen = await Promise.all(
      members.map((wrong) => given.visitorOf().request(given.authorizeUrl(scene, wrong))),
    )

    expect(seen.map(({ status, location }) => [status, location])).toEqual(members.map(() => [400, null]))
    expect(new Set(seen.map(({ html }) => withoutReference(html))).size).toBe(1)
  })

  test('shows a page where the organization is not there', async () => {
    const scene = await given.scene()

    const seen = await given.visitorOf().request(given.authorizeUrl({ ...scene, org_domain: 'nobody-here' }))

    expect([seen.status, seen.location]).toEqual([400, null])
  })

  test('405 for other methods', async () => {
    const scene = await given.scene()

    const seen = await given.visitorOf().request(given.authorizeUrl(scene), { method: 'PUT' })

    expect([seen.status, seen.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })
})

describe('a request to sign in', () => {
  test('is taken with the prefixed form of the client_id, and with parameters that nobody knows', async () => {
    const scene = await given.scene()
    const visitor = given.visitorOf()

    expect(
      await given.beginsFlow(
        scene,
        { client_id: `app_${scene.application.client_id}`, audience: 'x' },
        visitor,
      ),
    ).toBe(true)
  })

  test('by a form goes on by GET, with which the browser sends its cookies', async () => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)
    const post = (members: Members) =>
      visitor.request(`/t/${scene.org_domain}/authorize`, {
        method: 'POST',
        // Like a cross-site request of a browser: without cookies that are SameSite=Lax.
        headers: { cookie: '', origin: 'https://store.example' },
        body: new URLSearchParams(given.parameters(scene, members)),
      })

    const right = await post({})
    const wrong = await post({ scope: 'email' })
    const landed = await visitor.visit(right.location ?? '')

    expect(right.location).toMatch(/^\/t\/[\w-]+\/authorize\?/)
    expect(right.headers.getSetCookie()).toEqual([])
    expect(answerOf(landed).get('code')).toMatch(/^[\w-]{43}$/)
    expect(answerOf(wrong).get('error')).toBe('invalid_scope')
  })

  test('comes from one of allowed_web_origins where the application lists any', async () => {
    const scene = await given.scene()
    await client.applications.update({
      org_domain: scene.org_domain,
      client_id: scene.application.client_id,
      allowed_web_origins: ['https://store.example'],
    })
    const from = (headers: Record<string, string>) =>
      given.visitorOf().request(given.authorizeUrl(scene), { headers })

    const [own, foreign, hidden, none] = await Promise.all([
      from({ origin: 'https://store.example' }),
      from({ origin: 'https://store.example.evil.example' }),
      from({ origin: 'null' }),
      from({}),
    ])

    expect(answerOf(foreign).get('error')).toBe('access_denied')
    expect(answerOf(hidden).get('error')).toBe('access_denied')
    expect([own.location, none.location]).toEqual([
      expect.stringMatching(/^\/t\/.*\/sign-in\//),
      expect.stringMatching(/^\/t\/.*\/sign-in\//),
    ])
  })

  test('has the address of login_hint filled in, and nothing of one that is none', async () => {
    const scene = await given.scene()

    const hinted = await given.begin(scene, { login_hint: 'ada@people.example' })
    const odd = await given.begin(scene, { login_hint: '"><script>' })

    expect(hinted.page.html).toContain('value="ada@people.example"')
    expect(odd.page.html).not.toContain('<script>')
  })

  test('has pages in the language of ui_locales, which the person can change', async () => {
    const scene = await given.scene()

    const { visitor, page } = await given.begin(scene, { ui_locales: 'de fr en' })
    const changed = await visitor.visit(`${page.url}?ui_locales=en`)

    expect([langOf(page.html), langOf(changed.html)]).toEqual(['fr', 'en'])
  })

  test('goes on without ui_locales that are no language tags', async () => {
    const scene = await given.scene()

    for (const ui_locales of ['fr\0', 'fr_FR', 'x'.repeat(201)])
      expect(await given.beginsFlow(scene, { ui_locales }, given.visitorOf())).toBe(true)
  })

  test.each<[string, RequestInit]>([
    ['a HEAD', { method: 'HEAD' }],
    ['a browser that loads ahead', { headers: { 'sec-purpose': 'prefetch' } }],
  ])('begins nothing for %s, and makes no code', async (_, look) => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)

    const seen = await visitor.request(given.authorizeUrl(scene), look)

    expect([seen.status, seen.location]).toEqual([204, null])
    const stranger = await given.visitorOf().request(given.authorizeUrl(scene), look)
    expect([stranger.status, stranger.headers.get('set-cookie')]).toEqual([204, null])
  })

  test('begins with the way of idp_hint where the organization has both', async () => {
    const scene = await given.scene()
    const nextOf = async (hint: string) => {
      const { visitor, page } = await given.begin(scene, { idp_hint: hint })
      return (await visitor.press(page, 'identify', { email: anyEmail() })).html.includes('type="password"')
    }

    expect([await nextOf('password'), await nextOf('magic_link'), await nextOf('okta')]).toEqual([
      true,
      false,
      true,
    ])
  })

  test('is in the log of the account once an address is sent, and not before', async () => {
    const scene = await given.scene()
    const started = { org_domain: scene.org_domain, code: 'END_USER_SIGN_IN_STARTED' } as const
    const { visitor, page } = await given.begin(scene, { login_hint: 'victim@people.example' })
    const { data: before } = await client.logEvents.list(started)
    await visitor.press(page, 'identify', { email: 'ada@people.example' })

    const { data } = await client.logEvents.list(started)

    expect(before).toEqual([])
    expect(data).toMatchObject([{ client_id: scene.application.client_id, email: 'ada@people.example' }])
  })

  test('grants openid and the scopes that are known, and no other', async () => {
    const scene = await given.scene()
    const { verifier, challenge } = pkcePair()
    const { answer } = await given.signIn(scene, {
      scope: 'email admin openid write:users email',
      code_challenge: challenge,
    })

    const tokens = await exchange(service, { code: answer.get('code') ?? '', code_verifier: verifier })

    expect(tokens.body).toMatchObject({ scope: 'openid email' })
  })
})

function langOf(html: string): string | undefined {
  return /<html lang="([a-z]+)"/.exec(html)?.[1]
}
