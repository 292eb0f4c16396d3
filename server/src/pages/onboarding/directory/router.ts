import type { DirectorySync } from '@portico/contract/directory-sync'
import type { Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { formReader } from '../../../platform/http/body.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import { findAdminSession, type AdminSession } from '../../../sso/admins/admin-session.js'
import {
  findDirectory,
  listRecentRequests,
  createSecretOfDirectory,
} from '../../../sso/onboarding/directories.js'
import { findOrganizationByDomain } from '../../../directory/organizations/find-organization.js'
import { toCsrfField } from '../../frame/csrf.js'
import { pageRouter, sendPlainSentence, type Exchange } from '../../frame/page-route.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../../frame/site.js'
import { findAdminSecret, toAdminCookie } from '../../frame/admin-cookie.js'
import { isSentByAdmin, leaveOrDecline } from '../leaving.js'
import { directoryPage } from './page.js'

/** A request by an administrator for the page of a directory. */
interface DirectoryRequest {
  readonly session: AdminSession
  /** The secret of the browser's cookie. */
  readonly secret: string
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
  const { site, req } = exchange
  const request = await findRequest(exchange)
  if (request === undefined) return
  const { session, secret } = request
  if (!isSentByAdmin(req, site, { ...session, secret })) sendPlainSentence(exchange, 403, 'otherBrowser')
  else await act(exchange, request)
}

async function findRequest(exchange: Exchange): Promise<DirectoryRequest | undefined> {
  const { deps, site, req } = exchange
  const secret = findAdminSecret(req.headers.cookie, site.isHttps)
  const session = secret === undefined ? undefined : await findAdminSession(deps, secret)
  if (secret === undefined || session === undefined) {
    sendPlainSentence(exchange, 401, 'notInvited')
    return undefined
  }
  const found = await findDirectory(deps, session, textOf(req.params['environment']))
  if (found?.version === undefined) {
    sendPlainSentence(exchange, 404, 'noSuchDirectory')
    return undefined
  }
  return { session, secret, directory: found.record, version: found.version }
}

async function act(exchange: Exchange, request: DirectoryRequest): Promise<void> {
  const { deps, site, req, res } = exchange
  const { session, directory } = request
  const { action, version } = formOf(req)
  const requestId = requestIdOf(req)
  const left = await leaveOrDecline(deps, session, { action: textOf(action), idpId: null, requestId })
  if (left !== undefined) {
    res.append('Set-Cookie', toAdminCookie('', site.isHttps, 0))
    sendPlainSentence(exchange, 200, left)
  } else if (textOf(action) === 'make_secret') {
    // No directory has the version 0.
    const shown = /^\d{1,9}$/.test(textOf(version)) ? Number(textOf(version)) : 0
    const made = await createSecretOfDirectory(deps, session, { directory, version: shown, requestId })
    const { value: secret = null } = made?.auth_secret_token ?? {}
    if (made === undefined) res.status(409)
    await show(exchange, request, { hasChanged: made === undefined, ...(secret !== null && { secret }) })
  } else await show(exchange, request, {})
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
    secret,
    hasChanged,
    now: deps.now(),
  })
  sendPage(site, res, page, frame)
}
