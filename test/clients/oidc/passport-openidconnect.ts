import type { OidcClient } from './oidc-client.js'
// #region guide
import Strategy from 'passport-openidconnect'

export function portico(issuer: string, clientId: string, clientSecret: string, callbackURL: string) {
  return new Strategy(
    {
      issuer,
      authorizationURL: `${issuer}/authorize`,
      tokenURL: `${issuer}/oauth/token`,
      userInfoURL: `${issuer}/userinfo`,
      clientID: clientId,
      clientSecret,
      callbackURL,
      scope: 'email offline_access',
    },
    // With nine parameters the strategy reads userinfo.
    (_issuer, userinfo, { id }, _context, idToken, accessToken, refreshToken, _parameters, done) =>
      done(null, { id, userinfo, idToken, accessToken, refreshToken }),
  )
}

export async function refresh(issuer: string, clientId: string, clientSecret: string, refreshToken: string) {
  const answer = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
  })
  if (!answer.ok) throw new Error('the session has ended')
  return answer.json() as Promise<{ access_token: string; refresh_token: string; id_token: string }>
}

export function logoutUrl(issuer: string, idToken: string, signedOutUri: string) {
  const parameters = { id_token_hint: idToken, post_logout_redirect_uri: signedOutUri }
  return `${issuer}/logout?${new URLSearchParams(parameters).toString()}`
}
// #endregion
import express from 'express'
import session from 'express-session'
import { decodeJwt } from 'jose'
import passport from 'passport'
import { createVisitor } from '../../given/visitor.js'
import { memberOf, subOf } from './claims.js'
import { listen } from './listen.js'

export const passportOpenidconnect: OidcClient = {
  name: 'passport-openidconnect',
  file: 'passport-openidconnect.ts',
  application: { pkce: 'optional' },
  notes: {
    refresh: 'with the function below',
    logout: 'with the function below',
    rotation: 'checks no signature',
  },
  async start({ issuer, clientId, clientSecret, origin, redirectUri, signedOutUri }) {
    const authenticator = new passport.Passport()
    authenticator.use(portico(issuer, clientId, clientSecret, redirectUri))
    const app = express()
    app.use(session({ secret: 'a secret of this application', resave: false, saveUninitialized: false }))
    const authenticate = authenticator.authenticate('openidconnect', { session: false })
    app.get('/login', authenticate)
    app.get('/callback', authenticate, (req, res) => {
      res.json(Reflect.get(req, 'user'))
    })
    const stop = await listen(app, origin)
    const browser = createVisitor(origin)
    let user: unknown
    let tokens = { id: '', access: '', refresh: '' }
    const accepted = () => ({ sub: decodeJwt(tokens.id).sub ?? '', accessToken: tokens.access })
    return {
      stop,
      begin: async () => (await browser.request('/login')).location ?? '',
      async finish(answer) {
        const { status, html } = await browser.request(answer)
        if (status !== 200) throw new Error(`not signed in: ${html}`)
        user = JSON.parse(html)
        const of = (name: string) => memberOf(user, name) ?? ''
        tokens = { id: of('idToken'), access: of('accessToken'), refresh: of('refreshToken') }
        return accepted()
      },
      async refresh() {
        const answer = await refresh(issuer, clientId, clientSecret, tokens.refresh)
        tokens = { id: answer.id_token, access: answer.access_token, refresh: answer.refresh_token }
        return accepted()
      },
      userinfo() {
        const userinfo: unknown = Object(Reflect.get(Object(user), 'userinfo'))
        const json: unknown = Reflect.get(Object(userinfo), '_json')
        return Promise.resolve({ sub: subOf(json), email: memberOf(json, 'email') })
      },
      logout: () => Promise.resolve(logoutUrl(issuer, tokens.id, signedOutUri)),
    }
  },
}
