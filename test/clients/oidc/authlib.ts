import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createVisitor } from '../../given/visitor.js'
import { memberOf, subOf } from './claims.js'
import { isListening } from './listen.js'
import type { OidcClient } from './oidc-client.js'

/** Authlib in a Flask application, by the Python of Debian. */
export const authlib: OidcClient = {
  name: 'Authlib',
  file: 'authlib_app.py',
  notes: { refresh: 'with the function below', logout: 'with the function below' },
  async start({ issuer, clientId, clientSecret, origin, redirectUri, signedOutUri }) {
    const app = spawn('/usr/bin/python3', [fileURLToPath(new URL('authlib_app.py', import.meta.url))], {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        ISSUER: issuer,
        CLIENT_ID: clientId,
        CLIENT_SECRET: clientSecret,
        REDIRECT_URI: redirectUri,
        SIGNED_OUT_URI: signedOutUri,
        PORT: new URL(origin).port,
      },
    })
    const stop = () => void app.kill()
    await isListening(origin, stop)
    const browser = createVisitor(origin)
    async function read(path: string): Promise<unknown> {
      const { status, html } = await browser.visit(path)
      if (status !== 200) throw new Error(`${path} answers ${status}: ${html}`)
      return JSON.parse(html)
    }
    async function accepted(path: string) {
      const body = await read(path)
      return { sub: subOf(body), accessToken: memberOf(body, 'accessToken') }
    }
    return {
      stop,
      begin: async () => (await browser.request('/login')).location ?? '',
      finish: (answer) => accepted(answer),
      refresh: () => accepted('/refresh'),
      async userinfo() {
        const body = await read('/userinfo')
        return { sub: subOf(body), email: memberOf(body, 'email') }
      },
      logout: async () => (await browser.request('/logout')).location ?? '',
    }
  },
}
