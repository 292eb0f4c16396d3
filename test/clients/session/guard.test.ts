import { createSessions, type Demands } from '@portico/sdk/session'
import { describe, expect, test } from 'vitest'
import { ada } from '../../given/account-provider.js'
import { appUrl, codeOf, form, mfa, navigation, script, startProduct } from './session-given.js'

type Headers = Readonly<Record<string, string>>

/** A product whose user has signed in, and a route with demands. */
async function given(by: Parameters<Awaited<ReturnType<typeof startProduct>>['signIn']>[0] = {}) {
  const product = await startProduct({ claims: ['permissions'] })
  await product.signIn(by)
  const cookie = [...product.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  async function ask(
    demands: Demands,
    headers: Headers = navigation,
    method = 'GET',
    path = '/invoices?page=2',
  ) {
    const request = new Request(appUrl + path, { method, headers: { ...headers, cookie } })
    return product.sessions.guard(request, await product.sessions.read(request), demands)
  }
  return { ...product, ask }
}

async function refusal(response: Response | undefined): Promise<unknown> {
  return response && [response.status, (await response.json()) as unknown]
}

describe('without a session', () => {
  test('a page goes to the sign-in, and comes back to where it was', async () => {
    const { open } = await startProduct()

    const { status, location, headers } = await open('/invoices?page=2')

    expect([status, location]).toEqual([303, '/auth/sign-in?return_to=%2Finvoices%3Fpage%3D2'])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('an older browser says by its Accept that it loads a page', async () => {
    const { open } = await startProduct()

    expect((await open('/invoices', { accept: 'text/html,application/xhtml+xml' })).status).toBe(303)
    expect((await open('/invoices', { accept: '*/*' })).status).toBe(401)
  })

  test('a script is told where to sign in, and comes back to the page that it is of', async () => {
    const { open } = await startProduct()

    const { status, html } = await open('/api/invoices', { ...script, referer: `${appUrl}/invoices?page=2` })

    expect([status, JSON.parse(html)]).toEqual([
      401,
      { error: { code: 'signed_out', sign_in_url: '/auth/sign-in?return_to=%2Finvoices%3Fpage%3D2' } },
    ])
    for (const referer of [
      'https://other.example/x',
      `${appUrl}.other.example/x`,
      'https://app.exampl0/x',
      `${appUrl}//other.example`,
    ])
      expect((await open('/api/invoices', { ...script, referer })).html).toContain('return_to=%2F"')
  })

  test('a frame, a form and an image are no pages to come back to', async () => {
    const { open, post } = await startProduct()

    expect((await open('/invoices', { ...navigation, 'sec-fetch-dest': 'iframe' })).status).toBe(401)
    expect((await open('/invoices', { 'sec-fetch-mode': 'no-cors', accept: 'text/html' })).status).toBe(401)
    expect((await post('/invoices')).status).toBe(401)
  })

  test('a path that looks like another host is one of the application', async () => {
    const { open } = await startProduct()

    expect((await open(`${appUrl}//other.example/x`)).location).toBe('/auth/sign-in?return_to=%2F')
  })
})

describe('a request that changes something', () => {
  const safe = ['GET', 'HEAD', 'OPTIONS']

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is refused from another site', async (method) => {
    const { ask } = await given()

    for (const headers of [
      {},
      { origin: 'https://other.example' },
      { origin: 'https://app.example.other.example' },
      { origin: 'http://app.example' },
      { origin: 'https://app.example:8443' },
      { origin: 'https://other.example', 'sec-fetch-site': 'same-origin' },
      { origin: 'null' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ] as Headers[])
      expect(await refusal(await ask({}, headers, method))).toEqual([403, { error: { code: 'cross_site' } }])
    expect(await ask({}, form, method)).toBeUndefined()
    expect(await ask({}, { 'sec-fetch-site': 'same-origin' }, method)).toBeUndefined()
    // What a page with Referrer-Policy: no-referrer sends.
    expect(await ask({}, { origin: 'null', 'sec-fetch-site': 'same-origin' }, method)).toBeUndefined()
    expect(await ask({ csrf: false }, { origin: 'https://other.example' }, method)).toBeUndefined()
  })

  test.each(safe)('%s passes, because it changes nothing', async (method) => {
    const { ask } = await given()

    expect(await ask({}, { origin: 'https://other.example' }, method)).toBeUndefined()
  })

  test('a sign-out or a switch by another site is refused, and ends nothing', async () => {
    const { post, open, cookie } = await given()
    const before = cookie()
    for (const path of ['/auth/sign-out', '/auth/switch'])
      for (const headers of [
        {},
        { ...navigation, origin: 'https://other.example', 'sec-fetch-site': 'cross-site' },
      ]) {
        const { status, location, ...seen } = await post(path, {}, headers)
        expect([status, location, codeOf({ status, location, ...seen })]).toEqual([403, null, 'cross_site'])
      }
    expect(cookie()).toBe(before)
    expect((await open('/invoices')).status).toBe(200)
  })
})

describe('the organization that a path names', () => {
  test('is the one of the session, or a page switches to it', async () => {
    const { ask } = await given({ organization: 'awesome-company' })

    expect(await ask({ organization: 'awesome-company' })).toBeUndefined()
    const page = await ask({ organization: 'other-company' })
    expect([page?.status, page?.headers.get('location')]).toEqual([
      303,
      '/auth/sign-in?organization=other-company&return_to=%2Finvoices%3Fpage%3D2',
    ])
  })

  test('of a tab that was left open in another one is 409 for what it writes', async () => {
    const { ask } = await given({ organization: 'awesome-company' })

    expect(
      await refusal(await ask({ organization: 'other-company' }, { ...script, origin: appUrl }, 'POST')),
    ).toEqual([
      409,
      {
        error: {
          code: 'other_organization',
          sign_in_url: '/auth/sign-in?organization=other-company&return_to=%2F',
        },
      },
    ])
  })

  test('is of none where the path names none', async () => {
    const { ask } = await given()

    expect((await ask({ organization: '' }, script))?.status).toBe(409)
  })
})

describe('a stronger sign-in', () => {
  test('is asked for by a page, in the same organization, and is enough afterwards', async () => {
    const { ask, signIn } = await given({ organization: 'awesome-company' })

    const page = await ask({ acr: mfa })
    const location = page?.headers.get('location') ?? ''
    expect([page?.status, location]).toEqual([
      303,
      `/auth/sign-in?acr_values=${encodeURIComponent(mfa)}&organization=awesome-company&return_to=%2Finvoices%3Fpage%3D2`,
    ])
    expect((await signIn({}, location)).location).toBe('/invoices?page=2')
  })

  test('is told to a script (RFC 9470 section 3)', async () => {
    const { ask } = await given()

    const answer = await ask({ acr: mfa, maxAgeSeconds: 300 }, script)

    expect([answer?.status, answer?.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer error="insufficient_user_authentication", acr_values="${mfa}"`,
    ])
    expect(await answer?.json()).toMatchObject({ error: { code: 'insufficient_user_authentication' } })
  })

  test('is not asked for after a second factor, and does not meet what is no acr of the service', async () => {
    const { ask } = await given({ acr: mfa })

    expect(await ask({ acr: mfa })).toBeUndefined()
    expect(await ask({ acr: 'urn:portico:acr:1fa' })).toBeUndefined()
    expect((await ask({ acr: 'urn:other' }))?.status).toBe(303)
    expect((await ask({ acr: 'phr' }))?.headers.get('location')).toContain('acr_values=phr')
    const strong = await given({ acr: 'phr' })
    for (const acr of ['phr', mfa]) expect(await strong.ask({ acr })).toBeUndefined()
  })

  test('is asked for when the last one is too long ago, by half a minute more for other clocks', async () => {
    const { ask, provider } = await given()

    provider.state.seconds += 330
    expect(await ask({ maxAgeSeconds: 300 })).toBeUndefined()
    provider.state.seconds += 1
    expect((await ask({ maxAgeSeconds: 300 }))?.headers.get('location')).toBe(
      '/auth/sign-in?max_age=300&organization=awesome-company&return_to=%2Finvoices%3Fpage%3D2',
    )
    expect((await ask({ maxAgeSeconds: 300 }, script))?.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", max_age="300"',
    )
  })
})

describe('a permission', () => {
  test('is one of the claim permissions', async () => {
    const user = { ...ada, claims: { permissions: ['invoices:read'] } }
    const { ask } = await given({ user })

    expect(await ask({ permission: 'invoices:read' })).toBeUndefined()
    expect(await refusal(await ask({ permission: 'invoices' }))).toEqual([
      403,
      { error: { code: 'permission_missing' } },
    ])
  })

  test('is one of the claim of the access token, which the ID token names', async () => {
    const { ask } = await given({ user: { ...ada, accessClaims: { permissions: ['invoices:read'] } } })

    expect(await ask({ permission: 'invoices:read' })).toBeUndefined()
    expect((await ask({ permission: 'invoices:write' }))?.status).toBe(403)
  })

  test('is not known where the access token had no room for it', async () => {
    const { ask } = await given({ user: { ...ada, accessClaims: { permissions_omitted: true } } })

    expect(await refusal(await ask({ permission: 'invoices:read' }))).toEqual([
      403,
      { error: { code: 'permissions_unavailable' } },
    ])
  })

  test.each([[undefined], ['invoices:read'], [{ 'invoices:read': true }], [null]])(
    'is missing where the claim is %j',
    async (permissions) => {
      const { ask } = await given({ user: { ...ada, claims: { permissions } } })

      expect((await ask({ permission: 'invoices:read' }))?.status).toBe(403)
    },
  )
})

test('staff who act as the user are refused where only the user may', async () => {
  const act = { iss: 'i', sub: 'staff-7', impersonation: 'imp-1' }
  const { ask } = await given({ user: { ...ada, claims: { act, amr: ['impersonation'] } } })

  expect(await ask({})).toBeUndefined()
  expect(await refusal(await ask({ impersonation: false }))).toEqual([
    403,
    { error: { code: 'impersonated' } },
  ])
  expect(await (await given()).ask({ impersonation: false })).toBeUndefined()
})

test('no refusal has a token or the cookie in it', async () => {
  const { ask, cookie, options } = await given()
  const answers = await Promise.all([
    ask({ acr: mfa }, script),
    ask({ organization: 'x' }, script),
    ask({ permission: 'x' }, script),
  ])

  expect(() => createSessions({ ...options, secret: 'short-secret' })).toThrow(/^(?!.*short-secret)/s)
  for (const answer of answers) expect(await answer?.text()).not.toContain(cookie())
})
