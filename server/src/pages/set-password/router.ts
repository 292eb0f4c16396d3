import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { formReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import type { PasswordFault } from '../../sign-in/password/policy.js'
import { findOpenCode, setPasswordAtPage, type OpenCode } from '../../sign-in/password/set-at-page.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import { messageUrl } from '../frame/message.js'
import { keepFlowSecret, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { passwordSetPage, setPasswordPage } from '../views/set-password.js'
import {
  domainOf,
  formOf,
  frameOf,
  sendPage,
  textOf,
  type PageDestination,
  type Site,
} from '../frame/site.js'

/** Above the maximum of passwords, so that the password policy refuses too long ones. */
const maxTypedLength = 10_000

/** The page on which the owner of an address sets a password, with the code from a mailed link. */
export function setPasswordRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/t/:org_domain/set-password',
      get: showForm,
      read: [formReader(64 * 1024)],
      post: takeForm,
      otherwise: (exchange, status) => sendDeadLink(exchange, status, undefined),
    },
  ])
}

async function showForm(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const code = textOf(req.query.password_code)
  const organizationDomain = domainOf(req)
  const [organization, open] = await Promise.all([
    findOrganizationByDomain(deps, organizationDomain),
    findOpenCode(deps, { organizationDomain, code }),
  ])
  res.vary('Accept-Language')
  const frame = pageFrame(exchange, organization, { open, code })
  if (open === undefined) {
    sendSentence(exchange, 404, frame, 'deadLink')
    return
  }
  const secret = keepFlowSecret(exchange)
  sendPage(site, res, formPage({ frame, open, code, secret }), destinationOf(frame, open))
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const form = formOf(req)
  const code = textOf(form.password_code)
  const organization = await findOrganizationByDomain(deps, domainOf(req))
  const secret = secretOfOurForm(req, site, code)
  if (secret === undefined) {
    const frame = pageFrame(exchange, organization, {})
    sendSentence(exchange, 403, frame, 'otherBrowser')
    return
  }
  const plainText = textOf(form.password, maxTypedLength)
  await setPassword(exchange, { organization, code, plainText, secret })
}

async function setPassword(
  exchange: Exchange,
  { organization, code, plainText, secret }: Chosen,
): Promise<void> {
  const { deps, site, req, res } = exchange
  const organizationDomain = domainOf(req)
  try {
    const requestId = requestIdOf(req)
    const chosen = { organizationDomain, code, plainText, browserSecret: secret, requestId }
    const outcome = await setPasswordAtPage(deps, chosen)
    if (outcome === 'refused') sendDeadLink(exchange, 404, organization)
    else if ('fault' in outcome) {
      const { open } = outcome
      const frame = pageFrame(exchange, organization, { open, code })
      const page = formPage({ frame, open, code, secret, fault: outcome.fault.code })
      sendPage(site, res.status(422), page, destinationOf(frame, open))
    } else if (outcome.keptPasskeys.length > 0) {
      const { redirectUrl: nextUrl, keptPasskeys: names, environment } = outcome
      const frame = pageFrame(exchange, organization, {})
      const ownPage = `/t/${organizationDomain}/account/passkeys?environment=${environment}`
      sendPage(site, res, passwordSetPage({ frame, kept: { names, ownPage, nextUrl } }), frame)
    } else if (outcome.redirectUrl === undefined) {
      const frame = pageFrame(exchange, organization, {})
      const url = messageUrl(frame, 'password-set')
      sendPage(site, res, passwordSetPage({ frame: { ...frame, url } }), frame)
    } else redirect(exchange, outcome.redirectUrl)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'rate_limited') throw error
    const frame = pageFrame(exchange, organization, { code })
    const { retryAfterSeconds } = error
    sendSentence(exchange, 429, frame, 'tooMany', { retryAfterSeconds })
  }
}

function sendDeadLink(
  exchange: Exchange,
  status: number,
  organization: PublicOrganization | undefined,
): void {
  const frame = pageFrame(exchange, organization, {})
  sendSentence(exchange, status, frame, 'deadLink')
}

function formPage({ frame, open, code, secret, fault }: FormView): string {
  return setPasswordPage({
    frame,
    form: {
      action: `/t/${open.domain}/set-password?ui_locales=${frame.texts.lang}`,
      csrf: toCsrfField(secret, code),
    },
    // The address is not masked: the holder of the code can read its mail, and password managers store the shown name.
    email: open.email,
    minLength: open.min_length,
    maxLength: open.max_length,
    asked: 'by_link',
    fault,
    passwordCode: code,
  })
}

/** The frame of the page, which cannot be shown again without its code. */
function pageFrame(
  { site, req }: Exchange,
  organization: PublicOrganization | undefined,
  { open, code = '' }: { readonly open?: OpenCode | undefined; readonly code?: string },
): Frame {
  return frameOf(site, req, {
    organization,
    isSandbox: open?.environment === 'sandbox',
    url: code === '' ? undefined : `${req.path}?password_code=${encodeURIComponent(code)}`,
  })
}

function destinationOf({ organization }: Frame, { end_uri: redirectUri }: OpenCode): PageDestination {
  return { organization, redirectUri: redirectUri ?? undefined }
}

interface Chosen {
  readonly organization: PublicOrganization | undefined
  readonly code: string
  readonly plainText: string
  readonly secret: string
}

interface FormView {
  readonly frame: Frame
  readonly open: OpenCode
  readonly code: string
  readonly secret: string
  readonly fault?: PasswordFault['code']
}
