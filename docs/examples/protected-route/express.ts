import type { Verifier } from '@portico/sdk'
import express, { type Express, type RequestHandler } from 'express'
import { checkToken } from './check-token.js'

/** An Express app with a route for users alone. */
export function createExpressApp(verifier: Verifier): Express {
  const app = express()
  app.get('/me', protect(verifier), (_req, res) => {
    res.json({ user: res.locals['user'] })
  })
  return app
}

/** Lets a request pass with the user's id in `res.locals.user`, or answers it. */
function protect(verifier: Verifier): RequestHandler {
  return async (req, res, next) => {
    const checked = await checkToken(verifier, req.headers.authorization)
    if (!('claims' in checked)) {
      res.status(checked.status).set(checked.headers).end()
      return
    }
    res.locals['user'] = checked.claims.sub
    next()
  }
}
