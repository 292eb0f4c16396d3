import type { DirectorySync } from '@portico/contract/directory-sync'
import type { Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { formReader } from '../../../platform/http/body.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import {
  findDirectory,
  listRecentRequests,
  createSecretOfDirectory,
} from '../../../sso/onboarding/directories.js'
import { listUsedPaths } from '../../../sso/onboarding/used-paths.js'
import { findOrganizationByDomain } from '../../../directory/organizations/find-organization.js'
import { toCsrfField } from '../../frame/csrf.js'
import { pageRouter, sendPlainSentence, type Exchange } from '../../frame/page-route.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../../frame/site.js'
import { findAdministrator, takeAdminForm, type Administrator } from '../administrator.js'
import { directoryPage } from './page.js'

/** A request by an administrator for the page of a directory. */
interface DirectoryRequest extends Administrator {
  readonly directory: DirectorySync
  readonly version: number
}

/** The page on which an administrator sets up directory sync. */
export function directoryRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/onboarding/directory-sync/:environment',
      get: async (exchange) => {
        const request = await findRequest(exchange)
        if (request !== undefined) await show(exchange, request, {})
      },
      read: [formReader(16 * 1024)],
      post: takeForm,
      otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'notInvited'),
    },
  ])
}

async function takeForm(exchange: Exchange): Promise<void> {
  const request = await findRequest(exchange)
  if (request === undefined) return
  const sent = { ...request, requestId: requestIdOf(exchange.req) }
  await takeAdminForm(exchange, sent, (action) => act(exchange, request, action))
}

async function findRequest(exchange: Exchange): Promise<DirectoryRequest | undefined> {
  const { deps, req } = exchange
  const admin = await findAdministrator(exchange)
  if (admin === undefined) return undefined
  const found = await findDirectory(deps, admin.session, textOf(req.params['environment']))
  if (found?.version === undefined) {
    sendPlainSentence(exchange, 404, 'noSuchDirectory')
    return undefined
  }
  return { ...admin, directory: found.record, version: found.version }
}

async function act(exchange: Exchange, request: DirectoryRequest, action: string): Promise<void> {
  const { deps, req, res } = exchange
  if (action !== 'make_secret') {
    await show(exchange, request, {})
    return
  }
  const version = textOf(formOf(req).version)
  // No directory has the version 0.
  const shown = /^\d{1,9}$/.test(version) ? Number(version) : 0
  const { session, directory } = request
  const made = await createSecretOfDirectory(deps, session, {
    directory,
    version: shown,
    requestId: requestIdOf(req),
  })
  const { value: secret = null } = made?.auth_secret_token ?? {}
  if (made === undefined) res.status(409)
  await show(exchange, request, { hasChanged: made === undefined, ...(secret !== null && { secret }) })
}

async function show(
  { deps, site, req, res }: Exchange,
  { session, secret: browserSecret, directory, version }: DirectoryRequest,
  { secret, hasChanged = false }: { readonly secret?: string; readonly hasChanged?: boolean },
): Promise<void> {
  const organization = await findOrganizationByDomain(deps, session.domain)
  const isSandbox = directory.__environment__ === 'sandbox'
  const frame = frameOf(site, req, { organization, isSandbox, url: req.path })
  const page = directoryPage({
    frame,
    form: {
      action: `${req.path}?ui_locales=${frame.texts.lang}`,
      csrf: toCsrfField(browserSecret, session.sessionId),
    },
    email: session.email,
    directory,
    version,
    requests: await listRecentRequests(deps, session, directory),
    usedPaths: await listUsedPaths(deps, session, directory),
    secret,
    hasChanged,
    now: deps.now(),
  })
  sendPage(site, res, page, frame)
}
