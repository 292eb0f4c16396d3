import type { ScimQuirk, ScimResourceType } from '@portico/contract/directory-sync'
import type { Deps } from '../../delivery/deps.js'
import type { ResourceSchemas } from '../../directory/directory-sync/schema-path.js'
import { isKnown, isAnyExcluded } from '../../platform/http/if-none-match.js'
import { logFailure } from '../../platform/observability/log.js'
import type { Cause } from '../../platform/tenant.js'
import { discover } from './discovery.js'
import { toScimError } from './failure.js'
import { scimGroups } from './groups.js'
import {
  findAddress,
  toLoggedAnswer,
  toLoggedBody,
  toLoggedPath,
  toLoggedQuery,
  toLoggedText,
} from './logged-text.js'
import { toScimCaller, type AuthenticatedDirectory } from './proven-directory.js'
import { toQuery, searchQuery } from './query.js'
import { recordRefusal } from './refusal.js'
import { insertScimRequest, type LoggedRequest } from './request-log.js'
import type { RequestRate } from './request-rate.js'
import type { ScimAnswer, ScimCall, ScimCaller } from './scim-caller.js'
import { ScimError, toErrorBody } from './scim-error.js'
import { scimUsers } from './users.js'
import { resourceTypeOf, targetOf, type Target } from './target.js'
import { tagsIn } from './versions.js'

/** An authenticated request. */
export interface Asked {
  readonly method: string
  /** Relative to the base URL. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly requestId: string
  readonly rate: RequestRate
  /** Parses the JSON body; undefined without one. */
  readonly readBody: () => Promise<unknown>
}

/** A parsed request. */
interface Parsed {
  readonly target: Target
  readonly method: string
  readonly ifNoneMatch: string | undefined
  readonly call: Omit<ScimCall, 'quirk'>
}

/** Makes the function that answers one request of a directory's provider, and logs the request with its outcome. */
export function scimExchange(deps: Deps) {
  const operations = { User: scimUsers(deps), Group: scimGroups(deps) }

  return async function answerScim(
    directory: AuthenticatedDirectory,
    asked: Asked,
  ): Promise<ScimAnswer | ScimError> {
    const startMs = performance.now()
    const parsed = await orFailure(() => parseRequest(directory, asked))
    const [target, call] = parsed instanceof ScimError ? [] : [parsed.target, parsed.call]
    const type = resourceTypeOf(target)
    const { userSchemas } = directory
    const body = toLoggedBody(call?.body, target, userSchemas)
    const path = toLoggedPath(asked.path)
    const cause: Cause = {
      requestId: asked.requestId,
      actor: { type: 'directory', id: directory.directoryId },
      params: () => ({ ...asObject(body), directory_sync_id: directory.directoryId, path }),
    }
    const quirks = new Set<ScimQuirk>()
    const quirk = (name: ScimQuirk) => void quirks.add(name)
    return orFailure(async () => {
      const texts = { query: toLoggedQuery(asked.query, target, userSchemas), request: toLoggedText(body) }
      const loggedOf = (answered: ScimAnswer | ScimError): LoggedRequest => ({
        method: asked.method,
        path,
        ...texts,
        ...toLoggedOutcome(answered, type, userSchemas),
        email: addressOf(answered) ?? (type === 'User' ? findAddress(texts) : undefined),
        quirks: [...quirks],
        durationMs: Math.round(performance.now() - startMs),
        requestId: asked.requestId,
      })
      const caller = toScimCaller(directory, cause, (trx, answer) =>
        insertScimRequest(deps, trx, directory, loggedOf(answer)),
      )
      const answered =
        parsed instanceof ScimError ? parsed : await orFailure(() => run(caller, parsed, quirk))
      const isDue = answered instanceof ScimError ? mayBeLogged(asked.rate) : answered.isLogged !== true
      if (isDue) await record(directory, { answered, target, cause, logged: loggedOf(answered) })
      return answered
    })
  }

  async function run(caller: ScimCaller, parsed: Parsed, quirk: ScimCall['quirk']): Promise<ScimAnswer> {
    const { target, method, ifNoneMatch } = parsed
    const answer = await answerOf(caller, target, { ...parsed.call, quirk })
    if (method !== 'GET' || !isKnown(ifNoneMatch, answer.tag)) return answer
    const { body: _known, ...rest } = answer
    return { ...rest, status: 304 }
  }

  async function answerOf(caller: ScimCaller, target: Target, call: ScimCall): Promise<ScimAnswer> {
    if (target.kind === 'discovery') {
      const { baseUrl, userSchemas } = caller
      const place = { baseUrl, serviceUrl: deps.config.baseUrl, userSchemas }
      return { status: 200, body: discover(target.endpoint, target.name, call.query, place), changes: [] }
    }
    const ofType = operations[target.type]
    if (target.kind === 'one') return ofType[target.operation](caller, target.id, call)
    if (target.operation === 'search')
      return ofType.list(caller, { ...call, query: searchQuery(call.body, call.quirk) })
    return ofType[target.operation](caller, call)
  }

  async function record(
    directory: AuthenticatedDirectory,
    { answered, target, cause, logged }: Ended,
  ): Promise<void> {
    // 501 reports an unsupported feature of RFC 7644, not a failure.
    if (answered instanceof ScimError && answered.fault.status >= 500 && answered.fault.status !== 501)
      logFailure(deps.log, answered.cause, { request_id: cause.requestId }, 'a SCIM request failed')
    try {
      if (answered instanceof ScimError)
        await recordRefusal(deps, directory, { error: answered, target, cause, logged })
      else await insertScimRequest(deps, deps.db, directory, logged)
    } catch (error) {
      // The request is already answered or refused: the provider gets that outcome, not the failure of the log.
      deps.log.error({ request_id: cause.requestId, err: error }, 'a SCIM request cannot be logged')
    }
  }
}

interface Ended {
  readonly answered: ScimAnswer | ScimError
  readonly target: Target | undefined
  readonly cause: Cause
  readonly logged: LoggedRequest
}

async function orFailure<Result>(work: () => Promise<Result>): Promise<Result | ScimError> {
  try {
    return await work()
  } catch (error) {
    return toScimError(error)
  }
}

/** @throws ScimError */
async function parseRequest(directory: AuthenticatedDirectory, asked: Asked): Promise<Parsed> {
  const { rate } = asked
  if (rate.isExceeded)
    throw new ScimError(
      { status: 429, retryAfterSeconds: rate.resetSeconds },
      `More than ${rate.limit} requests in a second: wait, and send it again.`,
    )
  if (!directory.active) throw new ScimError({ status: 403 }, 'The directory is switched off.')
  const target = targetOf(asked.method, asked.path)
  const query = toQuery(asked.query)
  return {
    target,
    method: asked.method,
    ifNoneMatch: asked.ifNoneMatch,
    call: {
      query,
      body: await asked.readBody(),
      // If-None-Match: * requires that nothing exists, so no version may match.
      ifMatch: isAnyExcluded(asked.ifNoneMatch) ? [] : tagsIn(asked.ifMatch),
    },
  }
}

/** Rate-limited requests would flood the log: only the first of each second is logged. */
function mayBeLogged(rate: RequestRate): boolean {
  return !rate.isExceeded || rate.isFirstExcess
}

function toLoggedOutcome(
  answered: ScimAnswer | ScimError,
  type: ScimResourceType | undefined,
  userSchemas: ResourceSchemas,
) {
  if (!(answered instanceof ScimError)) {
    const { status, body, changes, userId } = answered
    return { status, answer: toLoggedAnswer(body, type, userSchemas), scimType: null, changes, userId }
  }
  const { status, scimType = null } = answered.fault
  return { status, answer: toLoggedText(toErrorBody(answered)), scimType, changes: [], userId: undefined }
}

function addressOf(answered: ScimAnswer | ScimError): string | undefined {
  return answered instanceof ScimError ? undefined : answered.email
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
