import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createVisitor } from '../../given/visitor.js'
import { memberOf, subOf } from './claims.js'
import { isListening } from './listen.js'
import type { OidcClient } from './oidc-client.js'

const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc']

/** mod_auth_openidc in an Apache of its own. */
export const modAuthOpenidc: OidcClient = {
  name: 'mod_auth_openidc',
  file: 'mod_auth_openidc.conf',
  async start({ issuer, clientId, clientSecret, origin, redirectUri, signedOutUri }) {
    const folder = await mkdtemp(join(tmpdir(), 'portico-apache-'))
    await chmod(folder, 0o755)
    await writeFile(join(folder, 'index.html'), 'in')
    await writeFile(join(folder, 'apache.conf'), configuration(folder, new URL(origin).port))
    const apache = spawn('/usr/sbin/apache2', ['-X', '-f', join(folder, 'apache.conf')], {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        ISSUER: issuer,
        CLIENT_ID: clientId,
        CLIENT_SECRET: clientSecret,
        REDIRECT_URI: redirectUri,
        PASSPHRASE: 'a secret of this application',
      },
    })
    const stop = () => {
      apache.kill()
      void rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
    await isListening(origin, stop)
    const browser = createVisitor(origin)
    async function info(): Promise<object> {
      const { status, html } = await browser.request(`${redirectUri}?info=json`)
      if (status !== 200) throw new Error(`the session has ended: ${status}`)
      return Object(JSON.parse(html))
    }
    async function accepted() {
      const session = await info()
      return { sub: subOf(Reflect.get(session, 'id_token')), accessToken: memberOf(session, 'access_token') }
    }
    return {
      stop,
      async begin() {
        browser.cookies.clear()
        return (await browser.request('/')).location ?? ''
      },
      async finish(answer) {
        await browser.request(answer)
        return accepted()
      },
      async refresh() {
        const { accessToken = '' } = await accepted()
        const parameters = new URLSearchParams({ refresh: `${origin}/`, access_token: accessToken })
        const { location } = await browser.request(`${redirectUri}?${parameters.toString()}`)
        if (location !== `${origin}/`) throw new Error(`not refreshed: ${location}`)
        return accepted()
      },
      async userinfo() {
        const claims: unknown = Reflect.get(await info(), 'userinfo')
        return { sub: subOf(claims), email: memberOf(claims, 'email') }
      },
      async logout() {
        const parameters = new URLSearchParams({ logout: signedOutUri })
        return (await browser.request(`${redirectUri}?${parameters.toString()}`)).location ?? ''
      },
    }
  },
}

/** An Apache that serves a folder behind the module. */
function configuration(folder: string, port: string): string {
  const conf = fileURLToPath(new URL('mod_auth_openidc.conf', import.meta.url))
  return [
    'ServerRoot /usr/lib/apache2',
    'ServerName localhost',
    `Listen 127.0.0.1:${port}`,
    `DefaultRuntimeDir ${folder}`,
    `PidFile ${folder}/pid`,
    `ErrorLog ${folder}/error.log`,
    `DocumentRoot ${folder}`,
    'User www-data',
    'Group www-data',
    ...modules.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`),
    `Include ${conf}`,
    // fetch() says that a script asks (Sec-Fetch-Mode), which the module does not redirect by default.
    '<Location />',
    'OIDCUnAuthAction auth "true"',
    '</Location>',
    '',
  ].join('\n')
}
