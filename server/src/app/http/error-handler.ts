import { allErrorCodes, type ErrorBody, type ErrorCode, type FieldError } from '@portico/contract/errors'
import type { OAuthError } from '@portico/contract/oauth'
import { takesFormAlone, type Route } from '@portico/contract/walk'
import { RequestValidationError } from '@ts-rest/express'
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express'
import { isUnavailable } from '../../platform/db/violations.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { toFieldErrors } from '../../platform/field-errors.js'
import { logFailure } from '../../platform/observability/log.js'
import { OAuthFailure, type RefusedClient } from '../../protocols/oauth/oauth-failure.js'
import { setLimitHeaders } from '../../platform/http/limit-headers.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { findRoute } from './route-of.js'

const databaseRetrySeconds = 5

/** Answers a failure with the error body of its route's protocol. Failures of the service itself are logged. */
export function errorHandler({ config, log }: Pick<Deps, 'config' | 'log'>): ErrorRequestHandler {
  return (error: unknown, req: Request, res: Response, next: NextFunction) => {
    const requestId = requestIdOf(req)
    if (res.headersSent) {
      log.error({ request_id: requestId, err: error }, 'an answer broke off')
      next(error)
      return
    }
    const route = findRoute(req)
    if (route !== undefined && isOAuthFault(route, error)) {
      const failure = toOAuthFailure(error)
      if (failure.status >= 500) logFailure(log, error, { request_id: requestId }, 'a request failed')
      if (failure.refusedClient !== undefined) logRefusedClient(log, requestId, failure.refusedClient)
      if (takesFormAlone(route)) res.set('WWW-Authenticate', `Bearer error="${failure.error}"`)
      answerOAuthFailure(res, failure)
      return
    }
    const failure = declared(toApiError(error))
    const { status } = allErrorCodes[failure.code]
    if (status >= 500) logFailure(log, error, { request_id: requestId }, 'a request failed')
    if (status === 401) res.set('WWW-Authenticate', challengeOf(req, route, failure.code))
    if (failure.retryAfterSeconds !== undefined) res.set('Retry-After', String(failure.retryAfterSeconds))
    if (failure.limit !== undefined) setLimitHeaders(res, failure.limit)
    const body: ErrorBody = {
      error: {
        code: failure.code,
        message: failure.message,
        docs_url: `${config.baseUrl}/docs/errors.html#${failure.code}`,
        request_id: requestId,
        ...(failure.fields !== undefined && { fields: [...failure.fields] }),
      },
    }
    res.status(status).json(body)

    /** A code that the route does not declare is a bug: it is logged, and answered as a 500 in strict mode. */
    function declared(intended: ApiError): ApiError {
      const { code } = intended
      if (route === undefined || code === 'internal_error' || route.errorCodes.includes(code)) return intended
      log.error(
        { request_id: requestId, route: route.name, code },
        'the contract does not declare this answer',
      )
      return config.isStrict ? new ApiError('internal_error', { cause: intended }) : intended
    }
  }
}

/** Says to the operator why a client is not authenticated, which the answer says to nobody. */
function logRefusedClient(log: Deps['log'], requestId: string, refused: RefusedClient): void {
  const { reason, clientId: client_id, accountId: account_id, environment } = refused
  // The owner of such a secret is not looked up, because it may be of another account.
  const detail =
    reason === 'secret_unknown' ? `no secret of ${client_id}: a deleted one, or of another client` : undefined
  log.info(
    { request_id: requestId, reason, detail, client_id, account_id, environment },
    'a client is not authenticated',
  )
}

/**
 * The challenge of a 401. Without credentials it has no error (RFC 6750 section 3.1); with a valid token neither,
 * because `invalid_token` would make clients renew it and retry.
 */
function challengeOf(req: Request, route: Route | undefined, code: ErrorCode): string {
  const isSent =
    req.headers.authorization !== undefined || (route !== undefined && hasTokenInForm(req, route))
  const isTokenBad = isSent && code === 'invalid_token'
  return isTokenBad ? 'Bearer error="invalid_token"' : 'Bearer'
}

function hasTokenInForm(req: Request, route: Route): boolean {
  const body: unknown = req.body
  if (!takesFormAlone(route) || typeof body !== 'object' || body === null) return false
  return 'access_token' in body && body.access_token !== ''
}

/**
 * Whether a failure is told by the error body of OAuth: at the OAuth endpoints, and at UserInfo that of a request which is
 * not one of RFC 6750 section 2.
 */
function isOAuthFault(route: Route, error: unknown): boolean {
  if (route.resource === 'oauth') return !(error instanceof ApiError && isTransportFault(error.code))
  if (!takesFormAlone(route)) return false
  const { code } = toApiError(error)
  return code === 'malformed_request' || code === 'invalid_parameters'
}

/** Whether the request failed before the token endpoint could read it. */
function isTransportFault(code: ErrorCode): boolean {
  return code === 'https_required' || code === 'body_too_large' || code === 'media_type_unsupported'
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof RequestValidationError)
    return new ApiError('invalid_parameters', { fields: faultsOf(error) })
  if (isUnavailable(error))
    return new ApiError('unavailable', { retryAfterSeconds: databaseRetrySeconds, cause: error })
  // Only decoding the path throws a URIError.
  if (error instanceof URIError)
    return new ApiError('malformed_request', {
      message: 'The path cannot be read: percent-encode its segments, as UTF-8.',
    })
  return new ApiError('internal_error', { cause: error })
}

function faultsOf({ pathParams, headers, query, body }: RequestValidationError): FieldError[] {
  return toFieldErrors([pathParams, headers, query, body].flatMap((part) => part?.issues ?? []))
}

function toOAuthFailure(error: unknown): OAuthFailure {
  if (error instanceof OAuthFailure) return error
  if (error instanceof ApiError && error.code === 'rate_limited')
    return new OAuthFailure('temporarily_unavailable', error.message, {
      retryAfterSeconds: error.retryAfterSeconds,
    })
  if (isUnavailable(error)) {
    return new OAuthFailure('temporarily_unavailable', allErrorCodes.unavailable.message, {
      status: 503,
      retryAfterSeconds: databaseRetrySeconds,
    })
  }
  const { code, message } = toApiError(error)
  if (code === 'malformed_request') return new OAuthFailure('invalid_request', message)
  if (code !== 'internal_error') return new OAuthFailure('invalid_request', 'The request cannot be read.')
  return new OAuthFailure('temporarily_unavailable', allErrorCodes.internal_error.message, { status: 500 })
}

/** The WWW-Authenticate challenge of an OAuth failure (RFC 6749 section 5.2, RFC 6750 section 3). */
function oauthChallengeOf({ error, status }: OAuthFailure): string | undefined {
  if (error === 'invalid_token') return 'Bearer error="invalid_token"'
  if (error === 'insufficient_scope') return 'Bearer error="insufficient_scope"'
  return status === 401 ? 'Basic realm="portico"' : undefined
}

function answerOAuthFailure(res: Response, failure: OAuthFailure): void {
  res.set('Cache-Control', 'no-store')
  const challenge = oauthChallengeOf(failure)
  if (challenge !== undefined) res.set('WWW-Authenticate', challenge)
  if (failure.retryAfterSeconds !== undefined) res.set('Retry-After', String(failure.retryAfterSeconds))
  const body: OAuthError = { error: failure.error, error_description: failure.message }
  res.status(failure.status).json(body)
}
