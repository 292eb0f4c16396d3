import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@portico/contract/openapi'
import express, { type RequestHandler, type Response } from 'express'
import { isAlive } from '../../platform/db/embedded-binaries.js'
import type { Deps } from '../../delivery/deps.js'
import { systemClock } from '../../platform/system-clock.js'
import { packageRoot } from '../../platform/package-root.js'

/** What `npm start` and `npm run build` write; the path is the same from the sources and from the compiled files. */
const built = fileURLToPath(new URL('../docs/dist/', packageRoot))

/** Answers with what was built of the documentation in a folder. */
export function documentationIn(folder: string): RequestHandler {
  const site = join(folder, 'site')
  const router = express.Router()
  // Links of the pages are relative, so that the first one must be at an address that ends in a slash.
  router.get('/', (req, res, next) => {
    if (req.originalUrl.split('?')[0]?.endsWith('/')) next()
    else res.redirect('/docs/')
  })
  router.use(express.static(site, { redirect: false, extensions: ['html'] }))
  router.use((_req, res, next) => {
    if (existsSync(site)) next()
    else answerUnbuilt(join(folder, '.builder'), res)
  })
  return router
}

/** The first start builds the site beside the service. Until it is there a browser gets a page that reloads by itself. */
function answerUnbuilt(builderFile: string, res: Response): void {
  res.set('Cache-Control', 'no-store')
  if (!isBuilding(builderFile)) {
    res.status(404).type('text/plain').send('The documentation is not built here: npm run docs -- build\n')
    return
  }
  res.status(503).set('Retry-After', '2').type('html').send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="2">
<title>Portico documentation</title>
<h1>The documentation is being built</h1>
<p>The first start takes a few seconds for it. This page reloads by itself.
`)
}

/** The site takes seconds. After this time, in ms, another process may have the number of one that was killed. */
const longestBuild = 600_000

/** Whether the process that was started to build the site is still at it. */
function isBuilding(builderFile: string): boolean {
  const written = statSync(builderFile, { throwIfNoEntry: false })
  if (written === undefined || systemClock().getTime() - written.mtimeMs > longestBuild) return false
  return isAlive(Number(readFileSync(builderFile, 'utf8')))
}

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
  router.use('/docs', documentationIn(built))
  return router
}
