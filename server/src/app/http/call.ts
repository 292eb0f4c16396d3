import { askedOf } from '@portico/contract/danger'
import { errorCodes, type ErrorBody, type FieldError } from '@portico/contract/errors'
import { everyRouter, routeNamed } from '@portico/contract/every-route'
import { OrganizationPath } from '@portico/contract/fields'
import { withoutPersonalData, withoutSecrets } from '@portico/contract/sensitivity'
import type { Route } from '@portico/contract/walk'
import express, { type NextFunction, type Request, type Response } from 'express'
import qs from 'qs'
import { writeAudit } from '../../delivery/audit/audit.js'
import type { Deps } from '../../delivery/deps.js'
import { callerOf, openContext, setCaller } from '../../delivery/request-context.js'
import { newId } from '../../platform/crypto/random.js'
import { isStorable } from '../../platform/well-formed.js'
import type { Caller } from '../../platform/tenant.js'
import type { Call, CallAnswer, RefusalCode, RouteCall } from '../../screens/call.js'
import { apiOf } from './api.js'
import { paramsOf } from './authenticate.js'
import { authorize } from './authorize.js'
import { checkAnswers } from './checked-answer.js'
import { compose } from './compose.js'
import { consoleOf } from './console-api.js'
import { errorHandler } from './error-handler.js'
import { idempotency } from './idempotency.js'
import { answerInProcess } from './in-process.js'
import { noteLookUps } from './look-ups.js'
import { mountContract } from './mount.js'
import { mergeParameters } from './parameters.js'
import { answerKnownReads, refuseWhatIsThere } from './preconditions.js'
import { routeOf } from './route-of.js'

/** More than a reason for a change says would be read by nobody. */
const reasonLength = { min: 3, max: 300 }

/**
 * Makes the call of operations within the process. It is the chain of the API with the caller given: no token, and no limit per key.
 * What staff get contains no secret that is stored, and no personal data where their roles show them none.
 */
export function openCall(deps: Deps): Call {
  const app = express()
  app.disable('etag')
  app.disable('x-powered-by')
  answerKnownReads(app)
  app.set('query parser', (text: string) => qs.parse(text, { arrayLimit: 500, depth: 6 }))
  mountContract(
    app,
    everyRouter,
    { ...apiOf(deps), ...consoleOf(deps) },
    {
      globalMiddleware: [
        compose(
          checkAnswers(deps),
          authorize,
          mergeParameters,
          nameParameters,
          noteLookUps(deps),
          refuseWhatIsThere,
          idempotency(deps),
        ),
      ],
      requestValidationErrorHandler: (error, _req, _res, next) => next(error),
      logInitialization: false,
    },
  )
  app.use(errorHandler(deps))

  async function noteRefusal({ cause }: Caller): Promise<void> {
    const { requestId, audit } = cause
    if (audit !== undefined) await writeAudit(deps, deps.db, { requestId, audit }, { outcome: 'refused' })
  }

  /** Sends the call through the chain, which asks whether the caller may make it. */
  async function send(route: Route, caller: Caller, call: RouteCall): Promise<CallAnswer> {
    const request = {
      method: route.method,
      url: urlOf(route, call),
      headers: headersOf(call),
      body: bodyOfStaff(route, caller, call.body),
    }
    const answer = await answerInProcess(app, request, (req) => {
      const context = Object.assign(req, { params: {} })
      openContext(context, caller.cause.requestId)
      setCaller(context, caller)
    })
    const etag = answer.headers['etag']
    return {
      status: answer.status,
      body: answer.status < 300 ? visibleTo(caller, route, answer.body) : answer.body,
      etag: typeof etag === 'string' ? etag : undefined,
    }
  }

  return async (asking, call) => {
    const route = routeNamed(call.route)
    const caller = audited(asking, route, call)
    const answer = questionOf(route, caller, call) ?? (await send(route, caller, call))
    if (isRefusal(answer)) await noteRefusal(caller)
    return answer
  }
}

/** Whether a member of staff may not do it, or not yet. */
function isRefusal({ status, body }: CallAnswer): boolean {
  // Every failure of a call is the error body of the API.
  const code: string | undefined = status === 403 ? (body as Partial<ErrorBody>).error?.code : undefined
  return code === 'insufficient_scope' || code === 'proof_required'
}

/** What a member of staff does has an entry in the audit of the account: changes write theirs by the cause, in their transaction. */
function audited(caller: Caller, route: Route, { params = {}, reason }: RouteCall): Caller {
  if (caller.staff === undefined) return caller
  // What is no domain is of no organization, and no entry can have it.
  const domain = OrganizationPath.safeParse(params).data?.org_domain ?? ''
  const audit = {
    id: newId(),
    accountId: caller.accountId,
    environment: route.access.spansEnvironments === true ? null : caller.environment,
    ...(domain !== '' && { domain }),
    staffUserId: caller.id,
    action: route.name,
    ...(isReason(reason) && { reason: reason?.trim() ?? '' }),
  }
  return { ...caller, cause: { ...caller.cause, audit } }
}

/** The address of a call, as a client writes it. */
function urlOf(route: Route, { params = {}, query = {} }: RouteCall): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new Error(`${route.name} needs the parameter ${name}`)
    return encodeURIComponent(value)
  })
  const search = qs.stringify(query, { skipNulls: true })
  return search === '' ? path : `${path}?${search}`
}

function headersOf({ ifMatch, idempotencyKey }: RouteCall) {
  return {
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  }
}

/** Names the parameters in the cause of a change, as authenticate() does for an API key. */
function nameParameters(req: Request, _res: Response, next: NextFunction): void {
  const caller = callerOf(req)
  const params = () => paramsOf(req, routeOf(req))
  setCaller(req, { ...caller, cause: { ...caller.cause, params } })
  next()
}

/** What a call of a member of staff asks for, and has not got: a proof, or a reason. */
function questionOf(route: Route, { staff, environment }: Caller, call: RouteCall): CallAnswer | undefined {
  if (staff === undefined) return undefined
  const danger = askedOf(route, environment, call.body ?? {})
  if (danger === undefined) return undefined
  if (danger === 'proof' && !staff.isProved)
    return refused(
      'proof_required',
      'Sign in again with your second factor, and repeat it within 10 minutes.',
    )
  return isReason(call.reason) ? undefined : withoutReason()
}

function isReason(text: string | undefined): boolean {
  // Characters, as the database counts them.
  const length = [...(text?.trim() ?? '')].length
  return length >= reasonLength.min && length <= reasonLength.max && isStorable(text ?? '')
}

function withoutReason(): CallAnswer {
  const message = `must have ${reasonLength.min} to ${reasonLength.max} characters`
  const fields = [{ path: 'reason', code: 'too_small', message }]
  return refused('invalid_parameters', errorCodes.invalid_parameters.message, fields)
}

function refused(code: RefusalCode, message: string, fields?: readonly FieldError[]): CallAnswer {
  const status = code === 'invalid_parameters' ? 422 : 403
  return { status, body: { error: { code, message, ...(fields && { fields }) } }, etag: undefined }
}

/** The body as it is sent: a call that would act as the user has the members that the contract states. */
function bodyOfStaff({ access }: Route, { staff }: Caller, body: RouteCall['body']): object {
  return staff !== undefined && typeof access.asUser === 'object'
    ? { ...body, ...access.asUser }
    : { ...body }
}

/**
 * An answer as the caller may see it. A secret is in the answer of the change that has made it, and in no other; what only the user may
 * have in none.
 */
function visibleTo({ staff }: Caller, { method, access, success }: Route, body: unknown): unknown {
  if (staff === undefined) return body
  if (!staff.seesPersonalData) return withoutPersonalData(success, body)
  return method === 'GET' || access.asUser !== false ? withoutSecrets(success, body) : body
}
