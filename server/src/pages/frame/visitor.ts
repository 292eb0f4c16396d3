import { environments, type Environment } from '@portico/contract/fields'
import { findBrowserSession, type BrowserSession } from '../../directory/sessions/browser-session.js'
import type { PublicOrganization } from '../../directory/organizations/find-organization.js'
import { toDevice } from '../../platform/device.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import type { Caller, Tenant, Visit } from '../../platform/tenant.js'
import { callerAtPage } from '../../sign-in/flows/flow.js'
import type { Frame } from './layout.js'
import type { Exchange } from './page-route.js'
import { findSessionSecret } from './session-cookie.js'
import { frameOf, textOf } from './site.js'

/** The user who is signed in in this browser, at an organization. */
export interface Visitor {
  readonly organization: PublicOrganization
  readonly environment: Environment
  readonly session: BrowserSession
}

/** Prefers production when a browser is signed in to both environments and the address names neither. */
export async function findVisitor(
  { deps, site, req }: Exchange,
  organization: PublicOrganization | undefined,
  named: unknown = req.query.environment,
): Promise<Visitor | undefined> {
  if (organization === undefined) return undefined
  const { accountId, organizationId } = organization
  const chosen = environments.filter((environment) => environment === named)
  for (const environment of chosen.length > 0 ? chosen : environments.toReversed()) {
    const secret = findSessionSecret(req.headers.cookie, site.isHttps, { organizationId, environment })
    if (secret === undefined) continue
    const session = await findBrowserSession(deps, { accountId, environment, organizationId, secret })
    if (session !== undefined) return { organization, environment, session }
  }
  return undefined
}

/** The frame of a page of the visitor. */
export function frameOfVisitor({ site, req }: Exchange, { organization, environment }: Visitor): Frame {
  return frameOf(site, req, {
    organization,
    isSandbox: environment === 'sandbox',
    url: `${req.path}?environment=${environment}`,
  })
}

/** The visitor as the caller of operations. */
export function tenantOfVisitor(
  requestId: string,
  { organization, environment, session }: Visitor,
): Caller & Tenant {
  const caller = callerAtPage({ ...organization, environment }, requestId, session.userId)
  return { ...caller, domain: organization.domain }
}

/** A request, as far as a mail about what it changes tells of it. */
interface Visiting {
  readonly ip?: string | undefined
  readonly headers: { readonly 'user-agent'?: string | undefined }
}

/** Where the request of a page comes from, as a mail about what it changes says. */
export function visitAt(req: Visiting): Visit {
  const { browser, system } = toDevice(req.headers['user-agent'] ?? null)
  const names = [browser, system].filter((name) => name !== undefined)
  return { browser: names.length === 0 ? null : names.join(', '), network: networkOfClient(req.ip ?? '') }
}

/** The address of a page of the visitor, with the chosen environment and language. */
export function addressOfVisitor({ req }: Pick<Exchange, 'req'>, { environment }: Visitor): string {
  const language = textOf(req.query.ui_locales)
  const chosen = new URLSearchParams({ environment, ...(language !== '' && { ui_locales: language }) })
  return `${req.path}?${chosen.toString()}`
}
