import { portico, type AuthVariables } from '@portico/sdk/hono'
import type { SessionOptions } from '@portico/sdk/session'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { ada, lifetime, startAccountProvider } from '../../given/account-provider.js'
import { browserOf, codeOf, forged, lateToken, memberOf, mfa, optionsOf, script } from './session-given.js'

/** A Hono application, and a browser. */
async function given(options: SessionOptions = {}) {
  const provider = await startAccountProvider()
  const auth = portico(optionsOf(provider, { claims: ['permissions'], ...options }))
  const app = new Hono<{ Variables: AuthVariables }>().use(auth.middleware)
  app.get('/', (c) => c.json(c.var.auth))
  // Headers that are set before such an answer are lost.
  app.get('/invoices', auth.requireUser(), (c) => Response.json(c.var.auth))
  app.get(
    '/o/:organization',
    auth.requireUser({ organization: ({ req }) => req.param()['organization'] }),
    (c) => c.json(c.var.auth.organization),
  )
  app.get('/payroll', auth.requireUser({ acr: mfa }), (c) => c.json({}))
  app.get('/reports', auth.requirePermission('reports:read'), (c) => c.json({}))
  app.get('/token', auth.requireUser(), async (c) =>
    c.json({ token: await c.var.auth.session?.accessToken() }),
  )
  app.get('/late', auth.requireUser(), (c) => c.body(lateToken(c.var.auth)))
  const application: typeof fetch = async (input, init) => app.fetch(new Request(input, init))
  return { provider, auth, ...browserOf(provider, application) }
}

describe('the middleware for Hono', () => {
  test('signs a user in and out', async () => {
    const { open, signIn, post, cookie } = await given()
    expect((await open('/invoices')).location).toBe('/auth/sign-in?return_to=%2Finvoices')

    expect((await signIn()).location).toBe('/invoices')

    expect(memberOf(await open('/invoices'), 'user')).toMatchObject({ id: ada.id })
    expect(memberOf(await open('/'), 'user')).toMatchObject({ id: ada.id })
    expect([(await post('/auth/sign-out')).status, cookie()]).toEqual([303, undefined])
    expect((await open('/invoices', script)).status).toBe(401)
  })

  test('guards routes: the organization of the path, a second factor, a permission', async () => {
    const { open, signIn } = await given()
    await signIn({ organization: 'awesome-company' })

    expect((await open('/o/awesome-company')).status).toBe(200)
    expect((await open('/o/other-company', script)).status).toBe(409)
    expect((await open('/payroll')).location).toContain('acr_values=')
    expect(codeOf(await open('/reports'))).toBe('permission_missing')
  })

  test('renews a session once for 20 requests at once, with a cookie in each answer, whoever makes it', async () => {
    const { provider, open, signIn } = await given()
    await signIn()
    provider.state.seconds += lifetime

    const answers = await Promise.all(Array.from({ length: 20 }, () => open('/invoices')))

    for (const { status, headers } of answers) {
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(headers.getSetCookie().join()).toMatch(/^__Host-portico=v1\./)
    }
    expect(provider.exchanges()).toBe(2)
  })

  test('gives access tokens, also in another process', async () => {
    const { provider, open, signIn, visitor } = await given()
    await signIn()
    const other = await given({ fetch: provider.fetch })
    for (const [name, value] of visitor.cookies) other.visitor.cookies.set(name, value)

    expect(memberOf(await open('/token'), 'token')).toMatch(/^access-/)
    const refreshed = await other.open('/token')
    expect(memberOf(refreshed, 'token')).toMatch(/^access-/)
    expect(refreshed.headers.getSetCookie()).toHaveLength(1)
  })

  test('spends no refresh token once the answer has begun', async () => {
    const { provider, signIn, visitor } = await given()
    await signIn()
    const other = await given({ fetch: provider.fetch })
    for (const [name, value] of visitor.cookies) other.visitor.cookies.set(name, value)

    expect((await other.open('/late')).html).toBe('session_read_only')
    expect(provider.exchanges()).toBe(1)
  })

  test('guards by what it has read itself, whatever other middleware sets', async () => {
    const provider = await startAccountProvider()
    const auth = portico(optionsOf(provider))
    const app = new Hono<{ Variables: AuthVariables }>().use(auth.middleware)
    app.use(async (c, next) => {
      c.set('auth', forged)
      await next()
    })
    app.get('/invoices', auth.requireUser(), (c) => c.json(c.var.auth))

    expect((await app.request('/invoices', { headers: script })).status).toBe(401)
  })

  test('answers 503 while the service has been away for too long', async () => {
    const { provider, open, signIn } = await given()
    await signIn()
    provider.state.seconds += lifetime + 300
    provider.state.isDown = true

    expect(codeOf(await open('/invoices'))).toBe('service_unavailable')
  })

  test('is missed by a guard without it', async () => {
    const { auth } = await given()
    const faults: unknown[] = []
    const app = new Hono<{ Variables: AuthVariables }>()
    app.get('/invoices', auth.requireUser(), (c) => c.json({}))
    app.onError((error) => {
      faults.push(error.message)
      return new Response(null, { status: 500 })
    })

    expect((await app.request('/invoices')).status).toBe(500)
    expect(faults).toEqual(['app.use(auth.middleware) must come before the routes'])
  })
})
