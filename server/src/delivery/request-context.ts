import { OrganizationPath } from '@portico/contract/fields'
import type { Caller, Tenant } from '../platform/tenant.js'

/** The middleware's findings about a request. Handlers read them through requestIdOf, callerOf and tenantOf. */
interface RequestContext {
  readonly requestId: string
  caller?: Caller
  page?: string
}

const key = Symbol('request context')
/** An Express request, independent of the types of a route. */
interface AnyRequest {
  readonly params: unknown
}
type RequestWithContext = AnyRequest & { [key]?: RequestContext }

export function openContext(req: AnyRequest, requestId: string): void {
  ;(req as RequestWithContext)[key] = { requestId }
}

/** The API key of a request; undefined before authentication, and for a request that no middleware has seen. */
export function findCaller(req: AnyRequest): Caller | undefined {
  return (req as RequestWithContext)[key]?.caller
}

/** Names the page that answers a request, for the log and the metrics. */
export function setPage(req: AnyRequest, page: string): void {
  contextOf(req).page = page
}

/** The page that answers a request; undefined for one of the API. */
export function findPageName(req: AnyRequest): string | undefined {
  return (req as RequestWithContext)[key]?.page
}

function contextOf(req: AnyRequest): RequestContext {
  const context = (req as RequestWithContext)[key]
  if (context === undefined) throw new Error('the request has no context: openContext() must run first')
  return context
}

export function requestIdOf(req: AnyRequest): string {
  return contextOf(req).requestId
}

export function setCaller(req: AnyRequest, caller: Caller): void {
  contextOf(req).caller = caller
}

/** The API key of a request. */
export function callerOf(req: AnyRequest): Caller {
  const { caller } = contextOf(req)
  if (caller === undefined) throw new Error('the route has no caller: its access must be api_key')
  return caller
}

/** The organization that the path names, as the caller may see it. */
export function tenantOf(req: AnyRequest): Tenant {
  const { org_domain: domain } = OrganizationPath.parse(req.params)
  const { accountId, accountDomain, environment, organizationIds, cause } = callerOf(req)
  return { accountId, accountDomain, environment, organizationIds, cause, domain }
}
