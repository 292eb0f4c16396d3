import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { formReader } from '../../platform/http/body.js'
import {
  findOpenImpersonation,
  openImpersonation,
  type ShownImpersonation,
} from '../../sign-in/impersonation/address.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import { keepFlowSecret, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { impersonationPage } from '../views/impersonation.js'

/** The page of an impersonation's address, whose form starts it at the application. */
export function impersonationRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/t/:org_domain/impersonation',
      get: showImpersonation,
      read: [formReader(16 * 1024)],
      post: takeForm,
      otherwise: (exchange, status) => sendDead(exchange, status, frameAt(exchange)),
    },
  ])
}

async function showImpersonation(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const token = textOf(req.query.token)
  const organizationDomain = domainOf(req)
  const [organization, impersonation] = await Promise.all([
    findOrganizationByDomain(deps, organizationDomain),
    findOpenImpersonation(deps, { organizationDomain, token }),
  ])
  const frame = frameAt(exchange, { organization, impersonation, token })
  res.vary('Accept-Language')
  if (organization === undefined || impersonation === undefined) {
    sendDead(exchange, 404, frame)
    return
  }
  const action = `/t/${organization.domain}/impersonation?ui_locales=${frame.texts.lang}`
  const form = { action, csrf: toCsrfField(keepFlowSecret(exchange), token) }
  const page = impersonationPage({ frame, form, impersonation, token })
  sendPage(site, res, page, { organization, redirectUri: impersonation.uri })
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const token = textOf(formOf(req).token)
  const organizationDomain = domainOf(req)
  const organization = await findOrganizationByDomain(deps, organizationDomain)
  const frame = frameAt(exchange, { organization })
  const browserSecret = secretOfOurForm(req, site, token)
  if (browserSecret === undefined) {
    sendSentence(exchange, 403, frame, 'otherBrowser')
    return
  }
  const location = await openImpersonation(deps, { organizationDomain, token, browserSecret })
  if (location === undefined) sendDead(exchange, 404, frame)
  else redirect(exchange, location, location)
}

function sendDead(exchange: Exchange, status: number, frame: Frame): void {
  sendSentence(exchange, status, frame, 'deadImpersonation')
}

interface ShownAt {
  readonly organization?: PublicOrganization | undefined
  readonly impersonation?: ShownImpersonation | undefined
  readonly token?: string
}

function frameAt({ site, req }: Exchange, { organization, impersonation, token = '' }: ShownAt = {}): Frame {
  const query = token === '' ? '' : `?token=${encodeURIComponent(token)}`
  const isSandbox = impersonation?.environment === 'sandbox'
  return frameOf(site, req, { organization, isSandbox, url: `${req.path}${query}` })
}
