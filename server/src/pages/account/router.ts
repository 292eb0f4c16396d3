import { environments, type Environment } from '@portico/contract/fields'
import { maxCredentialBytes } from '@portico/contract/passkeys'
import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { formReader } from '../../platform/http/body.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { findOwnAccount } from '../../sign-in/own-account/own-account.js'
import { isFresh } from '../../sign-in/own-account/own-session.js'
import { secretOfOurForm, toCsrfField } from '../frame/csrf.js'
import { allTexts } from '../frame/locale.js'
import { keepFlowSecret, pageRouter, redirect, sendSentence, type Exchange } from '../frame/page-route.js'
import { domainOf, formOf, frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { findVisitor, frameOfVisitor, tenantOfVisitor, type Visitor } from '../frame/visitor.js'
import { accountPage } from '../views/account.js'
import { isSectionName, toAccountPath, type AccountPlace, type SectionName } from '../frame/account-path.js'
import { beginSignIn, endSignIn } from './account-sign-in.js'
import { passkeysSection } from './passkeys.js'
import { passwordSection } from './password.js'
import { profileSection } from './profile.js'
import { secondFactorSection } from './second-factor.js'
import type { Section, SectionRequest } from './section.js'

/** Of the answer of an authenticator; above the maximum of passwords, so that the password policy refuses too long ones. */
const maxTypedLength = maxCredentialBytes

/** Of a form, in bytes: quotes and brackets of such an answer become longer in it. */
const maxBody = 2 * maxCredentialBytes

const sections: Readonly<Record<SectionName, Section>> = {
  profile: profileSection,
  password: passwordSection,
  'second-factor': secondFactorSection,
  passkeys: passkeysSection,
}

/** The page on which users manage their own account. */
export function accountPageRouter(deps: Deps, site: Site): Router {
  const otherwise = async (exchange: Exchange, status: number) => {
    const organization = await findOrganizationByDomain(deps, domainOf(exchange.req))
    const frame = frameOf(site, exchange.req, { organization, isSandbox: false, url: exchange.req.path })
    sendSentence(exchange, status, frame, 'notSignedIn')
  }
  return pageRouter(deps, site, [
    { path: '/account/signed-in', visit: endSignIn },
    { path: '/t/:org_domain/account', visit: show, otherwise },
    {
      path: '/t/:org_domain/account/:section',
      isThere: ({ params }) => isSectionName(String(params['section'])),
      visit: show,
      read: [formReader(maxBody)],
      post: take,
      otherwise,
    },
  ])
}

async function show(exchange: Exchange): Promise<void> {
  const { deps, site, res } = exchange
  const arrived = await arrive(exchange)
  if (arrived === undefined) return
  const { visitor, section } = arrived
  const { organization, session } = visitor
  const isStale = section?.needsFresh === true && !isFresh(deps.now(), session)
  if (isStale) {
    await beginSignIn(exchange, { organization, place: arrived.place, email: session.email })
    return
  }
  const secret = keepFlowSecret(exchange)
  const request = await toRequest(exchange, arrived, secret)
  if (request === undefined) return
  const page = section === undefined ? firstPage(request, arrived.place) : await section.show(request)
  sendPage(site, res, page, { organization })
}

async function take(exchange: Exchange): Promise<void> {
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
  const request = await toRequest(exchange, arrived, secret)
  if (request === undefined) return
  const name = request.field('action')
  const action =
    section !== undefined && Object.hasOwn(section.actions, name) ? section.actions[name] : undefined
  const outcome = action === undefined ? 'done' : await action(request)
  if (outcome === 'done') {
    redirect(exchange, `${toAccountPath(place)}${action === undefined ? '' : '&done=1'}`)
    return
  }
  if (outcome === 'stale') {
    // The form is not sent again: who comes back sees what they are about to change.
    const isThere = await findVisitor(exchange, organization, place.environment)
    await beginSignIn(exchange, { organization, place, ...(isThere && { email: isThere.session.email }) })
    return
  }
  const { status, page, retryAfterSeconds } = outcome
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
  sendPage(site, res.status(status), page, { organization })
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
  const place = { domain: organization.domain, section, environment, locale: localeOf(exchange) }
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
  secret: string,
): Promise<SectionRequest | undefined> {
  const { deps, req } = exchange
  const { session, organization } = visitor
  const tenant = tenantOfVisitor(requestIdOf(req), visitor)
  const account = await findOwnAccount(deps.db, tenant, session.userId)
  if (account === undefined) {
    // The user was deleted since the session was read.
    await beginSignIn(exchange, { organization, place })
    return undefined
  }
  const frame = frameOfVisitor(exchange, visitor)
  const fields = formOf(req)
  const back = { label: frame.texts.account.back, url: toAccountPath({ ...place, section: undefined }) }
  return {
    deps,
    tenant,
    session: { userId: session.userId, sessionId: session.sessionId },
    account,
    frame: place.section === undefined ? frame : { ...frame, elsewhere: back },
    form: { action: toAccountPath(place), csrf: toCsrfField(secret, session.sessionId) },
    field: (name) => textOf(fields[name], maxTypedLength),
    ip: req.ip ?? '',
    isDone: req.query.done === '1',
  }
}

function firstPage({ frame, account }: SectionRequest, place: AccountPlace): string {
  const { domain, environment } = place
  return accountPage({
    frame,
    email: account.email,
    addressOf: (section) => toAccountPath({ ...place, section }),
    sessionsUrl: `/t/${domain}/sessions?environment=${environment}`,
    isPasswordOffered: account.password.isOffered,
    arePasskeysOffered: account.arePasskeysOffered,
  })
}
