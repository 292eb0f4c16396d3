import type { OidcClient } from './oidc-client.js'
// #region guide
import type { AuthConfig } from '@auth/core'

export function configure(
  issuer: string,
  clientId: string,
  clientSecret: string,
  secret: string,
): AuthConfig {
  return {
    secret,
    trustHost: true,
    providers: [
      {
        id: 'portico',
        name: 'Portico',
        type: 'oidc',
        issuer,
        clientId,
        clientSecret,
        authorization: { params: { scope: 'openid email offline_access' } },
        // Reads the profile from userinfo.
        idToken: false,
      },
    ],
    callbacks: {
      async jwt({ token, account }) {
        if (account) return { ...token, ...account }
        // A minute before it expires.
        if (Date.now() / 1000 < Number(token['expires_at']) - 60) return token
        return { ...token, ...(await refreshed(issuer, clientId, clientSecret, token['refresh_token'])) }
      },
      session: ({ session, token }) => ({ ...session, idToken: token['id_token'] }),
    },
  }
}

async function refreshed(issuer: string, clientId: string, clientSecret: string, refreshToken: unknown) {
  const answer = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(refreshToken) }),
  })
  if (!answer.ok) throw new Error('the session has ended')
  const tokens = (await answer.json()) as Record<string, unknown>
  return { ...tokens, expires_at: Date.now() / 1000 + Number(tokens['expires_in']) }
}

export function logoutUrl(issuer: string, idToken: string, signedOutUri: string) {
  const parameters = { id_token_hint: idToken, post_logout_redirect_uri: signedOutUri }
  return `${issuer}/logout?${new URLSearchParams(parameters).toString()}`
}
// #endregion
import { Auth } from '@auth/core'
import { decodeJwt } from 'jose'
import { createVisitor } from '../../given/visitor.js'
import { memberOf } from './claims.js'

export const authCore: OidcClient = {
  name: '@auth/core',
  file: 'auth-core.ts',
  callbackPath: '/auth/callback/portico',
  notes: { refresh: 'with the callback below', logout: 'with the function below' },
  start({ issuer, clientId, clientSecret, origin, signedOutUri }) {
    const config = configure(issuer, clientId, clientSecret, 'a secret of this application, 32 long')
    let email: string | undefined
    let session: Record<string, unknown> = {}
    let isDue = false
    const { callbacks } = config
    const application: AuthConfig = {
      ...config,
      basePath: '/auth',
      // Errors are answers of the test.
      logger: { error: () => undefined },
      callbacks: {
        ...callbacks,
        async jwt(of) {
          // An access token that has expired.
          const token = isDue && !of.account ? { ...of.token, expires_at: 0 } : of.token
          const kept = await callbacks?.jwt?.({ ...of, token })
          if (typeof of.profile?.email === 'string') email = of.profile.email
          return kept ?? null
        },
      },
    }
    const browser = createVisitor(origin, (url, init) => Auth(new Request(url, init), application))
    async function read(path: string): Promise<Record<string, unknown>> {
      const { html } = await browser.request(path)
      return JSON.parse(html) as Record<string, unknown>
    }
    async function accepted() {
      session = (await read('/auth/session')) ?? {}
      const idToken = memberOf(session, 'idToken')
      if (idToken === undefined) throw new Error('the session has ended')
      return { sub: decodeJwt(idToken).sub ?? '' }
    }
    return {
      async begin() {
        const csrfToken = memberOf(await read('/auth/csrf'), 'csrfToken') ?? ''
        const { location } = await browser.request('/auth/signin/portico', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ csrfToken }).toString(),
        })
        return location ?? ''
      },
      async finish(answer) {
        isDue = false
        await browser.request(answer)
        return accepted()
      },
      async refresh() {
        isDue = true
        return accepted()
      },
      userinfo: () =>
        Promise.resolve({ sub: decodeJwt(memberOf(session, 'idToken') ?? '').sub ?? '', email }),
      logout: () => Promise.resolve(logoutUrl(issuer, memberOf(session, 'idToken') ?? '', signedOutUri)),
    }
  },
}
