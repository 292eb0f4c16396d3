import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@portico/contract/openapi'
import express, { type RequestHandler } from 'express'
import type { Deps } from '../deps.js'

/** The built reference pages; the path is the same from the sources and from the compiled files. */
const site = fileURLToPath(new URL('../../../docs/site/', import.meta.url))

const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The OpenAPI documents, written for this service's address, and the reference pages. */
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
    if (req.accepts(['json', 'html']) === 'html') res.vary('Accept').redirect('/docs')
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
  // Static files answer a folder's page for its address with a slash alone.
  router.get('/docs', (_req, res) => {
    res.sendFile('index.html', { root: site })
  })
  router.use('/docs', express.static(site, { redirect: false }))
  return router
}
