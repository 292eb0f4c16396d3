import type { Impersonation } from '@portico/sdk'
import { bannerOf } from '@portico/sdk/session'
import { signTestEvent } from '@portico/sdk/webhooks'
import { describe, expect, test } from 'vitest'
import { ada, lifetime } from '../../given/account-provider.js'
import { appUrl, memberOf, script, startProduct, webhookKey } from './session-given.js'

describe('a session of an impersonation', () => {
  const act = { iss: 'https://auth.example/a/acme', sub: 'staff-7', impersonation: 'imp-1' }
  const user = { ...ada, claims: { act, amr: ['impersonation'] } }

  test('names who acts, has no refresh token, and ends with its access token', async () => {
    const { provider, signIn, open } = await startProduct({ scope: 'openid email' })
    await signIn({ user })

    expect(memberOf(await open('/invoices'), 'impersonator')).toEqual({
      id: 'staff-7',
      impersonation_id: 'imp-1',
    })
    provider.state.seconds += lifetime - 1
    expect((await open('/invoices')).status).toBe(200)
    provider.state.seconds += 1
    expect((await open('/invoices', script)).status).toBe(401)
    expect(provider.exchanges()).toBe(1)
  })

  test('is left without signing the member of staff out at the service', async () => {
    const { provider, signIn, post, cookie } = await startProduct({ scope: 'openid email' })
    await signIn({ user })

    const { location } = await post('/auth/sign-out')

    expect([location, cookie(), provider.state.revoked]).toEqual(['/', undefined, []])
  })

  test('ends with the event that its impersonation has ended, also before it has a session', async () => {
    const { provider, signIn, open, sessions } = await startProduct({ scope: 'openid email', webhookKey })
    await signIn({ user })
    const { body, headers } = await impersonationEvent(provider, 'imp-2')
    await sessions.handle(new Request(`${appUrl}/auth/events`, { method: 'POST', body, headers }))
    expect((await open('/invoices')).status).toBe(200)

    const ended = await impersonationEvent(provider, 'imp-1')
    await sessions.handle(
      new Request(`${appUrl}/auth/events`, { method: 'POST', body: ended.body, headers: ended.headers }),
    )

    expect((await open('/invoices', script)).status).toBe(401)
  })

  test('is shown by a banner, in which nothing of the actor or the user is HTML', () => {
    const markup = `"><img src=x onerror=alert('1')>&`
    const session = {
      ...{ id: 's', acr: 'urn:portico:acr:1fa', amr: ['impersonation'], accessToken: async () => '' },
      ...{ authenticatedAt: new Date(0), expiresAt: new Date(0) },
    }
    const signedIn = {
      user: { id: 'u', email: markup, name: null, claims: {} },
      ...{ organization: { domain: 'acme' }, session },
      impersonator: { id: markup, impersonation_id: 'imp-1' },
    }
    const texts = { endUrl: `/end?${markup}`, sentence: markup, button: markup }
    for (const html of [bannerOf(signedIn), bannerOf(signedIn, texts)]) {
      expect(html.match(/<\/?[a-z]+/g)?.join(' ')).toBe(
        '<div <span </span <form <button </button </form </div',
      )
      expect(html).not.toMatch(/<img|onerror=alert\('/)
    }
    expect(bannerOf(signedIn)).toContain('action="/auth/sign-out"')
    expect(bannerOf({ ...signedIn, impersonator: null })).toBe('')
    expect(bannerOf({ user: null, organization: null, session: null, impersonator: null })).toBe('')
  })

  test('is no impersonation because of a claim act alone, such as that of a relay', async () => {
    const { signIn, open } = await startProduct()
    await signIn({ user: { ...ada, claims: { act, amr: ['relay'] } } })

    expect(memberOf(await open('/invoices'), 'impersonator')).toBeNull()
  })
})

async function impersonationEvent(provider: { readonly state: { readonly seconds: number } }, id: string) {
  const data: Omit<Impersonation, 'url'> = {
    ...{ __type__: 'Impersonation', __domain__: 'awesome-company', __environment__: 'sandbox' },
    ...{ id, user_id: ada.id, application_id: 'c', actor: { id: 'staff-7', email: null }, reason: 'r' },
    ...{ duration_in_seconds: 900, notify_user: false, expires_at: '', started_at: '', ended_at: '' },
    inserted_at: '',
  }
  const now = () => provider.state.seconds * 1000
  return signTestEvent({ code: 'user.impersonation.end.success', data }, webhookKey, { now })
}
