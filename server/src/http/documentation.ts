import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@portico/contract/openapi'
import express, { type RequestHandler } from 'express'
import type { Deps } from '../deps.js'

/** The documentation site, which `npm start` and `npm run build` write; the path is the same from the sources and from the compiled files. */
const site = fileURLToPath(new URL('../../../docs/dist/site/', import.meta.url))

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The OpenAPI documents, written for this service's address, and the documentation site. */
export function documentation({ config }: Deps): RequestHandler {
  const router = express.Router()
  for (const { path, target } of [
    { path: '/openapi.json', target: '3.1' as const },
    { path: '/openapi-3.0.json', target: '3.0' as const },
  ]) {
    let written: string | undefined
    router.get([path, `/docs${path}`], (_req, res) => {
      written ??= JSON.stringify(openApiDocument({ target, serverUrl: config.baseUrl, version: '2.0' }))
      res.set('Access-Control-Allow-Origin', '*').type('application/json').send(written)
    })
  }
  // For a person with a browser; to a program it is a path without an operation.
  router.get('/', (req, res, next) => {
    if (req.accepts(['json', 'html']) === 'html') res.vary('Accept').redirect('/docs/')
    else next()
  })
  router.use('/docs', (_req, res, next) => {
    res.set({
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': pagePolicy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    next()
  })
  // Links of the pages are relative, so that the first one must be at an address that ends in a slash.
  router.get('/docs', (req, res, next) => {
    if (req.path.endsWith('/')) next()
    else res.redirect('/docs/')
  })
  router.use('/docs', express.static(site, { redirect: false, extensions: ['html'] }))
  router.get('/docs/', (_req, res) => {
    res.status(404).type('text/plain').send('The documentation is not built here: npm run docs -- build\n')
  })
  return router
}
