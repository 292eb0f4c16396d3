import { setTimeout as sleep } from 'node:timers/promises'
import { controlPath, emulator } from '@portico/contract/emulator'
import { createExpressEndpoints, RequestValidationError } from '@ts-rest/express'
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express'
import { toFieldErrors } from '../field-errors.js'
import { isFromThisMachine } from '../http/from-this-machine.js'
import { routeOf } from '../http/route-of.js'
import type { Control } from './emulator.js'
import type { Faults } from './faults.js'
import { EmulatorRefusal } from './refusal.js'
import { emulatorRoutes } from './routes.js'

/** The control of an emulator: open to every program on this machine, and to no page that a browser has from elsewhere. */
export function controlRouter(control: Control): Router {
  const router = express.Router()
  router.use(controlPath, (req, _res, next) => {
    // Programs that test send no Origin; pages that a browser shows cannot help it.
    if (isFromThisMachine(req) && req.headers.origin === undefined) next()
    else next('router')
  })
  router.use(controlPath, express.json())
  createExpressEndpoints(emulator, emulatorRoutes(control), router, {
    requestValidationErrorHandler: (error, _req, _res, next) => next(error),
    logInitialization: false,
  })
  router.use(controlPath, controlErrors)
  return router
}

const controlErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const refusal = toRefusal(error)
  if (refusal === undefined) {
    next(error)
    return
  }
  const { status, code, message } = refusal
  res.status(status).json({ error: { code, message } })
}

function toRefusal(error: unknown): EmulatorRefusal | undefined {
  if (error instanceof EmulatorRefusal) return error
  if (error instanceof RequestValidationError) {
    const issues = [error.pathParams, error.query, error.body].flatMap((part) => part?.issues ?? [])
    const faults = toFieldErrors(issues).map(({ path, message }) => `${path} ${message}`)
    return new EmulatorRefusal('invalid_parameters', faults.join('; '))
  }
  if (error instanceof SyntaxError)
    return new EmulatorRefusal('invalid_parameters', 'The body cannot be read: send valid JSON.')
  return undefined
}

/** Lets requests meet the faults that tests have asked for. */
export function faultsOnRequests(faults: Faults): RequestHandler {
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
