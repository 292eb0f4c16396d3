import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { formReader } from '../../platform/http/body.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { domainOf, frameOf, type Site } from '../frame/site.js'
import { findVisitor } from '../frame/visitor.js'

/** The address from which applications link to the sessions of their users, who are signed in: a section of the account page. */
export function sessionsRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/t/:org_domain/sessions',
      get: leadToSection,
      read: [formReader(16 * 1024)],
      // Of a page that an earlier version has sent: it is shown anew.
      post: leadToSection,
      otherwise: sendNotSignedIn,
    },
  ])
}

async function leadToSection(exchange: Exchange): Promise<void> {
  const { deps, req } = exchange
  const organization = await findOrganizationByDomain(deps, domainOf(req))
  const visitor = await findVisitor(exchange, organization)
  if (visitor === undefined) {
    await sendNotSignedIn(exchange, 401)
    return
  }
  const { search } = new URL(req.originalUrl, exchange.site.baseUrl)
  redirect(exchange, `/t/${visitor.organization.domain}/account/sessions${search}`)
}

async function sendNotSignedIn(exchange: Exchange, status: number): Promise<void> {
  const { deps, site, req } = exchange
  const organization = await findOrganizationByDomain(deps, domainOf(req))
  const frame = frameOf(site, req, { organization, isSandbox: false, url: req.path })
  sendSentence(exchange, status, frame, 'notSignedIn')
}
