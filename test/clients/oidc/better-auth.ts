import type { OidcClient } from './oidc-client.js'
// #region guide
import { genericOAuth } from 'better-auth/plugins'

export function portico(issuer: string, clientId: string, clientSecret: string) {
  return genericOAuth({
    config: [
      {
        providerId: 'portico',
        discoveryUrl: `${issuer}/.well-known/openid-configuration`,
        clientId,
        clientSecret,
        scopes: ['openid', 'email', 'offline_access'],
        requireIdTokenVerification: true,
        // Without it the claims are those of the ID token.
        getUserInfo: ({ accessToken }) => readUserinfo(issuer, accessToken),
      },
    ],
  })
}

async function readUserinfo(issuer: string, accessToken = '') {
  const answer = await fetch(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
  if (!answer.ok) return null
  const claims = (await answer.json()) as { sub: string; email: string; email_verified: boolean }
  return { ...claims, id: claims.sub, emailVerified: claims.email_verified }
}
// #endregion
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { decodeJwt } from 'jose'
import { createVisitor } from '../../given/visitor.js'
import { memberOf } from './claims.js'

export const betterAuthClient: OidcClient = {
  name: 'better-auth',
  file: 'better-auth.ts',
  callbackPath: '/api/auth/callback/portico',
  notes: { userinfo: 'with the function below' },
  start({ issuer, clientId, clientSecret, origin, signedOutUri }) {
    const auth = betterAuth({
      baseURL: origin,
      secret: 'a secret of this application, 32 long',
      database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
      plugins: [portico(issuer, clientId, clientSecret)],
      logger: { disabled: true },
      rateLimit: { enabled: false },
      telemetry: { enabled: false },
    })
    const browser = createVisitor(origin, (url, init) => auth.handler(new Request(url, init)))
    async function call(path: string, body?: Record<string, unknown>): Promise<unknown> {
      const { status, html } = await browser.request(`/api/auth${path}`, {
        headers: { origin, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
      if (status !== 200) throw new Error(`${path} answers ${status}: ${html}`)
      return JSON.parse(html)
    }
    async function accountId(): Promise<string> {
      const accounts = await call('/list-accounts')
      return (Array.isArray(accounts) ? memberOf(accounts[0], 'id') : undefined) ?? ''
    }
    async function accepted(path: string) {
      const tokens = await call(path, { accountId: await accountId() })
      const idToken = memberOf(tokens, 'idToken') ?? ''
      return { sub: decodeJwt(idToken).sub ?? '', accessToken: memberOf(tokens, 'accessToken') }
    }
    return {
      begin: async () =>
        memberOf(await call('/sign-in/social', { provider: 'portico', callbackURL: '/' }), 'url') ?? '',
      async finish(answer) {
        const { location } = await browser.request(answer)
        if (location !== '/') throw new Error(`not signed in: ${location}`)
        return accepted('/get-access-token')
      },
      refresh: () => accepted('/refresh-token'),
      async userinfo() {
        const info = await call(`/account-info?accountId=${await accountId()}`)
        const data: unknown =
          typeof info === 'object' && info !== null ? Reflect.get(info, 'data') : undefined
        return { sub: memberOf(data, 'sub') ?? '', email: memberOf(data, 'email') }
      },
      logout: async () => memberOf(await call('/sign-out', { callbackURL: signedOutUri }), 'url') ?? '',
    }
  },
}
