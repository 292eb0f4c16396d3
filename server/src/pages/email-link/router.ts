import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { formReader } from '../../platform/http/body.js'
import {
  findOpenEmailLink,
  revertEmailChange,
  type OpenEmailLink,
} from '../../sign-in/own-account/revert-own-email.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import { keepFlowSecret, pageRouter, sendSentence, type Exchange } from '../frame/page-route.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { visitAt } from '../frame/visitor.js'
import { emailLinkPage } from '../views/email-link.js'

/** The page of the link in the mail about a changed address, whose form puts the address back. */
export function emailLinkRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/t/:org_domain/email-change',
      get: showLink,
      read: [formReader(16 * 1024)],
      post: takeForm,
      otherwise: (exchange, status) => sendSentence(exchange, status, frameAt(exchange), 'deadEmailLink'),
    },
  ])
}

async function showLink(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const token = textOf(req.query.token)
  const organizationDomain = domainOf(req)
  const [organization, link] = await Promise.all([
    findOrganizationByDomain(deps, organizationDomain),
    findOpenEmailLink(deps, { organizationDomain, token }),
  ])
  const frame = frameAt(exchange, { organization, link, token })
  res.vary('Accept-Language')
  if (organization === undefined || link === undefined) {
    sendSentence(exchange, 404, frame, 'deadEmailLink')
    return
  }
  const secret = keepFlowSecret(exchange)
  const page = emailLinkPage({
    frame,
    email: link.oldEmail,
    organizationName: organization.name,
    form: {
      action: `/t/${organization.domain}/email-change?ui_locales=${frame.texts.lang}`,
      csrf: toCsrfField(secret, token),
    },
    token,
  })
  sendPage(site, res, page, { organization })
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const token = textOf(formOf(req).token)
  const organizationDomain = domainOf(req)
  const [organization, link] = await Promise.all([
    findOrganizationByDomain(deps, organizationDomain),
    findOpenEmailLink(deps, { organizationDomain, token }),
  ])
  const frame = { ...frameAt(exchange, { organization, link }), url: undefined }
  if (secretOfOurForm(req, site, token) === undefined) {
    sendSentence(exchange, 403, frame, 'otherBrowser')
    return
  }
  const requestId = requestIdOf(req)
  const outcome = await revertEmailChange(deps, {
    ...{ organizationDomain, token, requestId },
    visit: visitAt(req),
  })
  const [status, name] = answers[outcome]
  sendSentence(exchange, status, frame, name)
}

const answers = {
  reverted: [200, 'emailBack'],
  dead: [404, 'deadEmailLink'],
  taken: [409, 'emailBackTaken'],
  managed: [409, 'emailBackManaged'],
  overruled: [409, 'emailBackOverruled'],
} as const

interface LinkAt {
  readonly organization?: PublicOrganization | undefined
  readonly link?: OpenEmailLink | undefined
  readonly token?: string
}

function frameAt({ site, req }: Exchange, { organization, link, token = '' }: LinkAt = {}): Frame {
  const query = token === '' ? '' : `?token=${encodeURIComponent(token)}`
  const isSandbox = link?.environment === 'sandbox'
  return frameOf(site, req, { organization, isSandbox, url: `${req.path}${query}` })
}
