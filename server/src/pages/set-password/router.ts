import express, { type Request, type Response, type Router } from 'express'
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
import { flowSecretOf, secretOfOurForm, toCsrfField, toFlowCookie } from '../frame/csrf.js'
import { errorPage } from '../frame/error.js'
import type { Frame } from '../frame/layout.js'
import { pageHeaders } from '../frame/page-headers.js'
import { passwordSetPage, setPasswordPage } from '../views/set-password.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Destination, type Site } from '../frame/site.js'

const path = '/t/:org_domain/set-password'

/** Longer than any password is allowed to be, so that the rules say so, and not the form. */
const maxTypedLength = 10_000

/** The page on which the owner of an address sets a password, with the code of a link that was sent there. */
export function setPasswordRouter(deps: Deps, site: Site): Router {
  const { isHttps } = site
  const router = express.Router()

  router.get(path, async (req, res) => {
    const code = textOf(req.query.password_code)
    const organizationDomain = domainOf(req)
    const [organization, open] = await Promise.all([
      findOrganizationByDomain(deps, organizationDomain),
      findOpenCode(deps, { organizationDomain, code }),
    ])
    res.vary('Accept-Language')
    const frame = pageFrame(req, organization, { open, code })
    if (open === undefined) {
      sendPage(site, res.status(404), errorPage(frame, frame.texts.deadLink), frame)
      return
    }
    const secret = flowSecretOf(req.headers.cookie, isHttps)
    res.append('Set-Cookie', toFlowCookie(secret, isHttps))
    sendPage(site, res, formPage({ frame, open, code, secret }), destinationOf(frame, open))
  })

  router.post(path, formReader(64 * 1024), async (req, res) => {
    const form = formOf(req)
    const code = textOf(form.password_code)
    const organizationDomain = domainOf(req)
    const organization = await findOrganizationByDomain(deps, organizationDomain)
    const secret = secretOfOurForm(req, site, code)
    if (secret === undefined) {
      const frame = pageFrame(req, organization, {})
      sendPage(site, res.status(403), errorPage(frame, frame.texts.otherBrowser), frame)
      return
    }
    const plainText = textOf(form.password, maxTypedLength)
    await setPassword(req, res, { organization, code, plainText, secret })
  })

  router.all(path, (req, res) => {
    const frame = pageFrame(req, undefined, {})
    sendPage(
      site,
      res.status(405).set('Allow', 'GET, HEAD, POST'),
      errorPage(frame, frame.texts.deadLink),
      frame,
    )
  })

  return router

  async function setPassword(
    req: Request,
    res: Response,
    { organization, code, plainText, secret }: Chosen,
  ): Promise<void> {
    const arrived = { organizationDomain: domainOf(req), code }
    try {
      const requestId = requestIdOf(req)
      const outcome = await setPasswordAtPage(deps, {
        ...arrived,
        plainText,
        browserSecret: secret,
        requestId,
      })
      if (outcome === 'refused') {
        const frame = pageFrame(req, organization, {})
        sendPage(site, res.status(404), errorPage(frame, frame.texts.deadLink), frame)
        return
      }
      if ('fault' in outcome) {
        const { open } = outcome
        const frame = pageFrame(req, organization, { open, code })
        const fault = outcome.fault.code
        sendPage(
          site,
          res.status(422),
          formPage({ frame, open, code, secret, fault }),
          destinationOf(frame, open),
        )
        return
      }
      if (outcome.redirectUrl === undefined) {
        const frame = pageFrame(req, organization, {})
        sendPage(site, res, passwordSetPage({ frame }), frame)
        return
      }
      res.status(303).set(pageHeaders(isHttps)).set('Location', outcome.redirectUrl).end()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'rate_limited') throw error
      const frame = pageFrame(req, organization, { code })
      if (error.retryAfterSeconds !== undefined) res.set('Retry-After', String(error.retryAfterSeconds))
      sendPage(site, res.status(429), errorPage(frame, frame.texts.tooMany), frame)
    }
  }

  function formPage({ frame, open, code, secret, fault }: FormView): string {
    return setPasswordPage({
      frame,
      form: {
        action: `/t/${open.domain}/set-password?ui_locales=${frame.texts.lang}`,
        csrf: toCsrfField(secret, code),
      },
      // Whole: whoever has the code reads the mails of the address, and password managers keep the name that they see.
      email: open.email,
      minLength: open.min_length,
      maxLength: open.max_length,
      isRenewal: false,
      fault,
      passwordCode: code,
    })
  }

  /** Without its code the page cannot be shown again. */
  function pageFrame(
    req: Request,
    organization: PublicOrganization | undefined,
    { open, code = '' }: { readonly open?: OpenCode | undefined; readonly code?: string },
  ): Frame {
    return frameOf(site, req, {
      organization,
      isSandbox: open?.environment === 'sandbox',
      url: code === '' ? undefined : `${req.path}?password_code=${encodeURIComponent(code)}`,
    })
  }
}

function destinationOf({ organization }: Frame, { redirect_uri: redirectUri }: OpenCode): Destination {
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
