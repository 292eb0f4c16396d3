import { fileURLToPath } from 'node:url'
import { createVerifier, TokenError, type AccessTokenClaims } from '@portico/sdk'
import { build } from 'esbuild'
import express, { type Express, type Request, type Response } from 'express'

/** Where the tokens come from that the back end accepts. */
export interface BackEndOptions {
  /** Of the service. */
  readonly baseUrl: string
  /** Domain of the organization. */
  readonly domain: string
  readonly clientId: string
}

/** By what a user has signed in with a second factor. */
const mfa = 'urn:portico:acr:mfa'

/** The back end of the example: it serves the page, and answers two routes to who has an access token. */
export async function createBackEnd({ baseUrl, domain, clientId }: BackEndOptions): Promise<Express> {
  const verifier = createVerifier({ baseUrl, domain, audience: clientId, environment: 'sandbox' })
  const settings = {
    authority: `${baseUrl}/t/${domain}`,
    client_id: clientId,
    account_url: `${baseUrl}/t/${domain}/sessions`,
  }
  const script = await bundle()
  const app = express()

  app.use((_req, res, next) => {
    // The page runs its own script and talks to itself and to the service, and to nobody else.
    res.set(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ${baseUrl}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    next()
  })
  app.get('/app.js', (_req, res) => res.type('js').send(script))
  app.get('/settings.json', (_req, res) => res.json(settings))

  app.get('/api/me', async (req, res) => {
    const claims = await claimsOf(req, res)
    if (claims !== undefined) res.json({ user: claims.sub, email: claims.email, signed_in_by: claims.amr })
  })

  app.get('/api/payroll', async (req, res) => {
    const claims = await claimsOf(req, res)
    if (claims === undefined) return
    if (claims.acr !== mfa) {
      // RFC 9470: the token is good, and its sign-in is not strong enough.
      res.set('WWW-Authenticate', `Bearer error="insufficient_user_authentication", acr_values="${mfa}"`)
      res.status(401).json({ error: 'insufficient_user_authentication' })
      return
    }
    res.json({ salary: '4,200.00', paid_on: 'the 28th' })
  })

  const page = fileURLToPath(new URL('page', import.meta.url))
  app.get(['/', '/callback'], (_req, res) => res.sendFile('index.html', { root: page }))
  app.get('/style.css', (_req, res) => res.sendFile('style.css', { root: page }))
  return app

  /** The claims of the request's token; where it has none that is good, the answer is given. */
  async function claimsOf(req: Request, res: Response): Promise<AccessTokenClaims | undefined> {
    const [, token = ''] = /^Bearer (.+)$/.exec(req.headers.authorization ?? '') ?? []
    try {
      return await verifier.verifyAccessToken(token)
    } catch (error) {
      // No keys is an outage and no bad token.
      if (!(error instanceof TokenError) || error.code === 'keys_unavailable') throw error
      res.set('WWW-Authenticate', 'Bearer error="invalid_token"')
      res.status(401).json({ error: 'invalid_token', reason: error.code })
      return undefined
    }
  }
}

/** The page's script with the library it uses, as one file. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page/app.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
