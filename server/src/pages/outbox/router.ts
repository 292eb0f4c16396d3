import { readFileSync } from 'node:fs'
import { pathId } from '@portico/contract/fields'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { isLocalRequest } from '../../platform/http/from-this-machine.js'
import { isLoopbackHost } from '../../platform/loopback.js'
import { findAnyMessage, listAllMessages } from '../../delivery/outbox/outbox.js'
import { permissionsPolicy } from '../frame/page-headers.js'
import { outboxListPage, outboxMessagePage } from './page.js'
import { packageRoot } from '../../platform/package-root.js'

/**
 * The outbox as a page for local evaluation: it shows the messages of every account, sign-in links included, without
 * authentication. It exists only when the service is on loopback without a mail server, and for browsers on the same
 * machine; all others get a 404.
 */
export function outboxPage(deps: Deps): Router {
  const { config } = deps
  const router = express.Router()
  const isServed = isLoopbackHost(new URL(config.baseUrl).hostname) && config.mail.smtpUrl === undefined
  if (!isServed || config.isProduction) return router

  // The same path from src/outbox and from dist/outbox.
  const style = readFileSync(new URL('src/pages/outbox/style.css', packageRoot), 'utf8')

  router.use('/outbox', (req: Request, res: Response, next: NextFunction) => {
    if (!isLocalRequest(req)) {
      next('router')
      return
    }
    res.set({
      'Content-Security-Policy': pagePolicy,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy': permissionsPolicy,
    })
    next()
  })
  router.get('/outbox', async (req, res) => {
    const page = pageOf(req.query['page'])
    const { messages, isLast } = await listAllMessages(deps, page)
    res.type('html').send(outboxListPage({ productName: config.productName, messages, page, isLast }))
  })
  router.get('/outbox/style.css', (_req, res) => {
    res.type('css').send(style)
  })
  router.get('/outbox/:id', async (req, res, next) => {
    const message = await findAnyMessage(deps, pathId().parse(req.params.id))
    if (message === undefined) next('router')
    else res.type('html').send(outboxMessagePage(config.productName, message))
  })
  // A frame with srcdoc would inherit the policy of the page, which blocks the inline styles of mails.
  router.get('/outbox/:id/html', async (req, res, next) => {
    const message = await findAnyMessage(deps, pathId().parse(req.params.id))
    if (message === undefined || message.html === null) next('router')
    else res.set('Content-Security-Policy', mailPolicy).type('html').send(message.html)
  })
  return router
}

const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "frame-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const mailPolicy = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
].join('; ')

function pageOf(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1
}
