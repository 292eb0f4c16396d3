import { scimLimits } from '@portico/contract/scim'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { jsonReader } from '../../platform/http/body.js'
import { setLimitHeaders } from '../../platform/http/limit-headers.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { logFailure } from '../../platform/observability/log.js'
import { checkWellFormed } from '../../platform/well-formed.js'
import { scimExchange } from './exchange.js'
import { toBodyFault, toScimError, unsupportedMediaType } from './failure.js'
import { authenticateDirectory } from './proven-directory.js'
import { requestRates } from './request-rate.js'
import type { ScimAnswer } from './scim-caller.js'
import { badRequest, ScimError, toErrorBody, unauthenticated } from './scim-error.js'

/** The path of the SCIM endpoints. */
export const scimPath = '/scim/v2'

const mediaTypes = ['application/scim+json', 'application/json']
const readJson = jsonReader({
  types: mediaTypes,
  bytes: scimLimits.bodyBytes,
  values: scimLimits.bodyValues,
  names: scimLimits.names,
})

/** SCIM 2.0 for the provider of each directory (RFC 7644). */
export function scimRequests(deps: Deps): RequestHandler {
  const rateOf = requestRates(deps)
  const answerScim = scimExchange(deps)

  return async (req: Request, res: Response) => {
    const [path = '', query = ''] = splitAt(req.url, '?')
    const [directoryId = '', rest = ''] = splitAt(path.slice(1), '/')
    const directory = await authenticateDirectory(deps, {
      directoryId,
      authorization: req.headers.authorization,
    })
    if (directory === undefined) throw unauthenticated()
    const rate = rateOf(directory.directoryId)
    setLimitHeaders(res, rate)
    const answered = await answerScim(directory, {
      method: req.method,
      path: `/${rest}`,
      query,
      ifMatch: req.headers['if-match'],
      ifNoneMatch: req.headers['if-none-match'],
      requestId: requestIdOf(req),
      rate,
      readBody: () => readBody(req, res),
    })
    if (answered instanceof ScimError) sendFailure(res, answered)
    else sendAnswer(res, answered)
  }
}

/** Handles failures of requests without a directory, such as a failed authentication. */
export function scimErrors(deps: Pick<Deps, 'log'>): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) {
      next(error)
      return
    }
    const failure = toScimError(error)
    if (failure.fault.status >= 500 && !(failure.cause instanceof ApiError))
      logFailure(deps.log, failure.cause, { request_id: requestIdOf(req) }, 'a SCIM request failed')
    sendFailure(res, failure)
  }
}

function sendAnswer(res: Response, { status, body, tag, location }: ScimAnswer): void {
  if (tag !== undefined) res.set('ETag', tag)
  if (location !== undefined) res.set('Location', location)
  res.status(status)
  if (body === undefined) res.end()
  else res.type('application/scim+json').send(JSON.stringify(body))
}

function sendFailure(res: Response, error: ScimError): void {
  const { status, retryAfterSeconds, allow } = error.fault
  if (status === 401) res.set('WWW-Authenticate', 'Bearer')
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
  if (allow !== undefined) res.set('Allow', allow.join(', '))
  res
    .status(status)
    .type('application/scim+json')
    .send(JSON.stringify(toErrorBody(error)))
}

/** @throws ScimError */
async function readBody(req: Request, res: Response): Promise<unknown> {
  if (req.headers['transfer-encoding'] === undefined && !(Number(req.headers['content-length'] ?? 0) > 0))
    return undefined
  if (req.is(mediaTypes) === false) throw unsupportedMediaType()
  await new Promise<void>((resolve, reject) => {
    void readJson(req, res, (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(toBodyFault(error))
    })
  })
  const body: unknown = req.body
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('invalidSyntax', 'The body must be a JSON object.')
  checkWellFormed(body)
  return body
}

function splitAt(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
