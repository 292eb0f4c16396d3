import { ConnectionPath } from '@portico/contract/sso-connections'
import type { Request, Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { formReader } from '../../platform/http/body.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { acsUrlOf } from '../../sso/saml/service-provider.js'
import { testIdpFaults, type TestIdpFault } from '../../sso/test-idp/response.js'
import { answerAsTestIdp, findTestIdpVisit, type TestIdpVisit } from '../../sso/test-idp/test-idp.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import { keepFlowSecret, pageRouter, sendSentence, type Exchange } from '../frame/page-route.js'
import { formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { testIdpAnswerPage, testIdpPage } from '../views/test-idp.js'

const maxForm = 16 * 1024
const maxRequest = 4000
const emailForm = /^[^\s@<>]{1,64}@[^\s@<>]{1,189}$/

/** The built-in identity provider: its visitor chooses the asserted user and the fault of the response. */
export function testIdpRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/test-idp/:idp_id/sso',
      get: showChoice,
      read: [formReader(maxForm)],
      post: takeForm,
      otherwise: sendMissing,
    },
  ])
}

async function showChoice(exchange: Exchange): Promise<void> {
  const { deps, req } = exchange
  const asked = {
    samlRequest: parameter(req.query['SAMLRequest']),
    relayState: textOf(req.query['RelayState']),
  }
  const visit = await findTestIdpVisit(deps, idpIdOf(req), asked.samlRequest)
  if (visit === undefined) await sendMissing(exchange, 404)
  else await sendChoice(exchange, visit, { ...asked, email: '', fault: 'none', isInvalid: false })
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const form = formOf(req)
  const asked = { samlRequest: parameter(form['SAMLRequest']), relayState: textOf(form['RelayState']) }
  const visit = await findTestIdpVisit(deps, idpIdOf(req), asked.samlRequest)
  if (visit === undefined) {
    await sendMissing(exchange, 404)
    return
  }
  const frame = await frameAt(exchange, visit)
  if (secretOfOurForm(req, site, visit.connection.idpId) === undefined) {
    sendSentence(exchange, 403, frame, 'otherBrowser')
    return
  }
  const email = textOf(form['email']).trim() || textOf(form['user'])
  const fault = testIdpFaults.find((name) => name === form['fault']) ?? 'none'
  if (!emailForm.test(email)) {
    res.status(422)
    await sendChoice(exchange, visit, { ...asked, email, fault, isInvalid: true })
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
}

interface Choice {
  readonly samlRequest: string
  readonly relayState: string
  readonly email: string
  readonly fault: TestIdpFault
  readonly isInvalid: boolean
}

async function sendChoice(exchange: Exchange, visit: TestIdpVisit, choice: Choice): Promise<void> {
  const { site, res } = exchange
  const { idpId } = visit.connection
  const secret = keepFlowSecret(exchange)
  const asked = { SAMLRequest: choice.samlRequest, RelayState: choice.relayState }
  const url = `/test-idp/${idpId}/sso?${new URLSearchParams(asked).toString()}`
  const frame = { ...(await frameAt(exchange, visit)), url }
  const form = {
    action: `/test-idp/${idpId}/sso?ui_locales=${frame.texts.lang}`,
    csrf: toCsrfField(secret, idpId),
  }
  sendPage(site, res, testIdpPage({ frame, form, ...choice }), frame)
}

/** Answers everything that does not exist in the same way. */
async function sendMissing(exchange: Exchange, status: number): Promise<void> {
  const frame = await frameAt(exchange, undefined)
  sendSentence(exchange, status, frame, 'noTestIdp')
}

async function frameAt({ deps, site, req }: Exchange, visit: TestIdpVisit | undefined): Promise<Frame> {
  const organization = visit && (await findOrganizationByDomain(deps, visit.connection.domain))
  // No address: a link cannot repeat a POST.
  return frameOf(site, req, { organization, isSandbox: visit !== undefined, url: undefined })
}

function idpIdOf({ params }: Pick<Request, 'params'>): string {
  return ConnectionPath.parse(params).idp_id
}

function parameter(value: unknown): string {
  return textOf(value, maxRequest)
}
