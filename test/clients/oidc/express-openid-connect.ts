import type { OidcClient } from './oidc-client.js'
// #region guide
import { auth } from 'express-openid-connect'

export function portico(
  issuer: string,
  clientId: string,
  clientSecret: string,
  origin: string,
  secret: string,
) {
  return auth({
    issuerBaseURL: issuer,
    baseURL: origin,
    clientID: clientId,
    clientSecret,
    secret,
    authRequired: false,
    authorizationParams: { response_type: 'code', scope: 'openid email offline_access' },
    idpLogout: true,
    routes: { postLogoutRedirect: '/signed-out' },
  })
}
// #endregion
import express from 'express'
import { createVisitor } from '../../given/visitor.js'
import { memberOf, subOf } from './claims.js'
import { listen } from './listen.js'

export const expressOpenidConnect: OidcClient = {
  name: 'express-openid-connect',
  file: 'express-openid-connect.ts',
  async start({ issuer, clientId, clientSecret, origin }) {
    const app = express()
    app.use(portico(issuer, clientId, clientSecret, origin, 'a secret of this application, 32 long'))
    app.get('/token', (req, res) => {
      res.json({ sub: req.oidc.idTokenClaims?.sub, accessToken: req.oidc.accessToken?.access_token })
    })
    app.get('/refresh', async (req, res) => {
      await req.oidc.accessToken?.refresh()
      res.redirect('/token')
    })
    app.get('/userinfo', async (req, res) => {
      res.json(await req.oidc.fetchUserInfo())
    })
    const stop = await listen(app, origin)
    const browser = createVisitor(origin)
    async function read(path: string): Promise<unknown> {
      const { status, html } = await browser.visit(path)
      if (status !== 200) throw new Error(`${path} answers ${status}`)
      return JSON.parse(html)
    }
    async function accepted(path: string) {
      const body = await read(path)
      return { sub: subOf(body), accessToken: memberOf(body, 'accessToken') }
    }
    return {
      stop,
      begin: async () => (await browser.request('/login')).location ?? '',
      async finish(answer) {
        await browser.request(answer)
        return accepted('/token')
      },
      refresh: () => accepted('/refresh'),
      async userinfo() {
        const body = await read('/userinfo')
        return { sub: subOf(body), email: memberOf(body, 'email') }
      },
      logout: async () => (await browser.request('/logout')).location ?? '',
    }
  },
}
