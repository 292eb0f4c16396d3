import { errorCodes, type ErrorBody, type ErrorCode, type FieldError } from '@portico/contract/errors'
import type { OAuthError } from '@portico/contract/oauth'
import { RequestValidationError } from '@ts-rest/express'
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express'
import { isUnavailable } from '../db/violations.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../errors.js'
import { OAuthFailure } from '../oauth/oauth-failure.js'
import { requestIdOf } from './request-context.js'
import { findRoute } from './route-of.js'

const databaseRetrySeconds = 5

/** Any failure to the error body its route speaks; what the caller did not cause becomes a logged 500. */
export function errorHandler({ config, log }: Pick<Deps, 'config' | 'log'>): ErrorRequestHandler {
  return (error: unknown, req: Request, res: Response, next: NextFunction) => {
    const requestId = requestIdOf(req)
    if (res.headersSent) {
      log.error({ request_id: requestId, err: error }, 'an answer broke off')
      next(error)
      return
    }
    const route = findRoute(req)
    if (route?.resource === 'oauth' && !(error instanceof ApiError && isTransportFault(error.code))) {
      const failure = toOAuthFailure(error)
      if (failure.status >= 500) log.error({ request_id: requestId, err: error }, 'a token request failed')
      answerOAuthFailure(res, failure)
      return
    }
    const failure = declared(toApiError(error))
    const { status } = errorCodes[failure.code]
    if (status >= 500) log.error({ request_id: requestId, err: error }, 'a request failed')
    if (status === 401) res.set('WWW-Authenticate', challengeOf(req))
    if (failure.retryAfterSeconds !== undefined) res.set('Retry-After', String(failure.retryAfterSeconds))
    const body: ErrorBody = {
      error: {
        code: failure.code,
        message: failure.message,
        docs_url: `${config.baseUrl}/docs#${failure.code}`,
        request_id: requestId,
        ...(failure.fields !== undefined && { fields: [...failure.fields] }),
      },
    }
    res.status(status).json(body)

    /** A code that the route's contract does not declare is a fault of ours, and where the service is strict, loud. */
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

/** A request without credentials is told how to send them, and nothing of an error (RFC 6750 section 3.1). */
function challengeOf(req: Request): string {
  return req.headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"'
}

/** What befell the request before the token endpoint could read it. */
function isTransportFault(code: ErrorCode): boolean {
  return code === 'https_required' || code === 'body_too_large' || code === 'media_type_unsupported'
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof RequestValidationError)
    return new ApiError('invalid_parameters', { fields: fieldErrorsOf(error) })
  if (isUnavailable(error))
    return new ApiError('unavailable', { retryAfterSeconds: databaseRetrySeconds, cause: error })
  const status = statusOf(error)
  if (status === 413) return new ApiError('body_too_large')
  if (status === 415) return new ApiError('media_type_unsupported')
  if (status >= 400 && status < 500) return new ApiError('malformed_request', { message: unreadable(error) })
  return new ApiError('internal_error', { cause: error })
}

/** Of what a request is read from, decoding the path alone fails with a URIError. */
function unreadable(error: unknown): string {
  return error instanceof URIError
    ? 'The path cannot be read: percent-encode its segments, as UTF-8.'
    : 'The body cannot be read: send valid JSON, or an urlencoded form.'
}

/** The status that Express and its parsers put on the errors they make. */
function statusOf(error: unknown): number {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : 500
}

/** A caller who gets this many wrong has sent something else; a small request must not get a large answer. */
const maxFieldErrors = 50

function fieldErrorsOf(error: RequestValidationError): FieldError[] {
  const parts = [error.pathParams, error.headers, error.query, error.body]
  const issues = parts.flatMap((part) => (part === null ? [] : part.issues))
  // The first fault of a value decides: what else is wrong with it mostly follows from that.
  const byPath = new Map<string, FieldError>()
  for (const fault of issues.flatMap((issue) => toFieldErrors(issue, [])))
    if (!byPath.has(fault.path)) byPath.set(fault.path, fault)
  return [...byPath.values()].slice(0, maxFieldErrors)
}

interface Issue {
  readonly path?: readonly unknown[] | undefined
  readonly message: string
  readonly code?: unknown
  readonly keys?: unknown
  readonly errors?: readonly (readonly Issue[])[]
}

function toFieldErrors(issue: Issue, parents: readonly string[]): FieldError[] {
  const path = [...parents, ...(issue.path ?? []).map(String)]
  const code = typeof issue.code === 'string' ? issue.code : 'invalid'
  // Of several forms, the one meant is the one whose members were looked at.
  const meant = issue.errors?.find((issues) => issues.some(isAboutMember))
  if (meant !== undefined) return meant.flatMap((inner) => toFieldErrors(inner, path))
  if (code === 'unrecognized_keys' && Array.isArray(issue.keys)) {
    return issue.keys.map((key) => ({
      path: [...path, String(key)].join('.').slice(0, 200),
      code,
      message: 'is not a parameter of this operation',
    }))
  }
  return [{ path: path.join('.').slice(0, 200), code, message: issue.message }]
}

function isAboutMember(issue: Issue): boolean {
  return (issue.path ?? []).length > 0 || issue.code === 'unrecognized_keys'
}

function toOAuthFailure(error: unknown): OAuthFailure {
  if (error instanceof OAuthFailure) return error
  if (error instanceof ApiError && error.code === 'rate_limited')
    return new OAuthFailure('temporarily_unavailable', error.message, {
      retryAfterSeconds: error.retryAfterSeconds,
    })
  if (isUnavailable(error)) {
    return new OAuthFailure('temporarily_unavailable', errorCodes.unavailable.message, {
      status: 503,
      retryAfterSeconds: databaseRetrySeconds,
    })
  }
  const { code, message } = toApiError(error)
  if (code === 'malformed_request') return new OAuthFailure('invalid_request', message)
  const isCallers =
    error instanceof ApiError || error instanceof RequestValidationError || statusOf(error) < 500
  if (isCallers) return new OAuthFailure('invalid_request', 'The request cannot be read.')
  return new OAuthFailure('temporarily_unavailable', errorCodes.internal_error.message, { status: 500 })
}

function answerOAuthFailure(res: Response, failure: OAuthFailure): void {
  res.set('Cache-Control', 'no-store')
  if (failure.status === 401) res.set('WWW-Authenticate', 'Basic realm="portico"')
  if (failure.retryAfterSeconds !== undefined) res.set('Retry-After', String(failure.retryAfterSeconds))
  const body: OAuthError = { error: failure.error, error_description: failure.message }
  res.status(failure.status).json(body)
}
