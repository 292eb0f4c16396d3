import { portico, type NextAuth, type NextRuntime } from '@portico/sdk/next'
import type { Demands, SessionOptions } from '@portico/sdk/session'
import { signTestEvent } from '@portico/sdk/webhooks'
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { ada, lifetime, startAccountProvider } from '../../given/account-provider.js'
import {
  browserOf,
  codeOf,
  cookieName,
  lateToken,
  memberOf,
  mfa,
  navigation,
  optionsOf,
  script,
} from './session-given.js'

const webhookKey = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

/** The headers of the request that is rendered, as Next.js keeps them. */
const rendered = new AsyncLocalStorage<Headers>()
const prefix = 'x-test-request-'

/** As Next.js ends a rendering. */
class RedirectError extends Error {
  readonly path: string
  constructor(path: string) {
    super('NEXT_REDIRECT')
    this.path = path
  }
}

/** What a request of Next.js does when its member `page` is read. */
function throwDeprecated(): never {
  throw new Error('The request.page has been deprecated in favour of `URLPattern`.')
}

const runtime: NextRuntime = {
  headers: async () => rendered.getStore() ?? new Headers(),
  redirect: async (path) => {
    throw new RedirectError(path)
  },
  // The answer of a proxy tells which headers the request goes on with.
  pass: async (headers) =>
    new Response(null, {
      headers: Object.fromEntries([...headers].map(([name, value]) => [prefix + name, value])),
    }),
}

/** An application with pages and route handlers, whose proxy may be passed by. */
function applicationOf(auth: NextAuth, demands: Demands = {}) {
  let isProxied = true
  const api = auth.protect((_request, { organization }) => Response.json({ organization }))
  const late = auth.protect((_request, known) => new Response(lateToken(known)))
  const token = auth.protect(async (_request, { session }) =>
    Response.json({ token: await session.accessToken() }),
  )

  async function page(headers: Headers): Promise<Response> {
    try {
      const known = await rendered.run(headers, () => auth.requireUser(demands))
      return Response.json(known)
    } catch (error) {
      if (error instanceof RedirectError)
        return new Response(null, { status: 307, headers: { location: error.path } })
      return Response.json({ error: { code: String(Object(error).code) } }, { status: 500 })
    }
  }
  async function serve(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/auth/'))
      return auth.handlers[request.method === 'POST' ? 'POST' : 'GET'](request)
    if (pathname === '/api/invoices') return api(request, {})
    if (pathname === '/api/late') return late(request, {})
    if (pathname === '/api/token') return token(request, {})
    return page(request.headers)
  }
  const application: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    if (!isProxied) return serve(request)
    const passed = await auth.proxy(request)
    if (passed.status !== 200) return passed
    const headers = new Headers()
    for (const [name, value] of passed.headers)
      if (name.startsWith(prefix)) headers.set(name.slice(prefix.length), value)
    const body = request.method === 'POST' ? await request.text() : undefined
    const handed = new Request(request.url, { method: request.method, headers, body })
    Object.defineProperty(handed, 'page', { get: throwDeprecated })
    const served = await serve(handed)
    const answer = new Response(served.body, served)
    for (const line of passed.headers.getSetCookie()) answer.headers.append('set-cookie', line)
    return answer
  }
  return { application, bypass: () => (isProxied = false) }
}

async function given(options: SessionOptions = {}, demands: Demands = {}) {
  const provider = await startAccountProvider()
  const auth = portico(optionsOf(provider, options), runtime)
  const { application, bypass } = applicationOf(auth, demands)
  return { provider, auth, bypass, ...browserOf(provider, application) }
}

describe('the session layer of Next.js', () => {
  test('sends a page without a session to the sign-in, which comes back to it', async () => {
    const { open, begin, provider } = await given()
    const { status, location } = await open('/invoices?page=2')
    expect([status, location]).toEqual([307, '/auth/sign-in?return_to=%2Finvoices%3Fpage%3D2'])

    expect((await open(provider.signIn(await begin(location ?? '')))).location).toBe('/invoices?page=2')

    expect(memberOf(await open('/invoices'), 'user')).toMatchObject({ id: ada.id })
    expect(memberOf(await open('/invoices', { rsc: '1', 'sec-fetch-mode': 'cors' }), 'user')).toMatchObject({
      id: ada.id,
    })
  })

  test('renews a session in the proxy, for the browser and for the page of the same request', async () => {
    const { provider, open, signIn, cookie } = await given()
    await signIn()
    const before = cookie()
    provider.state.seconds += lifetime + 3_000
    provider.state.claims = { name: 'Ada King' }

    const { headers, ...seen } = await open('/invoices')

    expect(memberOf({ headers, ...seen }, 'user')).toMatchObject({ name: 'Ada King' })
    expect(headers.getSetCookie()).toHaveLength(1)
    expect(cookie()).not.toBe(before)
    expect(provider.exchanges()).toBe(2)
  })

  test('shows a page while the service is away for 4 minutes, and 503 after 6', async () => {
    const { provider, open, signIn, cookie } = await given()
    await signIn()
    const before = cookie()
    provider.state.isDown = true
    provider.state.seconds += lifetime + 240
    expect((await open('/invoices')).status).toBe(200)

    provider.state.seconds += 120
    expect((await open('/invoices')).status).toBe(503)
    expect(cookie()).toBe(before)
  })

  test('shows nothing to who has passed the proxy by, neither with its headers nor with an old cookie', async () => {
    const { provider, open, signIn, bypass, visitor } = await given()
    await signIn()
    provider.state.seconds += lifetime + 60
    bypass()
    const forged = {
      ...navigation,
      'x-middleware-subrequest': 'proxy:proxy:proxy',
      'x-portico-path': '//other.example',
    }

    expect((await open('/invoices', forged)).location).toBe('/auth/sign-in?return_to=%2F')
    visitor.cookies.clear()
    for (const header of ['x-portico-user', 'x-middleware-request-cookie', 'x-portico-session'])
      expect((await open('/invoices', { ...forged, [header]: `${cookieName}=x` })).status).toBe(307)
  })

  test('takes the cookie of an ended session from browser and page', async () => {
    const { provider, open, signIn, cookie } = await given()
    await signIn({ sid: 'the-session' })
    provider.endSession('the-session')
    provider.state.seconds += lifetime

    expect((await open('/invoices')).status).toBe(307)
    expect(cookie()).toBeUndefined()
  })

  test('refuses a page what no sign-in helps against, and asks for a second factor where one does', async () => {
    const act = { iss: 'i', sub: 'staff-7', impersonation: 'imp-1' }
    const impersonated = await given({}, { impersonation: false })
    await impersonated.signIn({ user: { ...ada, claims: { act, amr: ['impersonation'] } } })
    expect(codeOf(await impersonated.open('/invoices'))).toBe('impersonated')

    const weak = await given({}, { acr: mfa })
    await weak.signIn()
    expect((await weak.open('/invoices')).location).toContain('acr_values=')
  })

  test('takes server actions of its own pages alone', async () => {
    const { open, signIn } = await given()
    await signIn()
    const action = { 'next-action': '1', 'sec-fetch-mode': 'cors' }

    expect((await open('/invoices', { ...action, origin: 'https://app.example' })).status).toBe(200)
    expect(codeOf(await open('/invoices', { ...action, origin: 'https://other.example' }))).toBe('cross_site')
  })

  test('hears in its proxy and its pages what a webhook tells the route that Next.js loads apart', async () => {
    const { provider, auth, open, signIn } = await given({ webhookKey })
    await signIn({ sid: 'the-ended-session' })
    provider.endSession('the-ended-session')
    const route = portico(optionsOf(provider, { webhookKey }), runtime)
    const now = () => provider.state.seconds * 1000
    const data = { id: 'the-ended-session', truncated: true } as const
    const event = await signTestEvent({ code: 'user.session.end.success', data }, webhookKey, { now })

    const told = await route.handlers.POST(
      new Request('https://app.example/auth/events', { method: 'POST', ...event }),
    )

    expect([told.status, auth === route]).toEqual([204, false])
    expect((await open('/invoices')).status).toBe(307)
  })

  test('protects route handlers, which renew by themselves', async () => {
    const { provider, open, signIn, bypass, visitor } = await given()
    expect((await open('/api/invoices', script)).status).toBe(401)
    await signIn()
    bypass()
    provider.state.seconds += lifetime + 300

    const { status, html, headers } = await open('/api/invoices', script)

    expect([status, JSON.parse(html)]).toEqual([200, { organization: { domain: 'awesome-company' } }])
    expect([headers.getSetCookie().length, headers.get('cache-control')]).toEqual([1, 'no-store'])
    const foreign = await visitor.request('/api/invoices', {
      method: 'POST',
      headers: { origin: 'https://other.example' },
    })
    expect(foreign.status).toBe(403)
    expect(memberOf(await open('/api/token'), 'token')).toMatch(/^access-/)
  })

  test('spends no refresh token once the answer of a route handler has begun', async () => {
    const { provider, signIn, visitor } = await given()
    await signIn()
    const other = await given({ fetch: provider.fetch })
    for (const [name, value] of visitor.cookies) other.visitor.cookies.set(name, value)

    expect((await other.open('/api/late', script)).html).toBe('session_read_only')
    expect(provider.exchanges()).toBe(1)
  })

  test('can be built without the variables of its deployment, and names them at the first request', async () => {
    process.env['NEXT_PHASE'] = 'phase-production-build'
    try {
      const auth = portico({}, runtime)
      await expect(auth.getAuth()).rejects.toThrow(/^Sessions cannot begin/)
    } finally {
      delete process.env['NEXT_PHASE']
    }
    expect(() => portico({}, runtime)).toThrow(/^Sessions cannot begin/)
  })

  test('has no page below /auth that does not exist', async () => {
    const { open } = await given()

    expect((await open('/auth/other')).status).toBe(404)
  })
})
