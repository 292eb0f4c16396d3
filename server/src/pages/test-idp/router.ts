import { ConnectionPath } from '@portico/contract/sso-connections'
import express, { type Request, type Response, type Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { formReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { acsUrlOf } from '../../sso/saml/service-provider.js'
import { testIdpFaults, type TestIdpFault } from '../../sso/test-idp/response.js'
import { answerAsTestIdp, findTestIdpVisit, type TestIdpVisit } from '../../sso/test-idp/test-idp.js'
import { flowSecretOf, secretOfOurForm, toCsrfField, toFlowCookie } from '../frame/csrf.js'
import { errorPage } from '../frame/error.js'
import type { Frame } from '../frame/layout.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { testIdpAnswerPage, testIdpPage } from '../views/test-idp.js'

const ssoPath = '/test-idp/:idp_id/sso'

const maxForm = 16 * 1024
const maxRequest = 4000
const emailForm = /^[^\s@<>]{1,64}@[^\s@<>]{1,189}$/

/** The built-in identity provider: where a request of ours leads, and who is asked there whom to vouch for. */
export function testIdpRouter(deps: Deps, site: Site): Router {
  const { isHttps } = site
  const router = express.Router()

  router.get(ssoPath, async (req, res) => {
    const asked = {
      samlRequest: parameter(req.query['SAMLRequest']),
      relayState: textOf(req.query['RelayState']),
    }
    const visit = await findTestIdpVisit(deps, idpIdOf(req), asked.samlRequest)
    if (visit === undefined) await sendMissing(req, res, 404)
    else await sendChoice(req, res, visit, { ...asked, email: '', fault: 'none', isInvalid: false })
  })

  router.post(ssoPath, formReader(maxForm), async (req, res) => {
    const form = formOf(req)
    const asked = { samlRequest: parameter(form['SAMLRequest']), relayState: textOf(form['RelayState']) }
    const visit = await findTestIdpVisit(deps, idpIdOf(req), asked.samlRequest)
    if (visit === undefined) {
      await sendMissing(req, res, 404)
      return
    }
    const frame = await frameAt(req, visit)
    if (secretOfOurForm(req, site, visit.connection.idpId) === undefined) {
      sendPage(site, res.status(403), errorPage(frame, frame.texts.otherBrowser), frame)
      return
    }
    const email = textOf(form['email']).trim() || textOf(form['user'])
    const fault = testIdpFaults.find((name) => name === form['fault']) ?? 'none'
    if (!emailForm.test(email)) {
      await sendChoice(req, res.status(422), visit, { ...asked, email, fault, isInvalid: true })
      return
    }
    const { requestId, connection } = visit
    const page = testIdpAnswerPage({
      frame,
      action: acsUrlOf(site.baseUrl, connection.idpId),
      samlResponse: await answerAsTestIdp(deps, connection, { email, fault, requestId }),
      relayState: asked.relayState,
    })
    sendPage(site, res, page, frame)
  })

  router.all(ssoPath, async (req, res) => {
    await sendMissing(req, res.set('Allow', 'GET, HEAD, POST'), 405)
  })

  return router

  interface Choice {
    readonly samlRequest: string
    readonly relayState: string
    readonly email: string
    readonly fault: TestIdpFault
    readonly isInvalid: boolean
  }

  async function sendChoice(req: Request, res: Response, visit: TestIdpVisit, choice: Choice): Promise<void> {
    const { idpId } = visit.connection
    const secret = flowSecretOf(req.headers.cookie, isHttps)
    res.append('Set-Cookie', toFlowCookie(secret, isHttps))
    const frame = await frameAt(req, visit)
    const form = {
      action: `/test-idp/${idpId}/sso?ui_locales=${frame.texts.lang}`,
      csrf: toCsrfField(secret, idpId),
    }
    sendPage(site, res, testIdpPage({ frame, form, ...choice }), frame)
  }

  /** One answer for all that is not there, whatever it is that is missing. */
  async function sendMissing(req: Request, res: Response, status: number): Promise<void> {
    const frame = await frameAt(req, undefined)
    const page = errorPage(frame, frame.texts.noTestIdp, frame.texts.reference(requestIdOf(req)))
    sendPage(site, res.status(status), page, frame)
  }

  async function frameAt(req: Request, visit: TestIdpVisit | undefined): Promise<Frame> {
    const organization = visit && (await findOrganizationByDomain(deps, visit.connection.domain))
    // Its address is not shown again: a form that was sent is not sent by a link.
    return frameOf(site, req, { organization, isSandbox: visit !== undefined, url: undefined })
  }
}

function idpIdOf({ params }: Pick<Request, 'params'>): string {
  return ConnectionPath.parse(params).idp_id
}

function parameter(value: unknown): string {
  return textOf(value, maxRequest)
}
