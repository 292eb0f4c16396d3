import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { atFileEnd } from '../file-end.js'
import { freePort } from './free-port.js'
import { createVisitor } from './visitor.js'

/** The service as a client registered at the provider. */
export interface KnownClient {
  readonly client_id: string
  readonly client_secret: string
  readonly redirect_uris: readonly string[]
}

const program = fileURLToPath(new URL('oidc-identity-provider-process.mjs', import.meta.url))

/** Starts a third-party OpenID provider in a process of its own; it ends with the test file. */
export async function startOidcIdentityProvider(client: KnownClient) {
  const port = await freePort()
  const child = spawn(process.execPath, [program, JSON.stringify({ port, ...client })], {
    // On stderr it prints warnings for production.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  atFileEnd(() => child.kill())
  await once(child.stdout, 'data')
  const issuer = `http://127.0.0.1:${port}`

  return {
    issuer,
    /** The settings that an administrator enters. */
    settings: {
      issuer,
      oidc_client_id: client.client_id,
      oidc_client_secret: client.client_secret,
    },
    /** Signs in and consents on the provider's pages; returns the URL to which it redirects the browser. */
    async signIn(address: string, login: string): Promise<string> {
      const visitor = createVisitor(issuer)
      const form = await visitor.visit(address)
      const told = await visitor.request(formActionOf(form.html), {
        method: 'POST',
        body: new URLSearchParams({ prompt: 'login', login, password: 'any' }),
      })
      const consent = await visitor.visit(told.location ?? '')
      const agreed = await visitor.request(formActionOf(consent.html), {
        method: 'POST',
        body: new URLSearchParams({ prompt: 'consent' }),
      })
      return (await visitor.visit(agreed.location ?? '')).location ?? ''
    },
  }
}

function formActionOf(html: string): string {
  return /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? ''
}
