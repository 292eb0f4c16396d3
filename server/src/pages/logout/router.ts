import { environments, type Environment } from '@portico/contract/fields'
import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { formReader } from '../../platform/http/body.js'
import { requestIdOf } from '../../delivery/request-context.js'
import {
  planSignOut,
  signOutAsPlanned,
  type RefusedSignOut,
  type SignOutFault,
  type SignOutPlace,
  type SignOutPlan,
} from '../../protocols/oidc/end-session.js'
import { findAccountByDomain } from '../../directory/organizations/find-account.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import {
  endEmailSession,
  findEmailSession,
  type EmailSession,
} from '../../sign-in/account-flows/email-session.js'
import type { IssuerKind } from '../../tokens/issuer.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import type { ErrorExtras } from '../frame/error.js'
import { clearEmailCookie, findEmailSecret } from '../frame/email-cookie.js'
import type { Frame } from '../frame/layout.js'
import { ownerOfAccount, type PageOwner } from '../frame/page-owner.js'
import { keepFlowSecret, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { clearSessionCookie, findSessionSecret, listSessionSecrets } from '../frame/session-cookie.js'
import {
  formOf,
  frameOf,
  issuerAt,
  pathsOfIssuers,
  sendPage,
  type PageDestination,
  type Site,
} from '../frame/site.js'
import { forgetPage, signedOutPage, signOutPage } from '../views/sign-out.js'

/** The accepted parameters, with their maximum lengths. */
const parameters = {
  id_token_hint: 8192,
  logout_hint: 100,
  client_id: 100,
  post_logout_redirect_uri: 2000,
  state: 2000,
  ui_locales: 300,
} as const
type Parameter = keyof typeof parameters

/** The end-session endpoint (OpenID Connect RP-Initiated Logout), for users and for applications. */
export function logoutRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: pathsOfIssuers('/logout'),
      visit: showForm,
      read: [formReader(32 * 1024)],
      post: takeForm,
      otherwise: (exchange, status) => {
        sendProblem(exchange, status, frameAt(exchange, undefined, undefined), 'invalidRequest')
      },
    },
  ])
}

async function showForm(exchange: Exchange): Promise<void> {
  const request = await findRequest(exchange)
  if (request === undefined) return
  const { deps, req } = exchange
  const { plan, place, proofs, frame, query } = request
  if (proofs.length > 0 || (plan.sessions.length > 0 && !plan.isHinted)) {
    const secret = keepFlowSecret(exchange)
    const form = { action: `${req.path}${query}`, csrf: toCsrfField(secret, csrfTopicOf(request)) }
    const isOfProof = proofs.length > 0
    const emails = [...new Set((isOfProof ? proofs : plan.sessions).map(({ email }) => email))]
    const page = (isOfProof ? forgetPage : signOutPage)({ frame, form, emails })
    send(exchange, 200, page, { ...frame, redirectUri: plan.redirectUrl })
    return
  }
  await signOutAsPlanned(deps, place, plan, requestIdOf(req))
  if (plan.isOfBrowser) await endProof(exchange, request)
  sendAway(exchange, request)
}

async function takeForm(exchange: Exchange): Promise<void> {
  const { deps, site, req } = exchange
  if (formOf(req)['action'] !== 'sign_out') {
    // A cross-site form comes without our cookies; the browser sends them with the GET that follows (SameSite=Lax).
    redirect(exchange, `${req.path}${queryOf(formOf(req))}`)
    return
  }
  const request = await findRequest(exchange)
  if (request === undefined) return
  const { plan, place, proofs, frame, query } = request
  if (plan.sessions.length === 0 && proofs.length === 0) {
    // The session has ended, or the cookies are missing as in a cross-site form: the GET that follows has them.
    redirect(exchange, `${req.path}${query}`)
    return
  }
  if (secretOfOurForm(req, site, csrfTopicOf(request)) === undefined) {
    sendProblem(exchange, 403, frame, 'otherBrowser')
    return
  }
  await signOutAsPlanned(deps, place, plan, requestIdOf(req))
  await endProof(exchange, request)
  sendAway(exchange, request)
}

/** Reads and validates a request; undefined when it was answered with an error page. */
async function findRequest(exchange: Exchange): Promise<LogoutRequest | undefined> {
  const { deps, req } = exchange
  const place = await findPlace(exchange)
  if (place === undefined) {
    sendProblem(exchange, 404, frameAt(exchange, undefined, undefined), 'invalidRequest')
    return undefined
  }
  const sent = readParameters(req.query)
  const plan = await planSignOut(deps, {
    place,
    idTokenHint: sent.id_token_hint,
    logoutHint: sent.logout_hint,
    clientId: sent.client_id,
    postLogoutRedirectUri: sent.post_logout_redirect_uri,
    state: sent.state,
    sessionSecretsOf: (environment) => secretsAt(exchange, place, environment),
  })
  if ('fault' in plan) {
    sendFault(exchange, place, plan)
    return undefined
  }
  const proofs = sent.id_token_hint === undefined ? await findProofs(exchange, place, plan) : []
  const frame = frameAt(exchange, place.owner, plan.environment ?? proofs[0]?.environment)
  return { plan, place, proofs, query: queryOf(req.query), frame }
}

/** What the browser has proved of mailboxes, where no session is left with which it would end. */
async function findProofs(
  { deps, site, req }: Exchange,
  { accountId, organization }: Place,
  { environment: named, sessions, isHinted }: SignOutPlan,
): Promise<EndingProof[]> {
  if (organization !== undefined || sessions.length > 0 || isHinted) return []
  const found = (named === undefined ? environments : [named]).map(async (environment) => {
    const owner = { accountId, environment }
    const secret = findEmailSecret(req.headers.cookie, site.isHttps, owner)
    const proof = secret === undefined ? undefined : await findEmailSession(deps, owner, secret)
    return proof === undefined ? [] : [{ ...proof, environment }]
  })
  return (await Promise.all(found)).flat()
}

/** Developers find in the log what is wrong, and on the page where the application is one of the sandbox. */
function sendFault(exchange: Exchange, { owner, accountId }: Place, refused: RefusedSignOut): void {
  const { deps, req } = exchange
  const { fault, environment } = refused
  const detail = logoutFaults[fault](issuerAt(req).kind)
  const line = { request_id: requestIdOf(req), account_id: accountId, environment, reason: fault, detail }
  deps.log.info(line, 'a sign-out request cannot be answered')
  const isSandbox = environment === 'sandbox'
  sendProblem(exchange, 400, frameAt(exchange, owner, environment), 'invalidRequest', {
    ...(isSandbox && { detail }),
  })
}

function sendProblem(
  exchange: Exchange,
  status: number,
  frame: Frame,
  name: 'invalidRequest' | 'otherBrowser',
  extras: Pick<ErrorExtras, 'detail'> = {},
): void {
  exchange.res.vary('Accept-Language')
  sendSentence(exchange, status, frame, name, extras)
}

/** The organization or the account that the address names. */
async function findPlace({ deps, site, req }: Exchange): Promise<Place | undefined> {
  const { kind, domain } = issuerAt(req)
  if (kind === 'account') {
    const account = await findAccountByDomain(deps, domain)
    return (
      account && {
        ...account,
        organization: undefined,
        owner: ownerOfAccount(site.productName, account.look),
      }
    )
  }
  const organization = await findOrganizationByDomain(deps, domain)
  return organization && { ...organization, organization, owner: organization }
}

/** Of an organization there is one cookie; which ones are of the account its sessions tell. */
function secretsAt({ site, req }: Exchange, { organization }: Place, environment: Environment): string[] {
  const { cookie } = req.headers
  if (organization === undefined) return listSessionSecrets(cookie, site.isHttps)
  const { organizationId } = organization
  const secret = findSessionSecret(cookie, site.isHttps, { organizationId, environment })
  return secret === undefined ? [] : [secret]
}

/**
 * Ends what the browser has proved of a mailbox, with the sessions that end: nobody comes back by it without a mail. Where the
 * user was not asked, and the hint is of no session of the browser, any website could do this.
 */
async function endProof(
  { deps, site, req, res }: Exchange,
  { plan, place, proofs }: LogoutRequest,
): Promise<void> {
  const { accountId } = place
  for (const { environment } of proofs.length > 0 ? proofs : [plan]) {
    if (environment === undefined) continue
    const owner = { accountId, environment }
    const secret = findEmailSecret(req.headers.cookie, site.isHttps, owner)
    if (secret === undefined) continue
    await endEmailSession(deps, owner, secret)
    res.append('Set-Cookie', clearEmailCookie(site.isHttps, owner))
  }
}

function sendAway(exchange: Exchange, { plan, place, frame }: LogoutRequest): void {
  const { req, res } = exchange
  const { isHttps } = exchange.site
  const { redirectUrl } = plan
  for (const owner of ownersOf(plan, place)) {
    // Without the cookie the request may come from another site, which must not delete it.
    if (findSessionSecret(req.headers.cookie, isHttps, owner) !== undefined)
      res.append('Set-Cookie', clearSessionCookie(isHttps, owner))
  }
  if (redirectUrl === undefined) send(exchange, 200, signedOutPage({ frame }), frame)
  else redirect(exchange, redirectUrl, redirectUrl)
}

/** The owners of the cookies that are worth nothing now. */
function ownersOf({ environment, sessions }: SignOutPlan, { organization }: Place) {
  if (organization === undefined) return sessions
  return environment === undefined ? [] : [{ organizationId: organization.organizationId, environment }]
}

function send({ site, res }: Exchange, status: number, page: string, of: PageDestination): void {
  sendPage(site, res.status(status).vary('Accept-Language'), page, of)
}

function frameAt(
  { site, req }: Exchange,
  organization: PageOwner | undefined,
  environment: Environment | undefined,
): Frame {
  const url = `${req.path}${queryOf({ ...req.query, ui_locales: undefined })}`
  return frameOf(site, req, { organization, isSandbox: environment === 'sandbox', url })
}

/** Advice for the developer of the application. */
const logoutFaults: Readonly<Record<SignOutFault, (kind: IssuerKind) => string>> = {
  id_token_hint: (kind) => `id_token_hint must be an ID token of this ${kind}.`,
  client_id: (kind) =>
    `client_id must be an application of this ${kind}, and the one that id_token_hint is for.`,
  post_logout_redirect_uri: () =>
    'post_logout_redirect_uri must be one of allowed_logout_urls, to the letter, of the application that id_token_hint or client_id names.',
}

interface LogoutRequest {
  readonly plan: SignOutPlan
  readonly place: Place
  /** What is to be forgotten; none while a session is left. */
  readonly proofs: readonly EndingProof[]
  readonly frame: Frame
  /** The parameters of the request, repeated in the target of the form; with the question mark, or empty. */
  readonly query: string
}

interface EndingProof extends EmailSession {
  readonly environment: Environment
}

/** A place, with the look of its pages. */
interface Place extends SignOutPlace {
  readonly organization: PublicOrganization | undefined
  readonly owner: PageOwner
}

/** Binds the form to the sessions, or the proofs, whose users the page has shown. */
function csrfTopicOf({ plan, proofs }: LogoutRequest): string {
  if (proofs.length > 0) return `forget:${proofs.map(({ emailSessionId }) => emailSessionId).join()}`
  return `logout:${plan.sessions.map(({ sessionId }) => sessionId).join()}`
}

/** Each parameter that was sent exactly once and is not too long. */
function readParameters(from: Readonly<Record<string, unknown>>): { readonly [Name in Parameter]?: string } {
  const entries = Object.entries(parameters).flatMap(([name, max]) => {
    const value = from[name]
    return typeof value === 'string' && value !== '' && value.length <= max ? [[name, value] as const] : []
  })
  return Object.fromEntries(entries)
}

function queryOf(from: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams(readParameters(from)).toString()
  return query === '' ? '' : `?${query}`
}
