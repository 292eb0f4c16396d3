import { createSessions, type SessionOptions } from '@portico/sdk/session'
import { describe, expect, test } from 'vitest'
import { account, ada } from '../../given/account-provider.js'
import { applicationOf, browserOf, codeOf, cookieName, memberOf, startProduct } from './session-given.js'

describe('a sign-in', () => {
  test('begins at the issuer of the account, with PKCE, nonce, state, and a claim for the name', async () => {
    const { begin } = await startProduct()
    const { origin, pathname, searchParams } = new URL(await begin())

    expect(origin + pathname).toBe(`${account.issuer}/authorize`)
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: account.clientId,
      redirect_uri: 'https://app.example/auth/callback',
      scope: 'openid email profile offline_access',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      claims: '{"id_token":{"name":null}}',
    })
  })

  test('ends at the page it was begun from, with the user in a cookie that only the application reads', async () => {
    const { provider, visitor, begin, open } = await startProduct()
    const location = await begin('/auth/sign-in?return_to=/invoices?page=2')

    const answered = await open(provider.signIn(location))

    expect([answered.status, answered.location]).toEqual([303, '/invoices?page=2'])
    expect(answered.headers.get('cache-control')).toBe('no-store')
    const [ended = '', set = ''] = answered.headers.getSetCookie()
    expect(ended).toMatch(/^__Host-portico-tx-[\w-]{8}=; .*Max-Age=0/)
    expect(set).toMatch(
      /^__Host-portico=v1\.[\w.-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(Buffer.byteLength(set)).toBeLessThan(800)
    expect([...visitor.cookies.keys()]).toEqual([cookieName])
    expect(JSON.parse((await open('/invoices')).html)).toMatchObject({
      user: { id: ada.id, email: ada.email, name: 'Ada Lovelace', claims: {} },
      organization: { domain: 'awesome-company' },
      session: { acr: 'urn:portico:acr:1fa', amr: ['email'], authenticatedAt: '2026-03-14T09:00:00.000Z' },
      impersonator: null,
    })
  })

  test('has a cookie of fewer bytes than 800 also for a long name and address', async () => {
    const { signIn } = await startProduct()
    const user = { ...ada, email: `${'a'.repeat(50)}@organization.example`, name: 'n'.repeat(50) }

    const { headers } = await signIn({ user, organization: 'a-company-with-a-long-name-in-europe' })

    expect(Buffer.byteLength(headers.getSetCookie()[1] ?? '')).toBeLessThan(1_000)
  })

  test('passes on what the request says, and nothing else', async () => {
    const { begin } = await startProduct()
    const passed = {
      organization: 'other-company',
      prompt: 'login',
      login_hint: 'ada@awesome.example',
      acr_values: 'urn:portico:acr:mfa',
      max_age: '300',
      impersonation: 'handle-1',
    }
    const others = {
      redirect_uri: 'https://other.example',
      scope: 'x',
      client_id: 'x',
      state: 'x',
      response_mode: 'x',
    }
    const query = new URLSearchParams({ ...passed, ...others })

    const { searchParams } = new URL(await begin(`/auth/sign-in?${query.toString()}`))

    expect(Object.fromEntries(searchParams)).toMatchObject(passed)
    expect(searchParams.get('redirect_uri')).toBe('https://app.example/auth/callback')
    expect(searchParams.get('client_id')).toBe(account.clientId)
    expect(searchParams.get('response_mode')).toBeNull()
  })

  test('is begun for somebody else, too, if they name this issuer (OpenID Connect Core section 4)', async () => {
    const { provider, begin, open } = await startProduct()
    const query = (iss: string, target: string) =>
      `/auth/sign-in?${new URLSearchParams({ iss, target_link_uri: target, login_hint: ada.email }).toString()}`

    const location = await begin(query(account.issuer, 'https://app.example/reports'))
    expect(new URL(location).searchParams.get('login_hint')).toBe(ada.email)
    expect((await open(provider.signIn(location))).location).toBe('/reports')
    const foreign = await begin(query(account.issuer, 'https://app.example.other.example/reports'))
    expect((await open(provider.signIn(foreign))).location).toBe('/')
    for (const iss of ['https://other.example', 'https://auth.example/t/awesome-company', '']) {
      const refused = await open(query(iss, 'https://app.example/reports'))
      expect([refused.status, codeOf(refused), refused.location]).toEqual([400, 'issuer_mismatch', null])
    }
  })

  test('is not begun by what a browser or a framework fetches ahead', async () => {
    const { open, visitor } = await startProduct()
    for (const header of [
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'next-router-prefetch': '1' },
      { 'sec-fetch-dest': 'image' },
      { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' },
    ] as Record<string, string>[]) {
      const { status, headers } = await open('/auth/sign-in', header)
      expect([status, headers.getSetCookie()]).toEqual([204, []])
    }
    const page = await open('/auth/sign-in', { rsc: '1' })
    expect([page.status, page.html, page.headers.get('content-type')]).toEqual([
      200,
      '',
      'text/html; charset=utf-8',
    ])
    expect(visitor.cookies.size).toBe(0)
  })

  test('does not disturb another one in a second tab: each returns to its own page', async () => {
    const { provider, begin, open } = await startProduct()
    const one = await begin('/auth/sign-in?return_to=/one')
    const two = await begin('/auth/sign-in?return_to=/two')

    expect((await open(provider.signIn(two))).location).toBe('/two')
    expect((await open(provider.signIn(one))).location).toBe('/one')
  })

  test('is refused with a claim that is too long for the cookie, by its name, and not cut', async () => {
    const { signIn, cookie, faults } = await startProduct({ claims: ['groups', 'locale'] })
    const groups = Array.from({ length: 60 }, (_, index) => `Department number ${index}`)

    const { status, html } = await signIn({ user: { ...ada, claims: { groups, locale: 'en' } } })

    expect([status, cookie()]).toEqual([500, undefined])
    expect(html).toContain('session_too_large')
    expect(faults).toEqual([
      expect.objectContaining({
        code: 'session_too_large',
        message: expect.stringMatching(
          /^the cookie would have \d+ bytes, and 1500 are the most: groups is the longest claim$/,
        ),
      }),
    ])
  })

  test('keeps the claims that the options name', async () => {
    const { begin, provider, open } = await startProduct({ claims: ['groups', 'employee_number'] })
    const location = await begin()
    expect(new URL(location).searchParams.get('claims')).toBe(
      '{"id_token":{"name":null,"groups":null,"employee_number":null}}',
    )

    await open(provider.signIn(location, { user: { ...ada, claims: { groups: ['Staff'], other: 1 } } }))

    expect(memberOf(await open('/auth/me'), 'user')).toMatchObject({ claims: { groups: ['Staff'] } })
  })
})

describe('the answer to a sign-in', () => {
  test('is taken once: later it leads to the page of who is signed in, and else says that it is over', async () => {
    const { provider, begin, open, visitor } = await startProduct()
    const answer = provider.signIn(await begin())
    await open(answer)

    const again = await open(answer)
    expect([again.status, again.location]).toEqual([303, '/'])
    visitor.cookies.clear()
    const other = await open(answer)
    expect([other.status, codeOf(other), other.location]).toEqual([400, 'state_unknown', null])
    expect(other.html).toContain('href="/auth/sign-in"')
    expect(provider.exchanges()).toBe(1)
  })

  test('of another browser signs nobody in: what an attacker has begun is no sign-in of the victim', async () => {
    const { provider, begin, sessions } = await startProduct()
    const victim = browserOf(provider, applicationOf(sessions))
    const answer = provider.signIn(await begin(), { user: { id: 'attacker', email: 'eve@other.example' } })

    const opened = await victim.open(answer)

    expect([opened.status, codeOf(opened), victim.visitor.cookies.size]).toEqual([400, 'state_unknown', 0])
    expect(provider.exchanges()).toBe(0)
  })

  test.each([
    ['without an issuer', { iss: '' }],
    ['of an organization’s issuer', { iss: 'https://auth.example/t/awesome-company' }],
    ['of another issuer', { iss: 'https://other.example/a/acme' }],
    ['of another spelling of the issuer', { iss: 'https://auth.example/a/acme/' }],
  ])('%s is refused before the code is sent anywhere (RFC 9207)', async (_, parameters) => {
    const { provider, begin, open, cookie } = await startProduct()

    const answered = await open(provider.answerOf(await begin(), { code: 'c', ...parameters }))

    expect([answered.status, codeOf(answered), cookie()]).toEqual([400, 'issuer_mismatch', undefined])
    expect(provider.exchanges()).toBe(0)
  })

  test('that is an error says which, as text, with a link to begin again at the same page', async () => {
    const { provider, begin, open, visitor, faults } = await startProduct()
    const location = await begin()

    const answered = await open(
      provider.answerOf(location, { error: 'access_denied', error_description: '<b>x' }),
    )

    expect([answered.status, visitor.cookies.size]).toEqual([400, 0])
    expect(answered.html).toContain('sign_in_refused: access_denied')
    expect(answered.html).toContain('href="/auth/sign-in?return_to=%2Finvoices"')
    expect(faults).toEqual([
      expect.objectContaining({ code: 'sign_in_refused', oauthError: 'access_denied' }),
    ])
    const hostile = await open(provider.answerOf(await begin(), { error: '<script>alert(1)</script>' }))
    expect(hostile.html).toContain('sign_in_refused: invalid_request')
    expect(hostile.html).not.toContain('<script')
  })

  test.each([
    ['a nonce of another sign-in', { nonce: 'other' }],
    ['no nonce', { nonce: undefined }],
    ['another application', { aud: 'other' }],
    ['the other environment', { dbs: 'production' }],
    ['an organization’s issuer', { iss: 'https://auth.example/t/awesome-company' }],
    ['another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['another use', { jtt: 'access_token' }],
    ['an expiry that has passed', { exp: 1 }],
  ])('whose ID token has %s is refused', async (_, claims) => {
    const { provider, signIn, cookie } = await startProduct()
    provider.state.claims = claims

    const answered = await signIn()

    expect([answered.status, codeOf(answered), cookie()]).toEqual([502, 'exchange_failed', undefined])
  })

  test('of another organization than was asked for is refused', async () => {
    const { signIn, cookie } = await startProduct()

    const answered = await signIn(
      { organization: 'other-company' },
      '/auth/sign-in?organization=awesome-company',
    )

    expect([answered.status, codeOf(answered), cookie()]).toEqual([400, 'sign_in_refused', undefined])
  })

  test('without the second factor that was asked for is refused, and does not begin again by itself', async () => {
    const { signIn, cookie } = await startProduct()
    const path = '/auth/sign-in?acr_values=urn:portico:acr:mfa'

    const answered = await signIn({ acr: 'urn:portico:acr:1fa' }, path)

    expect([answered.status, answered.location, cookie()]).toEqual([400, null, undefined])
    expect(answered.html).toContain('unmet_authentication_requirements')
    expect((await signIn({ acr: 'urn:portico:acr:mfa' }, path)).status).toBe(303)
  })

  test('that the service cannot be asked about is 503, and the same address works afterwards', async () => {
    const { provider, begin, open } = await startProduct()
    const answer = provider.signIn(await begin())
    provider.state.isDown = true

    const away = await open(answer)
    expect([away.status, codeOf(away), away.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '5',
    ])
    provider.state.isDown = false
    expect((await open(answer)).location).toBe('/invoices')
  })

  test('whose code is refused is told so', async () => {
    const { provider, begin, open } = await startProduct()

    const answered = await open(provider.answerOf(await begin(), { code: 'of-nobody' }))

    expect([answered.status, codeOf(answered)]).toEqual([502, 'exchange_failed'])
  })
})

describe('the routes below /auth', () => {
  test('are those that exist, with their methods', async () => {
    const { open, post } = await startProduct()

    for (const path of [
      '/auth',
      '/auth/',
      '/auth/other',
      '/auth/sign-in/',
      '/auth/constructor',
      '/auth/me/x',
    ])
      expect([path, (await open(path)).status]).toEqual([path, 404])
    const wrong = [
      await post('/auth/sign-in'),
      await post('/auth/me'),
      await open('/auth/sign-out'),
      await open('/auth/switch'),
    ]
    expect(wrong.map(({ status, headers }) => [status, headers.get('allow')])).toEqual([
      [405, 'GET'],
      [405, 'GET'],
      [405, 'POST'],
      [405, 'POST'],
    ])
    expect((await open('/author')).status).not.toBe(404)
  })

  test('me tells who is signed in, and 401 without a session', async () => {
    const { open, signIn } = await startProduct()
    const before = await open('/auth/me')
    expect([before.status, JSON.parse(before.html)]).toEqual([
      401,
      { error: { code: 'signed_out', sign_in_url: '/auth/sign-in' } },
    ])

    await signIn()

    const { status, html, headers } = await open('/auth/me')
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(JSON.parse(html)).toEqual({
      user: { id: ada.id, email: ada.email, name: ada.name, claims: {} },
      organization: { domain: 'awesome-company' },
      acr: 'urn:portico:acr:1fa',
      expires_at: '2026-04-13T09:00:00.000Z',
    })
  })

  test('switch asks for an organization, or for the choice', async () => {
    const { post, open } = await startProduct()

    const named = await post('/auth/switch', { organization: 'other-company', return_to: '/reports' })
    const chosen = await post('/auth/switch', { return_to: '//other.example' })

    expect([named.status, named.location]).toEqual([
      303,
      '/auth/sign-in?organization=other-company&return_to=%2Freports',
    ])
    expect(chosen.location).toBe('/auth/sign-in?prompt=select_organization&return_to=%2F')
    const begun = await open(named.location ?? '')
    expect(new URL(begun.location ?? '').searchParams.get('organization')).toBe('other-company')
  })

  test('after a switch the tokens of the organization before are revoked, and not its session', async () => {
    const { provider, signIn, open, post } = await startProduct()
    await signIn({ organization: 'awesome-company' })
    const { location } = await post('/auth/switch', { organization: 'other-company', return_to: '/reports' })

    await signIn({}, location ?? '')

    expect(provider.state.revoked).toEqual([{ token: expect.stringMatching(/\.0$/), endSession: false }])
    expect(memberOf(await open('/auth/me'), 'organization')).toEqual({ domain: 'other-company' })
  })
})

describe('the options', () => {
  test('are read from the environment where they are left out', async () => {
    const variables = {
      PORTICO_URL: 'https://auth.example/',
      PORTICO_ACCOUNT: 'acme',
      PORTICO_CLIENT_ID: account.clientId,
      PORTICO_CLIENT_SECRET: '',
      PORTICO_ENVIRONMENT: 'sandbox',
      SESSION_SECRET: 'the-new-secret-of-32-characters-or-more, the-old-secret-of-32-characters-or-more',
      APP_URL: 'http://localhost:4000',
    }
    Object.assign(process.env, variables)
    try {
      const answer = await createSessions().handle(new Request('http://other.example/auth/sign-in'))

      const location = new URL(answer?.headers.get('location') ?? '')
      expect(location.origin + location.pathname).toBe('https://auth.example/a/acme/authorize')
      expect(location.searchParams.get('redirect_uri')).toBe('http://localhost:4000/auth/callback')
      expect(answer?.headers.getSetCookie().join()).toMatch(
        /^portico-tx-[\w-]{8}=v1\.[^;]+; [^;]+; [^;]+; HttpOnly; SameSite=Lax$/,
      )
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name]
    }
  })

  test('that are missing or wrong are all named by one TypeError', () => {
    const faults = (options: Parameters<typeof createSessions>[0]) => {
      try {
        createSessions(options)
        return []
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
        return [...String(error).matchAll(/^- (\w+)/gm)].map(([, name]) => name)
      }
    }

    expect(faults({})).toEqual(['baseUrl', 'account', 'clientId', 'environment', 'secret', 'appUrl'])
    const good: SessionOptions = {
      ...{ baseUrl: 'https://auth.example', account: 'acme', clientId: 'c', environment: 'sandbox' },
      ...{ secret: 's'.repeat(32), appUrl: 'https://app.example' },
    }
    expect(faults(good)).toEqual([])
    expect(
      faults({
        ...{
          baseUrl: 'http://auth.example',
          account: 'Acme',
          clientId: '',
          clientSecret: '',
          scope: 'email',
        },
        ...{ environment: 'staging' as 'sandbox', secret: ['s'.repeat(32), 'short'], basePath: 'auth/' },
        ...{ appUrl: 'https://app.example/path', maxAgeSeconds: 0, refreshSeconds: 59, webhookKey: 'key' },
      }),
    ).toEqual([
      ...['baseUrl', 'account', 'clientId', 'clientSecret', 'environment', 'secret', 'appUrl', 'basePath'],
      ...['scope', 'maxAgeSeconds', 'refreshSeconds', 'webhookKey'],
    ])
    for (const appUrl of [
      'http://app.example',
      'https://app.example?x',
      'app.example',
      'https://a:b@app.example',
    ])
      expect(faults({ ...good, appUrl })).toEqual(['appUrl'])
  })
})
