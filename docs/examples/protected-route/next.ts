import type { TokenClaims, Verifier } from '@portico/sdk'
import { checkToken } from './check-token.js'

/** As Next.js calls a route handler, in app/me/route.ts: with a web request, and the parameters of the path. */
type RouteHandler = (request: Request, context: unknown) => Promise<Response>

/** A route handler for users alone. */
export function protect<Claims extends TokenClaims>(
  verifier: Verifier<Claims>,
  handle: (request: Request, claims: Claims['accessToken']) => Response | Promise<Response>,
): RouteHandler {
  return async (request) => {
    const checked = await checkToken(verifier, request.headers.get('authorization'))
    if (!('claims' in checked)) return new Response(null, checked)
    return handle(request, checked.claims)
  }
}

/** What app/me/route.ts exports as GET. */
export function createMe(verifier: Verifier): RouteHandler {
  return protect(verifier, (_request, claims) => Response.json({ user: claims.sub }))
}
