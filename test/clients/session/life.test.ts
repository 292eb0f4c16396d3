import type { Session } from '@portico/sdk'
import { createSessions, type SessionStore } from '@portico/sdk/session'
import { signTestEvent } from '@portico/sdk/webhooks'
import { describe, expect, test } from 'vitest'
import { ada, lifetime } from '../../given/account-provider.js'
import {
  applicationOf,
  browserOf,
  codeOf,
  cookieName,
  memberOf,
  script,
  secret,
  signedIn,
  startProduct,
  webhookKey,
} from './session-given.js'

const minute = 60

describe('a session', () => {
  test('is not written, and asks nobody, until a minute before its access token expires', async () => {
    const { provider, open } = await signedIn()

    provider.state.seconds += lifetime - 61
    const { status, headers } = await open('/invoices')

    expect([status, headers.getSetCookie(), provider.exchanges()]).toEqual([200, [], 1])
  })

  test('is renewed from then on: its claims are those of now', async () => {
    const { provider, open, cookie } = await signedIn()
    const before = cookie()
    provider.state.seconds += lifetime - 60
    provider.state.claims = { name: 'Ada King' }

    const renewed = await open('/invoices')

    expect(memberOf(renewed, 'user')).toMatchObject({ name: 'Ada King' })
    expect(renewed.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-portico=v1\..*Max-Age=2588460; HttpOnly; SameSite=Lax; Secure$/),
    ])
    expect(cookie()).not.toBe(before)
    expect(provider.exchanges()).toBe(2)
  })

  test('is compared with the service earlier where refreshSeconds says so', async () => {
    const { provider, open } = await signedIn({ refreshSeconds: 300 })
    provider.state.seconds += 239
    await open('/invoices')
    expect(provider.exchanges()).toBe(1)

    provider.state.seconds += 1
    await open('/invoices')
    expect(provider.exchanges()).toBe(2)
  })

  test('of which 20 requests come at once at its expiry has one successor, and lives on', async () => {
    const { provider, open } = await signedIn()
    provider.state.seconds += lifetime

    const answers = await Promise.all(Array.from({ length: 20 }, () => open('/invoices')))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(provider.exchanges()).toBe(2)
    for (let hour = 0; hour < 2; hour += 1) {
      provider.state.seconds += lifetime
      expect((await open('/invoices')).status).toBe(200)
    }
    expect(provider.exchanges()).toBe(4)
  })

  test('of which several processes renew at once lives on: all get the same successor', async () => {
    const { provider, visitor, options, open } = await signedIn()
    const processes = Array.from({ length: 3 }, () => applicationOf(createSessions(options)))
    provider.state.seconds += lifetime
    const cookies = `${cookieName}=${visitor.cookies.get(cookieName) ?? ''}`

    const answers = await Promise.all(
      processes.map((ask) =>
        ask('https://app.example/invoices', { headers: { ...script, cookie: cookies } }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await open('/invoices')).status).toBe(200)
    provider.state.seconds += lifetime
    expect((await open('/invoices')).status).toBe(200)
  })

  test('outlives an answer that was lost on its way, also when the process restarts meanwhile', async () => {
    const { provider, visitor, options, open } = await signedIn()
    provider.state.seconds += lifetime
    provider.state.lost = 1
    expect((await open('/invoices')).status).toBe(200)

    const restarted = browserOf(provider, applicationOf(createSessions(options)))
    for (const [name, value] of visitor.cookies) restarted.visitor.cookies.set(name, value)
    expect((await restarted.open('/invoices')).status).toBe(200)
    provider.state.seconds += lifetime
    expect((await restarted.open('/invoices')).status).toBe(200)
  })

  test('outlives a service that is away for 4 minutes; after 6 it is 503, and afterwards as if nothing was', async () => {
    const { provider, open, cookie, faults } = await signedIn()
    const before = cookie()
    provider.state.seconds += lifetime
    provider.state.isDown = true
    for (const [minutes, status] of [
      [0, 200],
      [4, 200],
      [2, 503],
    ] as const) {
      provider.state.seconds += minutes * minute
      const { headers, ...seen } = await open('/invoices')
      expect([seen.status, headers.getSetCookie()]).toEqual([status, []])
    }
    expect(cookie()).toBe(before)
    expect(faults.length).toBe(3)

    provider.state.isDown = false
    provider.state.seconds += 5
    expect((await open('/invoices')).status).toBe(200)
    expect(cookie()).not.toBe(before)
  })

  test.each([429, 500, 503])('is kept in the same way while the service answers %i', async (status) => {
    const { provider, open, cookie } = await signedIn()
    const before = cookie()
    provider.state.seconds += lifetime
    provider.state.status = status

    expect((await open('/invoices')).status).toBe(200)
    provider.state.seconds += 301
    expect((await open('/invoices')).status).toBe(503)
    expect(cookie()).toBe(before)
  })

  test('asks a service that does not answer once in five seconds', async () => {
    const { provider, open } = await signedIn()
    provider.state.seconds += lifetime
    provider.state.isDown = true
    for (let request = 0; request < 10; request += 1) await open('/invoices')
    expect(provider.exchanges()).toBe(2)

    provider.state.seconds += 5
    await open('/invoices')
    expect(provider.exchanges()).toBe(3)
  })

  test('that has ended at the service is over at the next refresh, and its cookie is removed', async () => {
    const { provider, open, cookie, sessions } = await signedIn()
    provider.endSession(String(Object(memberOf(await open('/invoices'), 'session')).id))
    expect((await open('/invoices')).status).toBe(200)

    provider.state.seconds += lifetime
    const answered = await open('/invoices', script)

    expect([answered.status, codeOf(answered), cookie()]).toEqual([401, 'signed_out', undefined])
    expect(sessions.counts).toEqual({ unreadable: 0, renewed: 0, ended: 1, failed: 0 })
  })

  test('that a webhook tells of is over at once', async () => {
    const { provider, open, visitor, cookie } = await signedIn({ webhookKey })
    const { id } = Object(memberOf(await open('/invoices'), 'session')) as { id: string }
    provider.endSession(id)
    provider.state.seconds += 1

    const answered = await visitor.request('/auth/events', {
      method: 'POST',
      ...(await endEvent(provider, id)),
    })

    expect(answered.status).toBe(204)
    expect((await open('/invoices', script)).status).toBe(401)
    expect(cookie()).toBeUndefined()
  })

  test('is over 30 days after the sign-in, however often it was renewed', async () => {
    const { provider, open, cookie } = await signedIn({ maxAgeSeconds: 2 * lifetime })
    provider.state.seconds += lifetime
    const { headers } = await open('/invoices')
    expect(headers.getSetCookie().join()).toContain('Max-Age=3600;')

    provider.state.seconds += lifetime
    expect((await open('/invoices', script)).status).toBe(401)
    expect(cookie()).toBeUndefined()
    expect(provider.exchanges()).toBe(2)
  })

  test('of which the refresh tells another user, organization or session is not taken', async () => {
    for (const claims of [
      { sub: 'other' },
      { org: 'other-company', tnt: 'other-company' },
      { sid: 'other' },
    ]) {
      const { provider, open, cookie, faults } = await signedIn()
      const before = cookie()
      provider.state.seconds += lifetime
      provider.state.claims = claims

      expect(memberOf(await open('/invoices'), 'user')).toMatchObject({ id: ada.id })
      expect([cookie(), faults.length]).toEqual([before, 1])
      provider.state.seconds += 301
      expect((await open('/invoices')).status).toBe(503)
    }
  })
})

describe('where no cookie can be written', () => {
  test('a session is good until a minute after its freshness, and as signed out then; nobody is asked', async () => {
    const { provider, sessions, visitor } = await signedIn()
    const cookie = `${cookieName}=${visitor.cookies.get(cookieName) ?? ''}`
    const read = async () =>
      (await sessions.read(new Request('https://app.example', { headers: { cookie } }))).user?.id

    provider.state.seconds += lifetime + 59
    expect(await read()).toBe(ada.id)
    provider.state.seconds += 1
    expect(await read()).toBeUndefined()
    expect(provider.exchanges()).toBe(1)
  })

  test('an access token is that of the sign-in, and session_read_only in another process', async () => {
    const { provider, sessions, visitor, options } = await signedIn()
    const cookie = `${cookieName}=${visitor.cookies.get(cookieName) ?? ''}`
    const request = new Request('https://app.example', { headers: { cookie } })

    const { session } = await sessions.read(request)
    expect(await session?.accessToken()).toMatch(/^access-/)
    const other = await createSessions(options).read(request)
    await expect(other.session?.accessToken()).rejects.toMatchObject({
      code: 'session_read_only',
      status: 500,
    })
    expect(provider.exchanges()).toBe(1)
  })
})

describe('session.accessToken()', () => {
  test('is the one that is held, and another one from half a minute before it expires', async () => {
    const { provider, open } = await signedIn({ refreshSeconds: 3_600 })
    const first = memberOf(await open('/token'), 'token')
    expect(memberOf(await open('/token'), 'token')).toBe(first)

    provider.state.seconds += lifetime - 30
    const second = memberOf(await open('/token'), 'token')
    expect(second).toMatch(/^access-/)
    expect(second).not.toBe(first)
  })

  test('in another process is refreshed, with the cookie of its successor', async () => {
    const { provider, visitor, options } = await signedIn()
    const other = browserOf(provider, applicationOf(createSessions(options)))
    for (const [name, value] of visitor.cookies) other.visitor.cookies.set(name, value)

    const { html, headers } = await other.open('/token')

    expect(JSON.parse(html)).toMatchObject({ token: expect.stringMatching(/^access-/) })
    expect(headers.getSetCookie()).toHaveLength(1)
    provider.state.seconds += lifetime
    expect((await other.open('/token')).status).toBe(200)
  })

  test('of a session that has ended is signed_out, and of a service that is away service_unavailable', async () => {
    const { provider, visitor, options, open } = await signedIn()
    const other = browserOf(provider, applicationOf(createSessions(options)))
    for (const [name, value] of visitor.cookies) other.visitor.cookies.set(name, value)
    provider.state.isDown = true
    expect((await other.open('/token')).status).toBe(503)

    provider.state.isDown = false
    provider.state.seconds += 5
    provider.endSession(String(Object(memberOf(await open('/invoices'), 'session')).id))
    const ended = await other.open('/token')
    expect([ended.status, codeOf(ended), other.cookie()]).toEqual([401, 'signed_out', undefined])
  })
})

describe('a cookie', () => {
  test('that an older secret has sealed is good, and sealed by the newer one at the next refresh', async () => {
    const { provider, visitor, options, cookie } = await signedIn()
    const newer = 'another-secret-of-32-characters-or-more'
    const rotated = browserOf(
      provider,
      applicationOf(createSessions({ ...options, secret: [newer, secret] })),
    )
    rotated.visitor.cookies.set(cookieName, cookie() ?? '')
    expect((await rotated.open('/invoices')).status).toBe(200)
    expect(rotated.cookie()).toBe(visitor.cookies.get(cookieName))

    provider.state.seconds += lifetime
    await rotated.open('/invoices')
    const removed = browserOf(provider, applicationOf(createSessions({ ...options, secret: newer })))
    removed.visitor.cookies.set(cookieName, rotated.cookie() ?? '')
    expect((await removed.open('/invoices')).status).toBe(200)
  })

  test('that does not open is removed and counted, and its user signed out', async () => {
    const { open, visitor, sessions } = await startProduct()
    visitor.cookies.set(cookieName, 'v1.AAAA.AAAA')

    const { status, headers } = await open('/invoices', script)

    expect([status, sessions.counts.unreadable]).toEqual([401, 1])
    expect(headers.getSetCookie().join()).toMatch(/^__Host-portico=; .*Max-Age=0/)
  })

  test('has an id alone where a store keeps the contents, which it has sealed and under a digest', async () => {
    const kept = new Map<string, string>()
    const store: SessionStore = {
      get: async (key) => kept.get(key),
      set: async (key, contents) => void kept.set(key, contents),
      delete: async (key) => void kept.delete(key),
    }
    const groups = Array.from({ length: 100 }, (_, index) => `Department number ${index}`)
    const { provider, signIn, open, cookie, post } = await startProduct({ store, claims: ['groups'] })

    await signIn({ user: { ...ada, claims: { groups } } })

    const id = cookie() ?? ''
    expect(id).toMatch(/^[\w-]{43}$/)
    expect([...kept.keys()].join()).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify([...kept])).not.toContain(id)
    expect(JSON.stringify([...kept])).not.toContain(ada.email)
    expect(memberOf(await open('/auth/me'), 'user')).toMatchObject({ claims: { groups } })
    provider.state.seconds += lifetime
    await open('/invoices')
    expect([cookie(), kept.size]).toEqual([id, 1])
    await post('/auth/sign-out')
    expect(kept.size).toBe(0)
  })
})

async function endEvent(provider: { readonly state: { readonly seconds: number } }, id: string) {
  const data: Session = {
    ...{ __type__: 'Session', __domain__: 'awesome-company', __environment__: 'sandbox' },
    ...{ id, user_id: ada.id, client_id: 'c', amr: ['email'], impersonation_id: null },
    ...{ user_agent: null, offline_until: null },
    ...{ authenticated_at: '', last_used_at: '', expires_at: '' },
  }
  const now = () => provider.state.seconds * 1000
  return signTestEvent({ code: 'user.session.end.success', data }, webhookKey, { now })
}
