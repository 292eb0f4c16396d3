import { environments, type Environment } from '@portico/contract/fields'
import { maxCredentialBytes } from '@portico/contract/passkey-credentials'
import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { displayName } from '../../platform/display-name.js'
import { formReader } from '../../platform/http/body.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { findOwnAccount } from '../../sign-in/own-account/own-account.js'
import { findReturnLink } from '../../sign-in/own-account/return-link.js'
import { isFresh, isPasskeyAsked, isRecent } from '../../sign-in/own-account/own-session.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import type { Frame } from '../frame/layout.js'
import { allTexts } from '../frame/locale.js'
import { messageUrl } from '../frame/message.js'
import { pageHeaders } from '../frame/page-headers.js'
import { keepFlowSecret, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { clearSessionCookie } from '../frame/session-cookie.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { findVisitor, frameOfVisitor, tenantOfVisitor, visitAt, type Visitor } from '../frame/visitor.js'
import { onceShown } from '../steps/user-flow.js'
import { accountPage } from '../views/account.js'
import { accountDeletedPage } from '../views/account-delete.js'
import { signedOutPage } from '../views/sign-out.js'
import {
  isSectionName,
  toAccountPath,
  toCameFrom,
  type AccountPlace,
  type SectionName,
} from '../frame/account-path.js'
import { beginSignIn, endSignIn, type ProvedAnew } from './account-sign-in.js'
import { dataSection } from './data.js'
import { deleteSection } from './delete.js'
import { emailSection } from './email.js'
import { linkedSection } from './linked.js'
import { passkeysSection } from './passkeys.js'
import { passwordSection } from './password.js'
import { profileSection } from './profile.js'
import { secondFactorSection } from './second-factor.js'
import { sessionsSection } from './sessions.js'
import type { ExportOwnData, Section, SectionRequest } from './section.js'

/**
 * Of a form, in bytes: quotes and brackets of the answer of an authenticator become longer in it. What is typed is no longer, so
 * that its rules refuse it and nothing is cut off or taken as empty.
 */
const maxFormBytes = 2 * maxCredentialBytes

/** An application has no longer URL. */
const maxReturnTo = 2_000

const sections: Readonly<Record<SectionName, Section>> = {
  profile: profileSection,
  email: emailSection,
  password: passwordSection,
  'second-factor': secondFactorSection,
  passkeys: passkeysSection,
  linked: linkedSection,
  sessions: sessionsSection,
  data: dataSection,
  delete: deleteSection,
}

/** The page on which users manage their own account. */
export function accountPageRouter(deps: Deps, site: Site, exportOwnData: ExportOwnData): Router {
  const otherwise = async (exchange: Exchange, status: number) => {
    const organization = await findOrganizationByDomain(deps, domainOf(exchange.req))
    const frame = frameOf(site, exchange.req, { organization, isSandbox: false, url: exchange.req.path })
    sendSentence(exchange, status, frame, 'notSignedIn')
  }
  const show = (exchange: Exchange) => showPage(exchange, exportOwnData)
  const take = (exchange: Exchange) => takeForm(exchange, exportOwnData)
  return pageRouter(deps, site, [
    { path: '/account/signed-in', visit: endSignIn },
    { path: '/t/:org_domain/account', visit: show, otherwise },
    {
      path: '/t/:org_domain/account/:section',
      isThere: ({ params }) => isSectionName(String(params['section'])),
      visit: show,
      read: [formReader(maxFormBytes)],
      post: take,
      otherwise,
    },
  ])
}

async function showPage(exchange: Exchange, exportOwnData: ExportOwnData): Promise<void> {
  const { site, res } = exchange
  const arrived = await arrive(exchange)
  if (arrived === undefined) return
  const { visitor, section } = arrived
  const { organization } = visitor
  const missing = section?.needsFresh === true ? await findMissing(exchange, visitor) : undefined
  if (missing !== undefined) {
    await beginSignIn(exchange, { organization, place: arrived.place, anew: missing })
    return
  }
  const secret = keepFlowSecret(exchange)
  const request = await toRequest(exchange, arrived, { secret, exportOwnData })
  if (request === undefined) return
  const page = section === undefined ? await firstPage(request, arrived.place) : await section.show(request)
  sendPage(site, res, page, { organization })
}

async function takeForm(exchange: Exchange, exportOwnData: ExportOwnData): Promise<void> {
  const { site, req, res } = exchange
  const arrived = await arrive(exchange)
  if (arrived === undefined) return
  const { visitor, section, place } = arrived
  const { organization, session } = visitor
  const secret = secretOfOurForm(req, site, session.sessionId)
  if (secret === undefined) {
    sendSentence(exchange, 403, frameOfVisitor(exchange, visitor), 'otherBrowser')
    return
  }
  const request = await toRequest(exchange, arrived, { secret, exportOwnData })
  if (request === undefined) return
  const name = request.field('action')
  const action =
    section !== undefined && Object.hasOwn(section.actions, name) ? section.actions[name] : undefined
  // The operations check it once more, in their transaction. Before that nothing is hashed, counted or shown again.
  const isLate =
    section?.needsFresh === true &&
    section.actionsAnytime?.includes(name) !== true &&
    (await findMissing(exchange, visitor)) !== undefined
  const outcome = action === undefined ? 'done' : isLate ? 'stale' : await action(request)
  if (outcome === 'done') {
    redirect(exchange, `${toAccountPath(place)}${action === undefined ? '' : '&done=1'}`)
    return
  }
  if (outcome === 'stale') {
    // The form is not sent again: who comes back sees what they are about to change.
    const isThere = await findVisitor(exchange, organization, place.environment)
    const anew = isThere && ((await findMissing(exchange, isThere)) ?? wholly(isThere))
    await beginSignIn(exchange, { organization, place, anew })
    return
  }
  if (outcome === 'signed_out') {
    sendEnd(exchange, visitor, (frame) =>
      signedOutPage({ frame: { ...frame, url: messageUrl(frame, 'signed-out') } }),
    )
    return
  }
  if (outcome === 'deleted') {
    const elsewhere = await findReturn(request, place)
    sendEnd(exchange, visitor, (frame) => accountDeletedPage({ frame: { ...onceShown(frame), elsewhere } }))
    return
  }
  if ('json' in outcome) {
    const { fileName, json } = outcome
    res.set(pageHeaders(site.isHttps)).set('Content-Disposition', `attachment; filename="${fileName}"`)
    res.type('json').send(json)
    return
  }
  const { status, page, retryAfterSeconds } = outcome
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
  sendPage(site, res.status(status), page, { organization })
}

/** What has to be proved before a section is shown; undefined where the session is fresh. */
async function findMissing(exchange: Exchange, visitor: Visitor): Promise<ProvedAnew | undefined> {
  const { deps, req } = exchange
  const { session } = visitor
  const at = deps.now()
  const isPasskeyHeld = await isPasskeyAsked(deps, tenantOfVisitor(requestIdOf(req), visitor), session)
  if (isFresh(at, { ...session, isPasskeyHeld })) return undefined
  // A session of now that lacks the passkey alone takes it in addition.
  const isAddition = isPasskeyHeld && isRecent(at, session) && !session.amr.includes('mfa')
  return { email: session.email, isPasskeyAsked: isPasskeyHeld, isAddition }
}

/** A sign-in from the beginning. */
function wholly({ session: { email } }: Visitor): ProvedAnew {
  return { email, isPasskeyAsked: false, isAddition: false }
}

/** Says that the session of this browser has ended, which it forgets: with the account, where that was deleted. */
function sendEnd(exchange: Exchange, visitor: Visitor, toPage: (frame: Frame) => string): void {
  const { site, res } = exchange
  const { organization, environment } = visitor
  const owner = { organizationId: organization.organizationId, environment }
  res.append('Set-Cookie', clearSessionCookie(site.isHttps, owner))
  const frame = frameOfVisitor(exchange, visitor)
  sendPage(site, res, toPage(frame), frame)
}

interface Arrival {
  readonly visitor: Visitor
  readonly place: AccountPlace
  /** Undefined: the first page. */
  readonly section: Section | undefined
}

/** The visitor and the section; undefined when the answer is sent already: who is not signed in begins a sign-in. */
async function arrive(exchange: Exchange): Promise<Arrival | undefined> {
  const { deps, site, req } = exchange
  const organization = await findOrganizationByDomain(deps, domainOf(req))
  if (organization === undefined) {
    const frame = frameOf(site, req, { organization, isSandbox: false, url: req.path })
    sendSentence(exchange, 404, frame, 'notSignedIn')
    return undefined
  }
  const visitor = await findVisitor(exchange, organization)
  const section = sectionOf(exchange)
  const environment = visitor?.environment ?? namedEnvironment(req.query.environment)
  const place = {
    ...{ domain: organization.domain, section, environment, locale: localeOf(exchange) },
    cameFrom: toCameFrom(textOf(req.query.client_id), textOf(req.query.return_to, maxReturnTo)),
  }
  if (visitor !== undefined) return { visitor, place, section: section && sections[section] }
  await beginSignIn(exchange, { organization, place })
  return undefined
}

function sectionOf({ req }: Exchange): SectionName | undefined {
  const name = String(req.params['section'])
  return isSectionName(name) ? name : undefined
}

function namedEnvironment(named: unknown): Environment {
  return environments.find((environment) => environment === named) ?? 'production'
}

/** The language that the visitor has chosen on a page. */
function localeOf({ req }: Exchange): string | undefined {
  return allTexts.find(({ lang }) => lang === req.query.ui_locales)?.lang
}

async function toRequest(
  exchange: Exchange,
  { visitor, place }: Arrival,
  { secret, exportOwnData }: { readonly secret: string; readonly exportOwnData: ExportOwnData },
): Promise<SectionRequest | undefined> {
  const { deps, req } = exchange
  const { session, organization } = visitor
  const caller = tenantOfVisitor(requestIdOf(req), visitor)
  const tenant = { ...caller, cause: { ...caller.cause, visit: visitAt(req) } }
  const account = await findOwnAccount(deps, deps.db, tenant, session.userId)
  if (account === undefined) {
    // The user was deleted since the session was read.
    await beginSignIn(exchange, { organization, place })
    return undefined
  }
  const url = toAccountPath({ ...place, locale: undefined })
  const frame = { ...frameOfVisitor(exchange, visitor), url }
  const fields = formOf(req)
  const back = { label: frame.texts.account.back, url: toAccountPath({ ...place, section: undefined }) }
  return {
    deps,
    tenant,
    session: { userId: session.userId, sessionId: session.sessionId },
    account,
    frame: place.section === undefined ? frame : { ...frame, elsewhere: back },
    form: { action: toAccountPath(place), csrf: toCsrfField(secret, session.sessionId) },
    field: (name) => textOf(fields[name], maxFormBytes),
    exportOwnData,
    userAgent: req.headers['user-agent'],
    ip: req.ip ?? '',
    isDone: req.query.done === '1',
    linkOutcome: textOf(req.query.link),
  }
}

/** The link to the application that the visitor says to have come from, where the address is one of it. */
async function findReturn(
  { deps, tenant, frame }: SectionRequest,
  { cameFrom }: AccountPlace,
): Promise<Frame['elsewhere']> {
  const name = cameFrom && (await findReturnLink(deps, tenant, cameFrom))
  return cameFrom === undefined || name === undefined
    ? undefined
    : { label: frame.texts.account.backTo(displayName(name)), url: cameFrom.returnTo }
}

async function firstPage(request: SectionRequest, place: AccountPlace): Promise<string> {
  const { frame, account } = request
  const { states } = frame.texts.account
  return accountPage({
    frame: { ...frame, elsewhere: await findReturn(request, place) },
    email: account.email,
    states: {
      password: account.password.isSet ? states.passwordSet : states.passwordNotSet,
      'second-factor': account.codes.isOffered && account.codes.isEnrolled ? states.on : states.off,
      passkeys: states.passkeys(account.passkeyCount),
    },
    addressOf: (section) => toAccountPath({ ...place, section }),
    hidden: [
      ...(account.isEmailManaged ? (['email'] as const) : []),
      ...(account.password.isOffered ? [] : (['password'] as const)),
      ...(account.codes.isOffered || account.codes.isEnrolled ? [] : (['second-factor'] as const)),
      ...(account.arePasskeysOffered ? [] : (['passkeys'] as const)),
      ...(account.hasSocialSignIn ? [] : (['linked'] as const)),
      ...(account.isDeletionOffered || account.isDeletionRequestOffered ? [] : (['delete'] as const)),
    ],
  })
}
