import { environments, type Environment } from '@portico/contract/fields'
import type { Call } from '../screens/call.js'
import { showForm, takeForm } from '../screens/act.js'
import { screenLabel } from '../screens/labels.js'
import { showList, showRecord } from '../screens/look.js'
import { toScreenDocument } from '../screens/frame.js'
import { addressOf, findScreen, screensOf, type ScreenAt } from '../screens/screen.js'
import type { Link, Outcome, Shown, Visit } from '../screens/visit.js'
import { newTimelessId } from '../platform/crypto/random.js'
import { requestIdOf } from '../delivery/request-context.js'
import { limit } from '../delivery/limits/limits.js'
import { secretOfOurForm, toCsrfField } from '../pages/frame/csrf.js'
import { keepFlowSecret, redirect, type Exchange } from '../pages/frame/page-route.js'
import { formOf, sendPage, textOf } from '../pages/frame/site.js'
import type { Caller } from '../platform/tenant.js'
import { findStaffOrAsk } from './entrance.js'
import { consoleLanguages, languageOf } from './languages.js'
import { consolePage, sendConsoleSentence } from './page.js'
import { resources } from './resources.js'
import { rightsOf } from './rights.js'
import { findSignInUrl } from './sign-in.js'
import type { Staff } from './visitor.js'

/** Of a member of staff in a minute. */
const viewLimit = limit('console', { windowSeconds: 60, most: () => 600 })
const changeLimit = limit('console-change', { windowSeconds: 60, most: () => 60 })

/** How long a sign-in counts as a proof, in milliseconds. */
const proofMs = 10 * 60 * 1000

const screens = screensOf(resources)

/** The first screens of the navigation, each without a parameter. */
const navigation = screens.filter(({ at }) => !at.includes(':'))

/** A page of the console: who asks for it, in which environment, and what the address names. */
export interface ConsoleVisit extends Visit {
  readonly staff: Staff
  readonly caller: Caller
  readonly exchange: Exchange
}

/** Answers an address below that of an environment. */
export function serveScreens(call: Call) {
  return {
    get: async (exchange: Exchange): Promise<void> => {
      const visit = await visitOf(exchange, call)
      if (visit === undefined) return
      const at = findScreen(screens, pathBelow(exchange))
      if (at === undefined) sendConsoleSentence(exchange, 404, 'notFound')
      else await answer(visit, await look(visit, at))
    },
    post: async (exchange: Exchange): Promise<void> => {
      const visit = await visitOf(exchange, call)
      if (visit === undefined) return
      const at = findScreen(screens, pathBelow(exchange))
      if (at === undefined || at.part === 'list' || at.part === 'record') {
        sendConsoleSentence(exchange, 404, 'notFound')
        return
      }
      if (!isOurForm(visit)) {
        sendConsoleSentence(exchange, 403, 'otherForm')
        return
      }
      await answer(visit, await takeForm(visit, at, formOf(exchange.req)))
    },
  }
}

function look(visit: ConsoleVisit, at: ScreenAt): Promise<Outcome> {
  const query = visit.exchange.req.query
  if (at.part === 'list') return showList(visit, at, query)
  return at.part === 'record' ? showRecord(visit, at, query) : showForm(visit, at)
}

/** Whether a form was sent by a page of this member of staff. */
export function isOurForm({ exchange: { req, site }, staff }: ConsoleVisit): boolean {
  return secretOfOurForm(req, site, staff.session.id) !== undefined
}

/** The visit of a member of staff; undefined when the answer was sent: the sign-in, or that there is no such page. */
export async function visitOf(exchange: Exchange, call: Call): Promise<ConsoleVisit | undefined> {
  const { deps, req, site } = exchange
  const environment = environments.find((known) => known === req.params['environment'])
  if (environment === undefined) {
    sendConsoleSentence(exchange, 404, 'notFound')
    return undefined
  }
  const staff = await findStaffOrAsk(exchange)
  if (staff === undefined) return undefined
  const { accountId, accountDomain } = staff.organization
  const counted = { accountId, environment: '', address: staff.user.id }
  await deps.limits.take(req.method === 'POST' ? changeLimit : viewLimit, counted)
  const { scopes, ...rights } = rightsOf(staff.roles, environment)
  const caller: Caller = {
    accountId,
    accountDomain,
    environment,
    id: staff.user.id,
    staff: { ...rights, isProved: isProved(exchange, staff) },
    scopes,
    organizationIds: null,
    cause: { requestId: requestIdOf(req), actor: { type: 'staff', id: staff.user.id }, params: () => ({}) },
  }
  return {
    exchange,
    staff,
    caller,
    call: (asked) => call(caller, asked),
    mayCall: (route) => rights.routes.has(route),
    language: languageOf(consolePage(exchange, req.path, staff.user.locale).frame.texts.lang),
    screens,
    base: baseOf(accountDomain, environment),
    baseUrl: site.baseUrl,
    environment,
    isProved: isProved(exchange, staff),
    csrf: toCsrfField(keepFlowSecret(exchange), staff.session.id),
    newKey: newTimelessId,
  }
}

/** Where others reach the service, a proof is a second factor; on one's own machine any sign-in. */
function isProved({ deps }: Exchange, { session }: Staff): boolean {
  const isFresh = deps.now().getTime() - session.authenticatedAt.getTime() < proofMs
  return isFresh && (!deps.config.isProduction || session.amr.includes('mfa'))
}

function baseOf(accountDomain: string, environment: Environment): string {
  return `/console/${accountDomain}/${environment}`
}

/** The path below that of the environment. */
function pathBelow({ req }: Exchange): string {
  const path: unknown = req.params['path']
  return Array.isArray(path) ? path.map(String).join('/') : textOf(path, 2000)
}

/** Sends what came of a visit. */
export async function answer(visit: ConsoleVisit, outcome: Outcome): Promise<void> {
  const { exchange, staff } = visit
  if ('location' in outcome) {
    redirect(exchange, outcome.location)
    return
  }
  if ('page' in outcome) {
    sendScreen(visit, outcome.page)
    return
  }
  // The form is shown again afterwards: what was typed is not kept over a sign-in.
  const to = exchange.req.originalUrl
  const url = await findSignInUrl(exchange.deps, staff.organization.accountDomain, { to, isStepUp: true })
  redirect(exchange, url ?? visit.base)
}

/** Sends a page within the frame of the console. */
export function sendScreen(visit: ConsoleVisit, shown: Shown): void {
  const { exchange, staff, environment, base, language, csrf } = visit
  const { site, req, res } = exchange
  const { words } = consolePage(exchange, req.path, staff.user.locale)
  const other: Environment = environment === 'sandbox' ? 'production' : 'sandbox'
  const { accountDomain } = staff.organization
  const page = toScreenDocument(
    {
      texts: { ...words.frame, lang: language.texts.lang },
      productName: site.productName,
      owner: accountDomain,
      environment,
      home: { label: words.frame.home, url: base },
      navigation: navigationOf(visit),
      other: {
        label: words.frame.switchTo(words.frame.environments[other]),
        url: inOtherEnvironment(visit, baseOf(accountDomain, other)),
      },
      languages: consoleLanguages.map(({ lang, name }) => ({
        lang,
        label: name,
        url: `${req.path}?ui_locales=${lang}`,
      })),
      person: staff.user.email,
      signOut: { action: `/console/${accountDomain}/sign-out`, csrf },
      styleUrls: [site.styleUrl, site.screensStyleUrl],
      scriptUrl: site.scriptUrl,
      url: req.path,
    },
    shown,
  )
  sendPage(site, res.status(shown.status), page, { organization: undefined })
}

function navigationOf({ language, mayCall, base }: Visit): readonly Link[] {
  return navigation
    .filter(({ list, record }) => mayCall(list?.route ?? record ?? ''))
    .map(({ key, at }) => ({
      label: screenLabel(language.labels, key)[0],
      url: `${base}/${addressOf(at, {})}`,
    }))
}

/** The same list; a record is of one environment. */
function inOtherEnvironment({ exchange, base }: ConsoleVisit, otherBase: string): string {
  const at = findScreen(screens, pathBelow(exchange))
  const isOfBoth = at === undefined || Object.keys(at.params).every((name) => name === 'org_domain')
  if (at === undefined) return otherBase
  const path = exchange.req.path.slice(base.length)
  return isOfBoth ? `${otherBase}${path}` : `${otherBase}/${addressOf(at.screen.at, at.params)}`
}
