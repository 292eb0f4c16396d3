import { setTimeout as sleep } from 'node:timers/promises'
import { controlDocumentPath, controlPath, emulator, emulatorErrorCodes } from '@portico/contract/emulator'
import { emulatorDocument } from '@portico/contract/openapi-emulator'
import { createExpressEndpoints, RequestValidationError } from '@ts-rest/express'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Router,
} from 'express'
import type { Logger } from 'pino'
import { toFieldErrors } from '../../platform/field-errors.js'
import { BodyFault } from '../../platform/http/body-fault.js'
import { jsonReader } from '../../platform/http/body.js'
import { isAskedByLoopbackName, isLocalRequest } from '../../platform/http/from-this-machine.js'
import { routeOf } from '../../app/http/route-of.js'
import type { Control } from './control.js'
import type { Faults } from './faults.js'
import { EmulatorRefusal } from './refusal.js'
import { emulatorRoutes } from './routes.js'

/** The HTTP application of an emulator. */
interface EmulatorApp {
  readonly app: Express
  /** Begins to answer by the control and, for other paths, the service; until then it answers that it is starting. */
  open(control: Control, service: RequestHandler): void
}

/**
 * The listener, before there is anything to answer with. A client must know the emulator by a name of this machine: its
 * keys are public, and a foreign page whose name resolves to loopback (DNS rebinding) could use them.
 */
export function createEmulatorApp(log: Pick<Logger, 'error'>): EmulatorApp {
  const app = express().disable('x-powered-by')
  let opened: RequestHandler | undefined
  app.use((req, res, next) => {
    if (!isAskedByLoopbackName(req)) next(new EmulatorRefusal('misdirected'))
    else if (opened === undefined) next(new EmulatorRefusal('not_ready'))
    else opened(req, res, next)
  })
  app.use(emulatorErrors(log))
  return {
    app,
    open(control, service) {
      opened = express.Router().use(controlRouter(control)).use(service)
    },
  }
}

/** The control of an emulator: open to every program on this machine, and closed to pages of other origins. */
function controlRouter(control: Control): Router {
  const router = express.Router()
  router.use(controlPath, (req, _res, next) => {
    // Test programs send no Origin; browsers cannot suppress it.
    if (isLocalRequest(req) && req.headers.origin === undefined && !isOfOtherSite(req)) next()
    else next('router')
  })
  router.get(controlDocumentPath, (_req, res) => {
    res.json(emulatorDocument({ serverUrl: control.state().base_url, version: '2.0' }))
  })
  router.use(controlPath, jsonReader({ bytes: 100 * 1024, values: 2000, names: 2000 }))
  createExpressEndpoints(emulator, emulatorRoutes(control), router, {
    requestValidationErrorHandler: (error, _req, _res, next) => next(error),
    logInitialization: false,
  })
  return router
}

/** Browsers mark every request so, also those without an Origin, such as that of an image (Fetch Metadata). */
function isOfOtherSite({ headers }: Request): boolean {
  return ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))
}

/** Answers for the control's refusals and failures, and for unreadable requests. */
function emulatorErrors(log: Pick<Logger, 'error'>): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(error)
      return
    }
    const { status, code, message } = toRefusal(error)
    if (status === emulatorErrorCodes.internal_error.status)
      log.error({ err: error }, 'the control of the emulator failed')
    if (status === emulatorErrorCodes.not_ready.status) res.set('Retry-After', '1')
    res.status(status).json({ error: { code, message } })
  }
}

function toRefusal(error: unknown): EmulatorRefusal {
  if (error instanceof EmulatorRefusal) return error
  if (error instanceof RequestValidationError) {
    const issues = [error.pathParams, error.query, error.body].flatMap((part) => part?.issues ?? [])
    const faults = toFieldErrors(issues).map(({ path, message }) => `${path} ${message}`)
    return new EmulatorRefusal('invalid_parameters', faults.join('; '))
  }
  if (error instanceof URIError)
    return new EmulatorRefusal('malformed_request', 'The path cannot be read: percent-encode its segments.')
  if (!(error instanceof BodyFault)) return new EmulatorRefusal('internal_error')
  return error.kind === 'too_large'
    ? new EmulatorRefusal('body_too_large')
    : new EmulatorRefusal('malformed_request', error.message)
}

/** Applies the faults that tests have requested. */
export function applyFaults(faults: Faults): RequestHandler {
  return async (req, _res, next) => {
    const met = faults.meet(routeOf(req).name)
    if (met === undefined) {
      next()
      return
    }
    if (met.latencyMs > 0) await sleep(met.latencyMs)
    if (met.reset) req.socket.resetAndDestroy()
    else next(met.error)
  }
}
