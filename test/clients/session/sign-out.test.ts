import { describe, expect, test } from 'vitest'
import { lifetime } from '../../given/account-provider.js'
import { cookieName, memberOf, script, signedIn, startProduct } from './session-given.js'

describe('a sign-out', () => {
  test('removes the cookie, ends the session at the service, and asks nothing', async () => {
    const { provider, open, post, cookie } = await signedIn({ signedOutUrl: 'https://app.example/bye' })
    const { id } = Object(memberOf(await open('/invoices'), 'session')) as { id: string }

    const { status, location } = await post('/auth/sign-out')

    expect([status, cookie()]).toEqual([303, undefined])
    const url = new URL(location ?? '')
    expect(url.origin + url.pathname).toBe('https://auth.example/a/acme/logout')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: expect.any(String),
      logout_hint: id,
      post_logout_redirect_uri: 'https://app.example/bye',
    })
    expect(provider.state.revoked).toEqual([{ token: expect.stringMatching(/\.0$/), endSession: true }])
  })

  test('removes the cookie, too, while the service is away', async () => {
    const { provider, post, cookie, faults } = await signedIn()
    provider.state.isDown = true

    const { status, location } = await post('/auth/sign-out')

    expect([status, cookie(), faults.length]).toEqual([303, undefined, 1])
    expect(new URL(location ?? '').searchParams.has('post_logout_redirect_uri')).toBe(false)
  })

  test('is final: a late answer that brings the cookie back signs nobody in', async () => {
    const { provider, open, post, visitor, cookie } = await signedIn()
    provider.state.seconds += lifetime
    const late = cookie() ?? ''
    await open('/invoices')
    const renewed = cookie() ?? ''
    await post('/auth/sign-out')

    for (const back of [renewed, late]) {
      visitor.cookies.set(cookieName, back)
      expect((await open('/invoices', script)).status).toBe(401)
    }
  })

  test('without a session goes to the service, which asks', async () => {
    const { post } = await startProduct()

    const { status, location } = await post('/auth/sign-out')

    expect([status, new URL(location ?? '').searchParams.has('logout_hint')]).toEqual([303, false])
  })
})

describe('a switch of the organization', () => {
  test('and back at once leaves one session: 20 requests ask the service once', async () => {
    const { provider, signIn, open } = await signedIn()
    await signIn({ sid: 'of-awesome', organization: 'awesome-company' })
    await signIn({ sid: 'of-other', organization: 'other-company' })
    await signIn({ sid: 'of-awesome', organization: 'awesome-company' })
    const before = provider.exchanges()

    const answers = await Promise.all(Array.from({ length: 20 }, () => open('/invoices')))
    await open('/invoices')

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(memberOf(await open('/auth/me'), 'organization')).toEqual({ domain: 'awesome-company' })
    expect(provider.exchanges() - before).toBe(1)
  })

  test('is final: a late answer of the organization before brings no user of it back', async () => {
    const { provider, signIn, open, visitor, cookie } = await signedIn()
    provider.state.seconds += lifetime
    await open('/invoices')
    const late = cookie() ?? ''
    await signIn({ organization: 'other-company' })
    visitor.cookies.set(cookieName, late)

    expect((await open('/invoices', script)).status).toBe(401)
  })
})
