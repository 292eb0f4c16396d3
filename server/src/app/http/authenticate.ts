import { withoutSecrets } from '@portico/contract/sensitivity'
import { bodyOf, type Route } from '@portico/contract/walk'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { createApiTokenReader } from '../../tokens/api-keys/api-token.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { isStorable } from '../../platform/well-formed.js'
import { requestIdOf, setCaller } from '../../delivery/request-context.js'
import { routeOf } from './route-of.js'

/** Authenticates the bearer token of routes that need an API key (RFC 6750 section 2.1: only in the header). */
export function authenticate(deps: Deps): RequestHandler {
  const readApiToken = createApiTokenReader(deps)
  return async (req: Request, _res: Response, next: NextFunction) => {
    const route = routeOf(req)
    if (route.access.auth === 'none') {
      next()
      return
    }
    if (req.headers.authorization === undefined)
      throw new ApiError('invalid_token', { message: 'Send Authorization: Bearer <token>.' })
    // Every invalid token gets the same answer, so that guessing reveals nothing.
    const [, token] = /^Bearer ([\w.~+/-]+=*)$/i.exec(req.headers.authorization ?? '') ?? []
    const bearer = token === undefined ? undefined : await readApiToken(token)
    if (bearer === undefined) throw new ApiError('invalid_token')
    setCaller(req, {
      ...bearer,
      cause: {
        requestId: requestIdOf(req),
        actor: { type: 'api_key', id: bearer.id },
        params: () => paramsOf(req, route),
      },
    })
    next()
  }
}

/** The parameters of a request without its secrets, for the event that it causes. */
export function paramsOf(req: Request, route: Route): Record<string, unknown> {
  const body = bodyOf(route)
  return { ...pathOf(req), ...asObject(body && withoutSecrets(body, req.body)) }
}

/** The parameters of the path; what cannot be stored, and names nothing, is empty. Those of the body are checked before. */
function pathOf({ params }: Request): object {
  const stored = Object.entries(params).map(([name, text]) => [name, isStorable(String(text)) ? text : ''])
  return Object.fromEntries(stored) as object
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
