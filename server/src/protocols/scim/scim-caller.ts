import type { DirectoryProvider, ScimQuirk, ScimRequest } from '@portico/contract/directory-sync'
import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

/** The provider of a directory, which has proved itself by its secret. Its organization is the tenant's. */
export interface ScimCaller {
  readonly tenant: Tenant
  readonly organizationId: string
  readonly directoryId: string
  readonly providerType: DirectoryProvider
  readonly takesOverUsers: boolean
  /** allowed_email_domains of the organization; null or empty: any address. */
  readonly allowedEmailDomains: readonly string[] | null
  /** email_domains of the organization's SSO connections. */
  readonly connectedEmailDomains: readonly string[]
  /** `{base_url}/scim/v2/<directory id>`, of which the addresses of resources are made. */
  readonly baseUrl: string
  /** Puts what becomes of the request into the directory's log, in the transaction of its change. */
  readonly log: (trx: Transaction<DB>, answer: ScimAnswer) => Promise<void>
}

/** What statements on the rows of a directory say of it. */
export type DirectoryKey = Pick<ScimCaller, 'organizationId' | 'directoryId'> &
  Pick<Tenant, 'accountId' | 'environment'>

export function keyOf({ tenant, organizationId, directoryId }: ScimCaller): DirectoryKey {
  const { accountId, environment } = tenant
  return { accountId, environment, organizationId, directoryId }
}

/** A request to an operation, already read from JSON; `undefined` without a body. */
export interface ScimCall {
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** Tags of If-Match; undefined: any. */
  readonly ifMatch: readonly string[] | undefined
  /** Takes what departs from RFC 7644 and was read all the same, for the log. */
  readonly quirk: (name: ScimQuirk) => void
}

/** What an operation answers, and what the log says of it. */
export interface ScimAnswer {
  readonly status: 200 | 201 | 204 | 304
  /** The resource or list; absent with 204 and 304. */
  readonly body?: object
  /** The ETag of the resource. */
  readonly tag?: string
  /** Of a resource that was made. */
  readonly location?: string
  readonly changes: ScimRequest['changes']
  readonly userId?: string
  /** The address that the request is about, where it names no user. */
  readonly email?: string
  /** It is in the log of the directory since its change is. */
  readonly isLogged?: true
}

/** An operation of SCIM on a resource type. The id is that of the path, not yet known to exist. */
export interface ScimOperations {
  list(caller: ScimCaller, call: ScimCall): Promise<ScimAnswer>
  create(caller: ScimCaller, call: ScimCall): Promise<ScimAnswer>
  get(caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer>
  replace(caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer>
  patch(caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer>
  delete(caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer>
}
