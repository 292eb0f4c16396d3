import { environments, type Environment } from '@portico/contract/fields'
import { limit } from '../delivery/limits/limits.js'
import { requestIdOf } from '../delivery/request-context.js'
import { secretOfOurForm, toCsrfField } from '../pages/frame/csrf.js'
import { keepFlowSecret, type Exchange } from '../pages/frame/page-route.js'
import { newTimelessId } from '../platform/crypto/random.js'
import type { Caller } from '../platform/tenant.js'
import type { Call } from '../screens/call.js'
import { screensOf } from '../screens/screen.js'
import type { Visit } from '../screens/visit.js'
import { findStaffOrAsk } from './entrance.js'
import { languageOf } from './languages.js'
import { consolePage, sendConsoleSentence } from './page.js'
import { resources } from './resources.js'
import { rightsOf } from './rights.js'
import type { Staff } from './visitor.js'

/** Of a member of staff in a minute. */
const viewLimit = limit('console', { windowSeconds: 60, most: () => 600 })
const changeLimit = limit('console-change', { windowSeconds: 60, most: () => 60 })

/** How long a sign-in counts as a proof, in milliseconds. */
const proofMs = 10 * 60 * 1000

/** The screens of the console. */
export const screens = screensOf(resources)

/** A page of the console: who asks for it, in which environment, and what the address names. */
export interface ConsoleVisit extends Visit {
  readonly staff: Staff
  readonly caller: Caller
  readonly exchange: Exchange
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
  if (staff.roles.length === 0) {
    sendConsoleSentence(exchange, 403, 'noRole')
    return undefined
  }
  const { accountId, accountDomain } = staff.organization
  const counted = { accountId, environment: '', address: staff.user.id }
  const { count, state } = await deps.limits.add(req.method === 'POST' ? changeLimit : viewLimit, counted)
  if (count > state.limit) {
    exchange.res.set('Retry-After', String(state.resetSeconds))
    sendConsoleSentence(exchange, 429, 'tooMany', { retryAfterSeconds: state.resetSeconds })
    return undefined
  }
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

/** The address of an environment. */
export function baseOf(accountDomain: string, environment: Environment): string {
  return `/console/${accountDomain}/${environment}`
}
