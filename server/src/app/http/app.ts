import { contract } from '@portico/contract/contract'
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import qs from 'qs'
import { promptly } from '../../platform/db/connect.js'
import { consoleRouter } from '../../console/router.js'
import type { OpenDeps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { outboxPage } from '../../pages/outbox/router.js'
import { exportOwnData } from '../../operations/purge/own-data.js'
import type { ExportOwnData } from '../../pages/account/section.js'
import { pagesRouter } from '../../pages/router.js'
import { scimErrors, scimPath, scimRequests } from '../../protocols/scim/router.js'
import { answerHeaders } from './answer-headers.js'
import { apiOf, type ApiHooks } from './api.js'
import { authenticate } from './authenticate.js'
import { authorize } from './authorize.js'
import { openCall } from './call.js'
import { checkAnswers } from './checked-answer.js'
import { compose } from './compose.js'
import { connectionShares } from './connection-shares.js'
import { corsForBrowsers } from './cors.js'
import { announceDeprecation } from './deprecation.js'
import { documentation } from './documentation.js'
import { errorHandler } from './error-handler.js'
import { health, type WhyWaiting } from './health.js'
import { httpsOnly } from './https-only.js'
import { idempotency } from './idempotency.js'
import { allowedMethods, mountContract } from './mount.js'
import { mergeParameters, readBody } from './parameters.js'
import { answerKnownReads, refuseWhatIsThere } from './preconditions.js'
import { rateLimit } from './rate-limit.js'
import { readOwnChanges } from './read-position.js'
import { requestLog } from './request-log.js'
import { warnOfIgnored } from './warn-of-ignored.js'

interface AppHooks extends ApiHooks {
  /** Called with the API key of each answered request. */
  readonly onKeyUse?: (apiKeyId: string) => void
  /** Injects the faults that tests have requested from an emulator, before the request is authenticated. */
  readonly faults?: RequestHandler
  /** Asked by each request until the process has begun; without it, it has. */
  readonly whyWaiting?: WhyWaiting
}

/** Builds the Express app: all middleware, in the order in which a request runs through it. */
export function createApp(opened: OpenDeps, hooks: AppHooks = {}): Express {
  const deps = promptly(opened)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  answerKnownReads(app)
  app.set('trust proxy', [...deps.config.trustedProxies])
  app.set('query parser', (text: string) =>
    qs.parse(text, { arrayLimit: 500, parameterLimit: 1000, depth: 6 }),
  )

  app.use(
    compose(
      requestLog(deps, hooks),
      answerHeaders(deps.config),
      health(deps, hooks.whyWaiting),
      ...(hooks.whyWaiting === undefined ? [] : [refuseWhileWaiting(hooks.whyWaiting)]),
      httpsOnly(deps.config),
      corsForBrowsers,
      connectionShares,
    ),
  )
  mountContract(app, contract, apiOf(deps, hooks), {
    globalMiddleware: [
      compose(
        announceDeprecation(deps.config),
        checkAnswers(deps),
        ...(hooks.faults === undefined ? [] : [hooks.faults]),
        authenticate(deps),
        rateLimit(deps),
        authorize,
        ...(deps.config.database.readUrl === undefined ? [] : [readOwnChanges(deps)]),
        readBody,
        mergeParameters,
        warnOfIgnored,
        refuseWhatIsThere,
        idempotency(deps),
      ),
    ],
    requestValidationErrorHandler: (error, _req, _res, next) => next(error),
    logInitialization: false,
  })
  app.use(scimPath, scimRequests(deps), scimErrors(deps))
  app.use(documentation(deps))
  app.use(outboxPage(deps))
  const ownData: ExportOwnData = (tenant, userId) => exportOwnData(deps, tenant, userId)
  app.use(pagesRouter(deps, ownData, consoleRouter(openCall(deps))))
  app.use(refuseUnknown)
  app.use(errorHandler(deps))
  return app
}

/** Answers 503 while migrations are pending: tables are missing, and the master keys are not checked yet. */
function refuseWhileWaiting(whyWaiting: WhyWaiting): RequestHandler {
  return (_req, _res, next) => {
    const waiting = whyWaiting()
    if (waiting === undefined) {
      next()
      return undefined
    }
    return waiting.then((reason) =>
      next(reason === undefined ? undefined : new ApiError('unavailable', { retryAfterSeconds: 30 })),
    )
  }
}

const methodsOf = allowedMethods(contract)

/** 405 with Allow where the contract has the path, else 404. */
function refuseUnknown(req: Request, res: Response, _next: NextFunction): void {
  const methods = methodsOf(req.path)
  if (methods === undefined) throw new ApiError('route_not_found')
  res.set('Allow', methods.join(', '))
  throw new ApiError('method_not_allowed')
}
