import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@portico/contract/openapi'
import express, { type RequestHandler, type Response } from 'express'
import { isAlive } from '../../platform/db/embedded-binaries.js'
import type { Deps } from '../../delivery/deps.js'
import { systemClock } from '../../platform/system-clock.js'
import { packageRoot } from '../../platform/package-root.js'
import { permissionsPolicy } from '../../pages/frame/page-headers.js'

/** Output of `npm start` and `npm run build`; the path is the same for sources and compiled files. */
const built = fileURLToPath(new URL('../docs/dist/', packageRoot))

/** Serves the documentation site that was built in a folder. */
export function documentationIn(folder: string): RequestHandler {
  const site = join(folder, 'site')
  const router = express.Router()
  // The pages' links are relative, so the first page needs a trailing slash.
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

/** Answers 503 with a page that reloads itself while the first start builds the site, else 404. */
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

/** Upper bound of a build, in ms: after it, another process may have reused the process id. */
const maxBuildMs = 600_000

/** Whether the build process is still running. */
function isBuilding(builderFile: string): boolean {
  const written = statSync(builderFile, { throwIfNoEntry: false })
  if (written === undefined || systemClock().getTime() - written.mtimeMs > maxBuildMs) return false
  return isAlive(Number(readFileSync(builderFile, 'utf8')))
}

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves the OpenAPI documents with this service's address, and the documentation site. */
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
  // Only for browsers: for API clients `/` is an unknown route.
  router.get('/', (req, res, next) => {
    if (req.accepts(['json', 'html']) === 'html') res.vary('Accept').redirect('/docs/')
    else next()
  })
  // Where programs look for it; its links are relative to the site.
  router.get('/llms.txt', (_req, res) => res.redirect('/docs/llms.txt'))
  router.use('/docs', (_req, res, next) => {
    res.set({
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': pagePolicy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Permissions-Policy': permissionsPolicy,
    })
    next()
  })
  router.use('/docs', documentationIn(built))
  return router
}
