import type { DirectoryProvider, ScimQuirk, ScimRequest } from '@portico/contract/directory-sync'
import type { ExtensionSchema } from '@portico/contract/attribute-mapping'
import type { Transaction } from 'kysely'
import type { ResourceSchemas } from '../../directory/directory-sync/schema-path.js'
import type { Mapping } from '../../directory/users/mapped-values.js'
import type { CoveredDomains } from '../../directory/domains/authority.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

/** The authenticated provider of a directory. Its organization is the tenant's. */
export interface ScimCaller {
  readonly tenant: Tenant
  readonly organizationId: string
  readonly directoryId: string
  readonly providerType: DirectoryProvider
  readonly takesOverUsers: boolean
  /** Of users: those of the service, and those that the directory declares. */
  readonly userSchemas: ResourceSchemas
  readonly extensionSchemas: readonly ExtensionSchema[]
  /** Null without rules. */
  readonly mapping: Mapping | null
  /** The attributes that rules of roles name. */
  readonly roleAttributes: readonly string[]
  /** allowed_email_domains of the organization; null or empty: any address. */
  readonly allowedEmailDomains: readonly string[] | null
  /** Domains of the organization that it or one of its connections names, and that count. */
  readonly trustedEmailDomains: CoveredDomains
  /** `{base_url}/scim/v2/<directory id>`, the prefix of the URLs of resources. */
  readonly baseUrl: string
  /** Logs the outcome of the request in the directory's log, in the transaction of its change. */
  readonly log: (trx: Transaction<DB>, answer: ScimAnswer) => Promise<void>
}

/** The key of a directory in statements on its rows. */
export type DirectoryKey = Pick<ScimCaller, 'organizationId' | 'directoryId'> &
  Pick<Tenant, 'accountId' | 'environment'>

export function keyOf({ tenant, organizationId, directoryId }: ScimCaller): DirectoryKey {
  const { accountId, environment } = tenant
  return { accountId, environment, organizationId, directoryId }
}

/** The parsed request of an operation; the body is undefined without one. */
export interface ScimCall {
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** Tags of If-Match; undefined: any. */
  readonly ifMatch: readonly string[] | undefined
  /** Notes an accepted deviation from RFC 7644, for the log. */
  readonly quirk: (name: ScimQuirk) => void
}

/** The answer of an operation, with the data for its log entry. */
export interface ScimAnswer {
  readonly status: 200 | 201 | 204 | 304
  /** The resource or list; absent with 204 and 304. */
  readonly body?: object
  /** The ETag of the resource. */
  readonly tag?: string
  /** Of a created resource. */
  readonly location?: string
  readonly changes: ScimRequest['changes']
  readonly userId?: string
  /** The address in the request, if it names no user. */
  readonly email?: string
  /** Already logged, in the transaction of its change. */
  readonly isLogged?: true
}

/** The SCIM operations on a resource type. The id is from the path; the resource may not exist. */
export interface ScimOperations {
  list(caller: ScimCaller, call: ScimCall): Promise<ScimAnswer>
  create(caller: ScimCaller, call: ScimCall): Promise<ScimAnswer>
  get(caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer>
  replace(caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer>
  patch(caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer>
  delete(caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer>
}
