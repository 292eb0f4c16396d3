import type { Router } from 'express'
import type { Deps } from '../../../delivery/deps.js'
import { requestIdOf } from '../../../delivery/request-context.js'
import { ApiError } from '../../../platform/errors.js'
import {
  addOnboardingDomain,
  checkOnboardingDomain,
  listOnboardingDomains,
  nameOnboardingDomain,
} from '../../../sso/onboarding/email-domains.js'
import { reachedTenant } from '../../../sso/onboarding/reached-tenant.js'
import { toWait } from '../../frame/moments.js'
import { inChosenLanguage, redirect, type Exchange } from '../../frame/page-route.js'
import { formOf, sendPage, textOf, type Site } from '../../frame/site.js'
import { waitOf } from '../../steps/limit.js'
import { domainFaults, type DomainFault } from '../../texts/en/email-domains.js'
import { adminPageRouter, adminView, type Administrator } from '../admin-page/router.js'
import { domainsPage } from './page.js'

/** An administrator at the page of an environment that the invitation reaches. */
interface DomainsRequest extends Administrator {
  readonly environment: string
}

/** What the page says of a form that did nothing. */
interface Refused {
  readonly status: 409 | 422 | 429
  readonly entered?: string
  readonly fault?: DomainFault
  readonly notice?: 'notProved' | 'changed' | 'tooSoon'
  readonly retryAfterSeconds?: number | undefined
}

/** The page on which an administrator proves the domains of the organization. */
export function emailDomainsRouter(deps: Deps, site: Site): Router {
  return adminPageRouter(deps, site, {
    path: '/onboarding/email-domains/:environment',
    find: ({ req }, session) => {
      const environment = textOf(req.params['environment'])
      const isReached = reachedTenant(session, environment, '') !== undefined
      return Promise.resolve(isReached ? { environment } : undefined)
    },
    missing: 'noSuchDomains',
    show,
    act,
  })
}

/** Does what a button asks for, and leads back to the page; a refusal shows it with its reason. */
async function act(exchange: Exchange, request: DomainsRequest, action: string): Promise<void> {
  const { req } = exchange
  const does = Object.hasOwn(actions, action) ? actions[action] : undefined
  const refused = await does?.(exchange, request)
  if (refused !== undefined) await show(exchange, request, refused)
  else redirect(exchange, inChosenLanguage(exchange, req.path))
}

type Action = (exchange: Exchange, request: DomainsRequest) => Promise<Refused | undefined>

const actions: Readonly<Record<string, Action>> = { add, check, use }

async function add(
  { deps, req }: Exchange,
  { session, environment }: DomainsRequest,
): Promise<Refused | undefined> {
  const domain = textOf(formOf(req)['domain']).trim()
  if (domain === '') return { status: 422, fault: 'missing' }
  try {
    await addOnboardingDomain(deps, session, { environment, domain, requestId: requestIdOf(req) })
    return undefined
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    return { status: 422, fault, entered: domain }
  }
}

/** Why a domain is refused; undefined where the error is no refusal. */
function faultOf(error: unknown): DomainFault | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'domain_taken') return 'taken'
  if (error.code === 'domains_exhausted') return 'exhausted'
  const code = error.fields?.[0]?.code
  return domainFaults.find((one) => one === code)
}

async function check(
  { deps, req }: Exchange,
  { session, environment }: DomainsRequest,
): Promise<Refused | undefined> {
  const domainId = textOf(formOf(req)['domain_id'])
  try {
    await checkOnboardingDomain(deps, session, { environment, domainId, requestId: requestIdOf(req) })
    return undefined
  } catch (error) {
    const wait = waitOf(error)
    if (wait !== undefined) return { status: 429, notice: 'tooSoon', ...wait }
    return whyGone(error)
  }
}

async function use(
  { deps, req }: Exchange,
  { session, environment }: DomainsRequest,
): Promise<Refused | undefined> {
  const form = formOf(req)
  const named = { domainId: textOf(form['domain_id']), idpId: textOf(form['idp_id']) }
  try {
    const isNamed = await nameOnboardingDomain(deps, session, {
      ...named,
      environment,
      requestId: requestIdOf(req),
    })
    return isNamed ? undefined : { status: 409, notice: 'notProved' }
  } catch (error) {
    return whyGone(error)
  }
}

/** The domain or the connection has been removed since the page was shown, or never was the organization's. */
function whyGone(error: unknown): Refused {
  const isGone =
    error instanceof ApiError &&
    (error.code === 'domain_not_found' || error.code === 'sso_connection_not_found')
  if (!isGone) throw error
  return { status: 409, notice: 'changed' }
}

async function show(exchange: Exchange, request: DomainsRequest, refused?: Refused): Promise<void> {
  const { deps, site, res } = exchange
  const { session, environment } = request
  const view = await adminView(exchange, request, environment)
  const { status = 200, entered = '', fault, notice, retryAfterSeconds } = refused ?? {}
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds))
  const { lang, emailDomains: words } = view.frame.texts
  const told =
    notice === 'tooSoon' ? words.tooSoon(toWait(retryAfterSeconds ?? 60, lang)) : notice && words[notice]
  const { domains = [], connections = [] } = (await listOnboardingDomains(deps, session, environment)) ?? {}
  const page = domainsPage({ ...view, domains, connections, entered, fault, notice: told })
  sendPage(site, res.status(status), page, view.frame)
}
