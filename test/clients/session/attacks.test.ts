import { signTestEvent } from '@portico/sdk/webhooks'
import { expect, test } from 'vitest'
import { ada } from '../../given/account-provider.js'
import {
  applicationOf,
  browserOf,
  codeOf,
  cookieName,
  script,
  secret,
  startProduct,
} from './session-given.js'

const webhookKey = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const otherKey = 'whsec_BBECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

test.each([
  ['another application', { clientId: 'another-application' }],
  ['the other environment', { environment: 'production' }],
  ['another account', { account: 'other' }],
  ['another service', { baseUrl: 'https://other.example' }],
  ['another address of the application', { appUrl: 'https://other-app.example' }],
] as const)('the cookie of %s with the same secret signs nobody in', async (_, other) => {
  const { signIn, cookie, options } = await startProduct()
  await signIn()
  const { sessions, provider } = await startProduct({ ...options, ...other })
  const browser = browserOf(provider, applicationOf(sessions))
  browser.visitor.cookies.set(cookieName, cookie() ?? '')

  expect((await browser.open('/invoices', script)).status).toBe(401)
  expect(sessions.counts.unreadable).toBe(1)
})

test('a cookie that a transaction or a store has sealed is no session, nor the reverse', async () => {
  const { begin, signIn, visitor, open, cookie, provider } = await startProduct()
  const location = await begin()
  const [name = '', transaction = ''] = [...visitor.cookies][0] ?? []
  visitor.cookies.set(cookieName, transaction)
  expect((await open('/invoices', script)).status).toBe(401)

  await signIn()
  visitor.cookies.set(name, cookie() ?? '')
  visitor.cookies.delete(cookieName)
  expect((await open(provider.signIn(location), script)).status).toBe(400)
})

test('of two cookies with the name of the session, as a sibling may toss one, none is taken', async () => {
  const { signIn, cookie, sessions, provider } = await startProduct()
  await signIn()
  const victim = cookie() ?? ''
  const other = browserOf(provider, applicationOf(sessions))
  await other.signIn({ user: { id: 'attacker', email: 'eve@other.example' } })
  const attacker = other.cookie() ?? ''
  const idOf = async (header: string) =>
    (await sessions.read(new Request('https://app.example', { headers: { cookie: header } }))).user?.id

  expect(await idOf(`${cookieName}=${victim}`)).toBe(ada.id)
  expect(await idOf(`${cookieName}=${victim}; ${cookieName}=${attacker}`)).toBeUndefined()
  expect(await idOf(`${cookieName}=${attacker}; ${cookieName}=${victim}`)).toBeUndefined()
  // Names that browsers, or other servers, might take for it.
  for (const tossed of ['portico', ' __host-portico', '__Host-Portico', '', '__Host-portico-tx-1'])
    expect(await idOf(`${tossed}=${attacker}; ${cookieName}=${victim}`)).toBe(ada.id)
  for (const alone of [
    `=${cookieName}=${attacker}`,
    `"${cookieName}=${attacker}"`,
    `portico=${attacker}`,
    `${cookieName}`,
  ])
    expect(await idOf(alone)).toBeUndefined()
})

test('the answer to the sign-in of another tab does not complete this one', async () => {
  const { provider, begin, open, cookie } = await startProduct()
  const one = new URL(provider.signIn(await begin()))
  const two = new URL(provider.signIn(await begin()))
  const mixed = new URL(one)
  mixed.searchParams.set('code', two.searchParams.get('code') ?? '')

  const answered = await open(mixed.href)

  // The code belongs to another verifier and nonce.
  expect([answered.status, codeOf(answered), cookie()]).toEqual([502, 'exchange_failed', undefined])
})

test('a forged webhook is refused, and ends no session', async () => {
  const { provider, signIn, open, visitor } = await startProduct({ webhookKey })
  await signIn()
  const now = () => provider.state.seconds * 1000
  const event = { code: 'user.user.delete.success', data: { id: ada.id, truncated: true } } as const
  const good = await signTestEvent(event, webhookKey, { now })
  const foreign = await signTestEvent(event, otherKey, { now })
  const old = await signTestEvent(event, webhookKey, { now: () => now() - 301_000 })
  const post = (init: { body: string; headers: Record<string, string> }) =>
    visitor.request('/auth/events', { method: 'POST', ...init })

  for (const [init, code] of [
    [foreign, 'signature_mismatch'],
    [{ ...good, body: good.body.replace(ada.id, 'other') }, 'signature_mismatch'],
    [{ ...good, headers: {} }, 'header_missing'],
    [old, 'timestamp_too_old'],
  ] as const) {
    const answered = await post(init)
    expect([answered.status, codeOf(answered)]).toEqual([400, code])
  }
  provider.state.isDown = true
  expect((await open('/invoices')).status).toBe(200)
  expect((await post(good)).status).toBe(204)
  // The service has to be asked now, and does not answer.
  expect((await open('/invoices')).status).toBe(503)
})

test('there is no webhook without its key', async () => {
  const { visitor } = await startProduct()
  const { status } = await visitor.request('/auth/events', {
    method: 'POST',
    ...(await signTestEvent({ code: 'user.user.delete.success', data: { truncated: true } }, webhookKey)),
  })

  expect(status).toBe(404)
})

test('a body of more than a megabyte is not read', async () => {
  const { visitor } = await startProduct({ webhookKey })
  const { status } = await visitor.request('/auth/events', { method: 'POST', body: 'x'.repeat(1_000_001) })

  expect(status).toBe(413)
})

test('no error has a token, a code or a cookie in it', async () => {
  const { provider, begin, open, faults, cookie } = await startProduct()
  await open(provider.signIn(await begin()))
  const kept = cookie() ?? ''
  provider.state.claims = { sub: 'other' }
  provider.state.seconds += 3_600
  await open('/invoices')
  provider.state.claims = { nonce: 'other' }
  const answer = provider.signIn(await begin())
  await open(answer)
  provider.state.isDown = true
  await open(provider.signIn(await begin()))

  const said = faults.map(
    (fault) => `${String(fault)} ${JSON.stringify(fault)} ${String(Object(fault).cause)}`,
  )
  expect(said).toHaveLength(3)
  const code = new URL(answer).searchParams.get('code') ?? ''
  for (const text of said)
    for (const told of [kept, code, secret, 'access-', 'appsandbox']) expect(text).not.toContain(told)
})

test.each([
  ['user.user.update.success', { id: ada.id, truncated: true }],
  ['user.user.delete.success', { id: ada.id, truncated: true }],
  ['user.session.end.success', { id: 'the-session', truncated: true }],
] as const)('after %s the service is asked, once, and decides', async (code, data) => {
  const { provider, signIn, open, visitor } = await startProduct({ webhookKey })
  await signIn({ sid: 'the-session' })
  provider.state.seconds += 1
  const event = await signTestEvent({ code, data }, webhookKey, { now: () => provider.state.seconds * 1000 })
  await visitor.request('/auth/events', { method: 'POST', ...event })
  provider.state.seconds += 1

  expect((await open('/invoices')).status).toBe(200)
  expect((await open('/invoices')).status).toBe(200)
  expect(provider.exchanges()).toBe(2)
})

test('an event of another user, session or organization asks nobody', async () => {
  const { provider, signIn, open, visitor } = await startProduct({ webhookKey })
  await signIn({ sid: 'the-session' })
  const now = () => provider.state.seconds * 1000
  for (const [code, data] of [
    ['user.user.delete.success', { id: 'other', truncated: true }],
    ['user.session.end.success', { id: 'other', truncated: true }],
    ['user.session.create.success', { id: 'the-session', truncated: true }],
    ['user.user.create.success', { id: ada.id, truncated: true }],
    ['organization.organization.delete.success', { truncated: true }],
  ] as const) {
    const event = await signTestEvent({ code, data }, webhookKey, { now })
    expect((await visitor.request('/auth/events', { method: 'POST', ...event })).status).toBe(204)
  }

  expect((await open('/invoices')).status).toBe(200)
  expect(provider.exchanges()).toBe(1)
})
