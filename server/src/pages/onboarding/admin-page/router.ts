import type { Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import { findOrganizationByDomain } from '../../../directory/organizations/find-organization.js'
import { formReader } from '../../../platform/http/body.js'
import { findAdminSession, type AdminSession } from '../../../sso/admins/admin-session.js'
import { findAdminSecret, toAdminCookie } from '../../frame/admin-cookie.js'
import { toCsrfField } from '../../frame/csrf.js'
import type { MessageName } from '../../frame/message.js'
import { pageRouter, sendPlainSentence, type Exchange } from '../../frame/page-route.js'
import { formOf, frameOf, textOf, type Site } from '../../frame/site.js'
import { isSentByAdmin, leaveOrDecline } from '../leaving.js'

/** An administrator who has entered the mailed code, and the secret of the browser's cookie. */
export interface Administrator {
  readonly session: AdminSession
  readonly secret: string
}

/** A page of an organization for its administrators: what it is about, how it is shown, and what its forms do. */
interface AdminPage<Found> {
  readonly path: string
  /** @returns What the page is about; undefined where the administrator's invitation does not reach it. */
  readonly find: (exchange: Exchange, session: AdminSession) => Promise<Found | undefined>
  /** The message where nothing was found. */
  readonly missing: MessageName
  readonly show: (exchange: Exchange, request: Administrator & Found) => Promise<void>
  /** Answers a form of the page. */
  readonly act: (exchange: Exchange, request: Administrator & Found, action: string) => Promise<void>
}

/** The routes of a page for administrators: each request and each form is of a live session, and of what that session reaches. */
export function adminPageRouter<Found extends object>(
  deps: Deps,
  site: Site,
  { path, find, missing, show, act }: AdminPage<Found>,
): Router {
  async function findRequest(exchange: Exchange): Promise<(Administrator & Found) | undefined> {
    const admin = await findAdministrator(exchange)
    if (admin === undefined) return undefined
    const found = await find(exchange, admin.session)
    if (found !== undefined) return { ...admin, ...found }
    sendPlainSentence(exchange, 404, missing)
    return undefined
  }
  return pageRouter(deps, site, [
    {
      path,
      get: async (exchange) => {
        const request = await findRequest(exchange)
        if (request !== undefined) await show(exchange, request)
      },
      read: [formReader(16 * 1024)],
      post: async (exchange) => {
        const request = await findRequest(exchange)
        if (request !== undefined)
          await takeForm(exchange, request, (action) => act(exchange, request, action))
      },
      otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'notInvited'),
    },
  ])
}

/** The administrator of a request; undefined when it was answered with an error page. */
async function findAdministrator(exchange: Exchange): Promise<Administrator | undefined> {
  const { deps, site, req } = exchange
  const secret = findAdminSecret(req.headers.cookie, site.isHttps)
  const session = secret === undefined ? undefined : await findAdminSession(deps, secret)
  if (secret !== undefined && session !== undefined) return { session, secret }
  sendPlainSentence(exchange, 401, 'notInvited')
  return undefined
}

/** Does what a form of the page asks for, where the page was ours: the administrator leaves, or acts. */
async function takeForm(
  exchange: Exchange,
  { session, secret }: Administrator,
  act: (action: string) => Promise<void>,
): Promise<void> {
  const { deps, site, req, res } = exchange
  if (!isSentByAdmin(req, site, { ...session, secret })) {
    sendPlainSentence(exchange, 403, 'otherBrowser')
    return
  }
  const action = textOf(formOf(req).action)
  const left = await leaveOrDecline(deps, session, { action, idpId: null, requestId: requestIdOf(req) })
  if (left === undefined) {
    await act(action)
    return
  }
  res.append('Set-Cookie', toAdminCookie('', site.isHttps, 0))
  sendPlainSentence(exchange, 200, left)
}

/** What every such page is made with. */
export async function adminView(
  { deps, site, req }: Exchange,
  { session, secret }: Administrator,
  environment: string,
) {
  const organization = await findOrganizationByDomain(deps, session.domain)
  const frame = frameOf(site, req, { organization, isSandbox: environment === 'sandbox', url: req.path })
  const action = `${req.path}?ui_locales=${frame.texts.lang}`
  return {
    frame,
    form: { action, csrf: toCsrfField(secret, session.sessionId) },
    email: session.email,
    now: deps.now(),
  }
}
