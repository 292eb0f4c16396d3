import { portico } from '@portico/sdk/express'
import type { SessionOptions } from '@portico/sdk/session'
import { signTestEvent } from '@portico/sdk/webhooks'
import express, { type Express } from 'express'
import { describe, expect, test } from 'vitest'
import { ada, lifetime, startAccountProvider } from '../../given/account-provider.js'
import {
  browserOf,
  codeOf,
  cookieName,
  forged,
  listen,
  memberOf,
  mfa,
  optionsOf,
  script,
} from './session-given.js'

const webhookKey = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

/** An Express application that listens, and a browser. */
async function given(options: SessionOptions = {}, before: (app: Express) => void = () => undefined) {
  const provider = await startAccountProvider()
  const auth = portico(optionsOf(provider, { claims: ['permissions'], ...options }))
  const app = express()
  before(app)
  app.use(auth)
  app.get('/', (req, res) => void res.json(req.auth))
  app.get('/invoices', auth.requireUser(), (req, res) => void res.json({ user: req.auth.user }))
  app.post('/invoices', auth.requireUser(), express.json(), (req, res) => void res.json(req.body))
  app.get(
    '/o/:organization',
    auth.requireUser({ organization: (req) => req.params['organization'] }),
    (req, res) => void res.json(req.auth.organization),
  )
  app.get(
    '/search',
    auth.requireUser({ organization: (req) => req.params['organization'] }),
    (_req, res) => void res.json({}),
  )
  app.get('/payroll', auth.requireUser({ acr: mfa }), (_req, res) => void res.json({}))
  app.get('/reports', auth.requirePermission('reports:read'), (_req, res) => void res.json({}))
  app.get('/token', auth.requireUser(), async (req, res) => {
    res.json({ token: await req.auth.session?.accessToken() })
  })
  app.get('/late', auth.requireUser(), async (req, res) => {
    res.write('begun ')
    res.end(await req.auth.session?.accessToken().catch((error: unknown) => codeIn(error)))
  })
  return { provider, ...browserOf(provider, await listen(app)) }
}

function codeIn(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

describe('the middleware for Express', () => {
  test('signs a user in and out, whatever Host the request has', async () => {
    const { open, begin, provider, post, cookie } = await given()
    const nobody = { user: null, organization: null, session: null, impersonator: null }
    expect(JSON.parse((await open('/')).html)).toEqual(nobody)
    const { location } = await open('/invoices')
    expect(location).toBe('/auth/sign-in?return_to=%2Finvoices')

    const answered = await open(provider.signIn(await begin(location ?? '')))

    expect(answered.location).toBe('/invoices')
    expect(memberOf(await open('/invoices'), 'user')).toMatchObject({ id: ada.id, email: ada.email })
    expect((await open('/auth/me')).status).toBe(200)
    const left = await post('/auth/sign-out')
    expect([left.status, cookie()]).toEqual([303, undefined])
    expect((await open('/invoices', script)).status).toBe(401)
  })

  test('guards routes: the organization of the path, a second factor, a permission', async () => {
    const { open, signIn } = await given()
    await signIn({ organization: 'awesome-company' })

    expect((await open('/o/awesome-company')).status).toBe(200)
    expect((await open('/o/other-company')).location).toContain('organization=other-company')
    expect((await open('/o/other-company', script)).status).toBe(409)
    expect((await open('/payroll')).location).toContain('acr_values=')
    expect(codeOf(await open('/reports'))).toBe('permission_missing')
    await signIn({ user: { ...ada, claims: { permissions: ['reports:read'] } }, acr: mfa })
    expect([(await open('/payroll')).status, (await open('/reports')).status]).toEqual([200, 200])
  })

  test('refuses a request that names no organization where one is demanded', async () => {
    const { open, signIn } = await given()
    await signIn()

    expect(codeOf(await open('/search', script))).toBe('other_organization')
  })

  test('guards by what it has read itself, whatever other middleware writes to req.auth', async () => {
    const provider = await startAccountProvider()
    const auth = portico(optionsOf(provider))
    const app = express().use(auth)
    app.use((req, _res, next) => {
      req.auth = forged
      next()
    })
    app.get('/invoices', auth.requireUser(), (req, res) => void res.json(req.auth))
    const { open } = browserOf(provider, await listen(app))

    expect((await open('/invoices', script)).status).toBe(401)
  })

  test('refuses what other sites send, and leaves bodies to the routes', async () => {
    const { visitor, signIn } = await given()
    await signIn()
    const send = (origin: string) =>
      visitor.request('/invoices', {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: '{"amount":7}',
      })

    expect(codeOf(await send('https://other.example'))).toBe('cross_site')
    expect(JSON.parse((await send('https://app.example')).html)).toEqual({ amount: 7 })
  })

  test('renews a session once for 20 requests at once, with a cookie in an answer that nobody stores', async () => {
    const { provider, open, signIn } = await given()
    await signIn()
    provider.state.seconds += lifetime

    const answers = await Promise.all(Array.from({ length: 20 }, () => open('/invoices')))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.getSetCookie().join()).toMatch(/^__Host-portico=v1\./)
    }
    expect(provider.exchanges()).toBe(2)
  })

  test('answers 503 while the service has been away for too long', async () => {
    const { provider, open, signIn, cookie } = await given()
    await signIn()
    provider.state.seconds += lifetime + 300
    provider.state.isDown = true

    const { status, html, headers } = await open('/invoices')

    expect([status, JSON.parse(html), headers.get('retry-after')]).toEqual([
      503,
      { error: { code: 'service_unavailable' } },
      '5',
    ])
    expect(cookie()).toBeDefined()
  })

  test('gives access tokens while the answer has not begun, and spends no refresh token after it has', async () => {
    const { provider, open, signIn, visitor } = await given()
    await signIn()
    expect(memberOf(await open('/token'), 'token')).toMatch(/^access-/)
    const other = await given({ fetch: provider.fetch })
    for (const [name, value] of visitor.cookies) other.visitor.cookies.set(name, value)

    expect((await other.open('/late')).html).toBe('begun session_read_only')
    expect(provider.exchanges()).toBe(1)
    const { headers } = await other.open('/token')
    expect(headers.getSetCookie()).toHaveLength(1)
  })

  test('takes events and forms, also after a parser of bodies', async () => {
    const data = { id: ada.id, truncated: true } as const
    for (const before of [
      () => undefined,
      (app: Express) => void app.use(express.text({ type: '*/*' })),
      (app: Express) => void app.use(express.raw({ type: '*/*' })),
      (app: Express) => void app.use(express.json(), express.urlencoded({ extended: false })),
    ]) {
      const { provider, visitor, post } = await given({ webhookKey }, before)
      const now = () => provider.state.seconds * 1000
      const event = await signTestEvent({ code: 'user.user.delete.success', data }, webhookKey, { now })

      expect((await visitor.request('/auth/events', { method: 'POST', ...event })).status).toBe(204)
      expect((await post('/auth/switch', { organization: 'other-company' })).location).toContain(
        'other-company',
      )
    }
  })

  test('reads no body of more than a megabyte', async () => {
    const { visitor } = await given({ webhookKey })

    const { status } = await visitor.request('/auth/events', { method: 'POST', body: 'x'.repeat(1_000_001) })

    expect(status).toBe(413)
  })

  test('is missed by a guard without it: no request passes unseen', async () => {
    const provider = await startAccountProvider()
    const { requireUser } = portico(optionsOf(provider))
    const app = express().get('/', requireUser(), (_req, res) => void res.json({}))
    const { open } = browserOf(provider, await listen(app))

    expect((await open('/', { cookie: `${cookieName}=x` })).status).toBe(500)
  })

  test('passes the path on to Express, also one that looks like another host', async () => {
    const { open } = await given()

    expect((await open('https://app.example//other.example/auth/me')).status).toBe(404)
  })
})
