import { portico, type HonoContext, type HonoMiddleware } from '@portico/sdk/hono'
import type { Auth, SessionOptions } from '@portico/sdk/session'
import { describe, expect, test } from 'vitest'
import { ada, lifetime, startAccountProvider } from '../../given/account-provider.js'
import { browserOf, codeOf, memberOf, mfa, optionsOf, script } from './session-given.js'

type Route = (auth: Auth, context: HonoContext) => Response | Promise<Response>

/** Runs middleware and a route as Hono does: headers that were set before an answer that a route makes itself are lost. */
async function run(request: Request, chain: readonly HonoMiddleware[], route: Route): Promise<Response> {
  let answer: Response | undefined
  let auth: Auth | undefined
  const context: HonoContext = {
    req: { raw: request, param: () => ({ organization: new URL(request.url).pathname.split('/')[2] }) },
    header(name, value, { append }) {
      if (answer === undefined) return
      answer = new Response(answer.body, answer)
      if (append) answer.headers.append(name, value)
      else answer.headers.set(name, value)
    },
    set(_key, value) {
      auth = value
    },
  }
  async function at(index: number): Promise<void> {
    const middleware = chain[index]
    if (middleware === undefined) {
      if (auth === undefined) throw new Error('there is no auth')
      answer = await route(auth, context)
      return
    }
    answer = (await middleware(context, () => at(index + 1))) ?? answer
  }
  await at(0)
  return answer ?? new Response(null, { status: 404 })
}

async function given(options: SessionOptions = {}) {
  const provider = await startAccountProvider()
  const auth = portico(optionsOf(provider, { claims: ['permissions'], ...options }))
  const guards: Readonly<Record<string, readonly HonoMiddleware[]>> = {
    '/invoices': [auth.requireUser()],
    '/o/awesome-company': [auth.requireUser({ organization: ({ req }) => req.param()['organization'] })],
    '/o/other-company': [auth.requireUser({ organization: ({ req }) => req.param()['organization'] })],
    '/payroll': [auth.requireUser({ acr: mfa })],
    '/reports': [auth.requirePermission('reports:read')],
  }
  const application: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    const { pathname } = new URL(request.url)
    const chain = [auth.middleware, ...(guards[pathname] ?? [])]
    return run(request, chain, async (known) =>
      pathname === '/token'
        ? Response.json({ token: await known.session?.accessToken() })
        : Response.json(known),
    )
  }
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

  test('answers 503 while the service has been away for too long', async () => {
    const { provider, open, signIn } = await given()
    await signIn()
    provider.state.seconds += lifetime + 300
    provider.state.isDown = true

    expect(codeOf(await open('/invoices'))).toBe('service_unavailable')
  })

  test('is missed by a guard without it', async () => {
    const { auth } = await given()

    const answered = run(new Request('https://app.example'), [auth.requireUser()], () => new Response())

    await expect(answered).rejects.toThrow('app.use(auth.middleware) must come before the routes')
  })
})
