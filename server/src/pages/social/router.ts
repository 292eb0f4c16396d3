import type { ErrorExtras } from '../frame/error.js'
import { pathId } from '@portico/contract/fields'
import type { NextFunction, Request, Response, Router } from 'express'
import { requestIdOf } from '../../delivery/request-context.js'
import type { Deps } from '../../delivery/deps.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { formReader } from '../../platform/http/body.js'
import { callerAtPage, findFlow } from '../../sign-in/flows/flow.js'
import type { SentAnswer } from '../../sso/oidc/validate-answer.js'
import { findProviderClient, type ProviderClient } from '../../sso/social/open-providers.js'
import { mailAddressCode } from '../../sso/social/prove-address.js'
import { openAnswer, sealAnswer, toPostedName } from '../../sso/social/posted-answer.js'
import { callbackOf } from '../../sso/social/provider-types.js'
import { receiveSocialAnswer, type PlaceOfFlow } from '../../sso/social/receive-answer.js'
import { isSocialRequestOpen } from '../../sso/social/request.js'
import { startSocialRequest } from '../../sso/social/start-request.js'
import { testProviderFaults, toTestCode, type TestGrant } from '../../sso/social/test-provider.js'
import { toAccountPath } from '../frame/account-path.js'
import { findFlowSecret, secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import { toLastProviderCookie } from '../frame/last-provider-cookie.js'
import type { Frame } from '../frame/layout.js'
import { isNavigation } from '../frame/navigation.js'
import { keepFlowSecret, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { findSessionSecret } from '../frame/session-cookie.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { waitOf } from '../steps/limit.js'
import { returnPage } from '../views/identity-provider.js'
import { testProviderPage } from '../views/test-provider.js'

const maxForm = 16 * 1024
const maxParameter = 2_000

/** The addresses of social sign-in: the redirect to a provider and back, and the built-in provider of the sandbox. */
export function socialRouter(deps: Deps, site: Site): Router {
  const otherwise = (exchange: Exchange, status: number) =>
    sendFailure(exchange, status, 'unknownSocialProvider')
  const router = pageRouter(deps, site, [
    { path: '/t/:org_domain/sign-in/:flow_id/social', visit: goToProvider, otherwise },
    {
      path: '/social/:provider_id/callback',
      visit: takeAnswer,
      read: [formReader(maxForm)],
      post: takePostedAnswer,
      isFromElsewhere: true,
      otherwise,
    },
    {
      path: '/social/:provider_id/test',
      get: showTestProvider,
      read: [formReader(maxForm)],
      post: answerAsTestProvider,
      otherwise,
    },
  ])
  router.use(async (error: unknown, req: Request, res: Response, next: NextFunction) => {
    const wait = res.headersSent ? undefined : waitOf(error)
    if (wait === undefined) {
      next(error)
      return
    }
    await sendFailure({ deps, site, req, res }, 429, 'tooMany', wait)
  })
  return router
}

async function goToProvider(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const organizationDomain = domainOf(req)
  const flowId = Id.parse(req.params['flow_id'])
  const browserSecret = findFlowSecret(req.headers.cookie, site.isHttps)
  const flow = browserSecret && (await findFlow(deps, { organizationDomain, flowId, browserSecret }))
  // The page of the flow shows its current step, or that the flow belongs to another browser.
  if (!flow || flow.step !== 'social_provider' || flow.socialProviderId === null) {
    redirect(exchange, `/t/${organizationDomain}/sign-in/${flowId}`)
    return
  }
  const asking = { ...flow, socialProviderId: flow.socialProviderId }
  const url = await startSocialRequest(deps, { flow: asking, ip: req.ip ?? '', requestId: requestIdOf(req) })
  if (url === undefined) await sendFailure(exchange, 403, 'socialUnavailable', flow)
  else redirect(exchange, url)
}

async function takeAnswer(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  const browserSecret = findFlowSecret(req.headers.cookie, site.isHttps)
  const providerId = providerIdOf(req)
  const sealed = req.query['answer']
  const answer =
    sealed === undefined ? toSentAnswer(req.query) : openAnswer(deps, providerId, textOf(sealed, maxSealed))
  if (answer === undefined) return sendFailure(exchange, 403, 'socialRefused')
  const outcome = await receiveSocialAnswer(deps, {
    providerId,
    answer,
    browserSecret,
    sessionSecretOf: (owner) => findSessionSecret(req.headers.cookie, site.isHttps, owner),
    ip: req.ip ?? '',
    requestId: requestIdOf(req),
  })
  if (outcome.to === 'nowhere') return sendFailure(exchange, 404, 'unknownSocialProvider')
  if (outcome.to === 'refused') return sendFailure(exchange, 403, 'socialRefused', outcome)
  if (outcome.to === 'account') {
    const { domain, environment, link } = outcome
    const path = toAccountPath({ domain, environment, section: 'linked', locale: undefined })
    // A stale session signs in again at the section.
    redirect(exchange, link === 'stale' ? path : `${path}&${link === 'linked' ? 'done=1' : `link=${link}`}`)
    return
  }
  if (outcome.to !== 'denied')
    exchange.res.append('Set-Cookie', toLastProviderCookie(outcome.provider, site.isHttps))
  if (outcome.to === 'prove_address') await mailFirstCode(exchange, outcome, browserSecret ?? '')
  const denied = outcome.to === 'denied' ? '?social=denied' : ''
  redirect(exchange, `/t/${outcome.domain}/sign-in/${outcome.flowId}${denied}`)
}

/** Takes the form that Apple has a browser post, without our cookies: the browser goes on within this site, and has them. */
async function takePostedAnswer(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const known = await findProviderClient(deps, providerIdOf(req))
  if (known?.provider !== 'apple' || !isNavigation(req))
    return sendFailure(exchange, 404, 'unknownSocialProvider')
  const form = formOf(req)
  const answer = {
    ...toSentAnswer(form, maxPostedCode),
    name: toPostedName(textOf(form['user'], maxParameter)),
  }
  const sealed = sealAnswer(deps, known.providerId, answer)
  const frame = frameAt(exchange, undefined, known.environment === 'sandbox')
  const url = `${callbackOf(site.baseUrl, known.providerId)}?answer=${sealed}`
  sendPage(site, res, returnPage({ frame, url }), frame)
}

/** Mails the code to the address that the provider has named; the page can send another one where too many were sent. */
async function mailFirstCode(
  { deps, req }: Exchange,
  { domain: organizationDomain, flowId }: PlaceOfFlow,
  browserSecret: string,
): Promise<void> {
  const flow = await findFlow(deps, { organizationDomain, flowId, browserSecret })
  if (flow === undefined || flow.email === null) return
  const caller = { ...callerAtPage(flow, requestIdOf(req)), domain: flow.domain }
  try {
    await mailAddressCode(deps, caller, { flow, email: flow.email, ip: req.ip ?? '' })
  } catch (error) {
    if (waitOf(error) === undefined) throw error
  }
}

async function showTestProvider(exchange: Exchange): Promise<void> {
  const { req } = exchange
  const known = await findTestVisit(exchange, textOf(req.query['state'], maxParameter))
  if (known === undefined) return sendFailure(exchange, 404, 'unknownSocialProvider')
  const asked = askedOf((name) => req.query[name])
  const invented = {
    subject: 'ada',
    email: 'ada@awesome.example',
    isEmailVerified: true,
    fault: 'none',
  } as const
  return sendChoice(exchange, known, { ...asked, ...invented, isInvalid: false })
}

/** The request of a browser at the built-in provider, which must be an open one of ours. */
async function findTestVisit({ deps, req }: Exchange, state: string): Promise<ProviderClient | undefined> {
  const known = await findProviderClient(deps, providerIdOf(req))
  if (known?.provider !== 'test' || known.environment !== 'sandbox') return undefined
  return (await isSocialRequestOpen(deps, known, { state })) ? known : undefined
}

/** The parameters of the authorization request that come back, or go into the code. */
function askedOf(parameter: (name: string) => unknown) {
  const text = (name: string) => textOf(parameter(name), maxParameter)
  return { state: text('state'), nonce: text('nonce'), codeChallenge: text('code_challenge') }
}

interface Choice extends TestGrant {
  readonly state: string
  readonly isInvalid: boolean
}

async function sendChoice(exchange: Exchange, known: ProviderClient, choice: Choice): Promise<void> {
  const { site, res } = exchange
  const { providerId } = known
  const secret = keepFlowSecret(exchange)
  const { state, nonce, codeChallenge } = choice
  const asked = new URLSearchParams({ state, nonce, code_challenge: codeChallenge })
  const url = `/social/${providerId}/test?${asked.toString()}`
  const frame = { ...frameAt(exchange, undefined, true), url }
  const form = { action: url, csrf: toCsrfField(secret, providerId) }
  sendPage(site, res, testProviderPage({ frame, form, ...choice }), frame)
}

const emailForm = /^[^\s@<>]{1,64}@[^\s@<>]{1,189}$/

async function answerAsTestProvider(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const known = await findTestVisit(exchange, textOf(req.query['state'], maxParameter))
  if (known === undefined) return sendFailure(exchange, 404, 'unknownSocialProvider')
  if (secretOfOurForm(req, site, known.providerId) === undefined)
    return sendFailure(exchange, 403, 'otherBrowser')
  const form = formOf(req)
  const choice = {
    ...askedOf((name) => req.query[name]),
    subject: textOf(form['subject']).trim(),
    email: textOf(form['email']).trim(),
    isEmailVerified: form['verified'] === 'true',
    fault: testProviderFaults.find((name) => name === form['fault']) ?? 'none',
  } as const
  if (choice.subject === '' || !emailForm.test(choice.email)) {
    res.status(422)
    return sendChoice(exchange, known, { ...choice, isInvalid: true })
  }
  const { state, ...grant } = choice
  const answer = new URLSearchParams({
    state: choice.fault === 'wrong_state' ? 'another-state' : state,
    ...(choice.fault === 'denied' ? { error: 'access_denied' } : { code: toTestCode(deps, known, grant) }),
  })
  const frame = frameAt(exchange, undefined, true)
  const url = `${callbackOf(site.baseUrl, known.providerId)}?${answer.toString()}`
  // No redirect: it may end at an application, to which the form of this page does not lead (Content Security Policy, form-action).
  sendPage(site, res, returnPage({ frame, url }), frame)
}

type SocialSentence =
  | 'unknownSocialProvider'
  | 'socialRefused'
  | 'socialUnavailable'
  | 'otherBrowser'
  | 'tooMany'

/** Answers with one sentence that omits the reason, and the reference by which the account finds it. */
async function sendFailure(
  exchange: Exchange,
  status: number,
  name: SocialSentence,
  of: Partial<PlaceOfFlow> & Pick<ErrorExtras, 'retryAfterSeconds'> = {},
): Promise<void> {
  const { deps, req } = exchange
  const { domain, flowId, retryAfterSeconds } = of
  const organization = domain === undefined ? undefined : await findOrganizationByDomain(deps, domain)
  const frame = frameAt(exchange, organization, of.environment === 'sandbox')
  const back =
    domain === undefined || flowId === undefined
      ? undefined
      : { label: frame.texts.backToSignIn, url: `/t/${domain}/sign-in/${flowId}` }
  sendSentence(exchange, status, frame, name, { reference: requestIdOf(req), back, retryAfterSeconds })
}

function frameAt(
  { site, req }: Exchange,
  organization: Awaited<ReturnType<typeof findOrganizationByDomain>>,
  isSandbox: boolean,
): Frame {
  // No address: a link cannot repeat a POST.
  return frameOf(site, req, { organization, isSandbox, url: undefined })
}

const Id = pathId()

function providerIdOf({ params }: Pick<Request, 'params'>): string {
  return Id.parse(params['provider_id'])
}

const maxCodeLength = 8_000
/** Of Apple, whose codes have a hundred characters: sealed, an answer is longer, and stands in an address. */
const maxPostedCode = 1_000
/** Of a sealed answer, in characters of base64url. */
const maxSealed = 8_000

/** The authorization answer of a provider; a repeated parameter counts as missing. */
function toSentAnswer(query: Readonly<Record<string, unknown>>, maxCode = maxCodeLength): SentAnswer {
  const { error, iss } = query
  return {
    state: textOf(query['state']),
    code: textOf(query['code'], maxCode),
    error: error === undefined ? null : textOf(error),
    issuer: iss === undefined ? null : textOf(iss, maxParameter),
  }
}
