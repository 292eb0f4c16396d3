import { sql, type RawBuilder } from 'kysely'
import { isAddressAllowed } from '../../directory/allowed-domain.js'
import { isUsableBy } from '../../directory/usable.js'
import { sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'
import type { IssuerKind, NamedIssuer } from '../../tokens/issuer.js'
import { toApplicationId } from './application-client.js'
import type { Client } from './client-authentication.js'
import { signInMethodsOf } from './key-client.js'

// What statements ask of a code or a family of refresh tokens, of what it belongs to, and of the client that presents it.

/** The client and endpoint of a request, as statements compare them with a code or a family. */
export interface Asker {
  /** Of the application, as it names itself or has authenticated; empty where a key authenticates for it. */
  readonly clientId: string
  /** Account and environment of the application; null where it has not authenticated. */
  readonly applicationAccountId: string | null
  readonly applicationEnvironment: string | null
  /** Whether a key has authenticated for the application. */
  readonly isKey: boolean
  /** Of the key; null without one. */
  readonly keyAccountId: string | null
  readonly keyEnvironment: string | null
  readonly keyOrganizationIds: readonly string[] | null
  /** The sign-in methods that the key may use. */
  readonly keyWays: readonly string[]
  /** The issuer whose endpoint was called; null: the service's own. */
  readonly endpointKind: IssuerKind | null
  readonly endpointDomain: string | null
  /** Of the page whose script sent the request; null outside browsers. */
  readonly origin: string | null
}

/** The client of a request, for statements. */
export function askerOf(request: {
  readonly client: Client
  readonly endpoint: NamedIssuer | undefined
  readonly origin: string | undefined
}): Asker {
  const { client } = request
  const key = client.by === 'api_key' ? client.key : undefined
  const application = client.by === 'application' ? client.application : undefined
  const named = client.by === 'nothing' ? toApplicationId(client.clientId ?? '') : ''
  return {
    clientId: application?.applicationId ?? named,
    applicationAccountId: application?.accountId ?? null,
    applicationEnvironment: application?.environment ?? null,
    isKey: key !== undefined,
    keyAccountId: key?.accountId ?? null,
    keyEnvironment: key?.environment ?? null,
    keyOrganizationIds: key?.organizationIds ?? null,
    keyWays: key === undefined ? [] : signInMethodsOf(key.scopes),
    endpointKind: request.endpoint?.kind ?? null,
    endpointDomain: request.endpoint?.domain ?? null,
    origin: request.origin ?? null,
  }
}

/** The parents of a code or a family, for the `from` and the `where` of a statement, in which it is called `granted`. */
export const grantParents = sql`sessions, users, applications, organizations, accounts`
// Without `sessions.user_id`, by which the planner would look for the session: its user may have many.
export const joinsGrantParents = sql<boolean>`(
  ${sameTenant('sessions', 'granted')}
  and sessions.id = granted.session_id
  and ${sameTenant('users', 'granted')}
  and users.id = granted.user_id
  and ${sameEnvironment('applications', 'granted')}
  and applications.id = granted.application_id
  and organizations.account_id = granted.account_id
  and organizations.id = granted.organization_id
  and accounts.id = granted.account_id
)`

/** Conditions on the parents of a code or a family, by the reason that is logged when one fails. */
export const parentConditions = {
  session_ended: sql<boolean>`sessions.ended_at is null`,
  user_inactive: sql<boolean>`(users.active and users.deleted_at is null)`,
  organization_deleted: sql<boolean>`organizations.deleted_at is null`,
  application_not_usable: isUsableBy(sql.ref('granted.organization_id')),
  email_domain_not_allowed: isAddressAllowed(sql.ref('users.email_normalized')),
}

/** Conditions on the client of a revocation, and of every grant, by reason. */
export function clientChecks(asker: Asker) {
  return {
    wrong_organization: sql<boolean>`(
      ${asker.endpointKind}::text is null or ${asker.endpointDomain} = case ${asker.endpointKind}
        when 'account' then accounts.domain else organizations.domain
      end
    )`,
    client_authentication_required: sql<boolean>`(
      applications.client_authentication = 'none' or ${asker.applicationAccountId}::uuid is not null
    )`,
    client_id_mismatch: sql<boolean>`(
      ${asker.isKey}::boolean or (granted.application_id::text = ${asker.clientId} and ${isInPlaceOf(asker)})
    )`,
    api_key_rejected: sql<boolean>`(
      case when ${asker.isKey}::boolean
        then granted.account_id = ${asker.keyAccountId}::uuid
          and granted.environment = ${asker.keyEnvironment}
          and (
            ${asker.keyOrganizationIds}::uuid[] is null
            or granted.organization_id = any(${asker.keyOrganizationIds}::uuid[])
          )
        else applications.code_exchange <> 'api_key'
      end
    )`,
  }
}

/** Whether an application that has authenticated is one of the account and environment of the code or family. */
function isInPlaceOf(asker: Asker) {
  return sql<boolean>`(
    ${asker.applicationAccountId}::uuid is null
    or (granted.account_id = ${asker.applicationAccountId}::uuid and granted.environment = ${asker.applicationEnvironment})
  )`
}

/**
 * Whether the application has authenticated, if it has to: without its credentials nobody can consume its code, or end its family
 * by a token that is used again.
 */
export function isAuthenticated(asker: Asker) {
  return sql<boolean>`(
    applications.client_authentication = 'none'
    or (
      ${asker.applicationAccountId}::uuid is not null
      and granted.application_id::text = ${asker.clientId}
      and ${isInPlaceOf(asker)}
    )
  )`
}

/** Conditions on the client of a grant, by reason. */
export function grantChecks(asker: Asker) {
  return {
    wrong_issuer: sql<boolean>`(
      ${asker.endpointKind}::text is null or (
        granted.issuer = ${asker.endpointKind}
        and (granted.issuer = 'organization' or accounts.domain = ${asker.endpointDomain})
      )
    )`,
    ...clientChecks(asker),
    insufficient_scope: sql<boolean>`(
      applications.code_exchange <> 'api_key' or granted.amr && ${asker.keyWays}::text[]
    )`,
    origin_not_allowed: sql<boolean>`(
      ${asker.origin}::text is null or ${asker.origin} = any(applications.allowed_origins_cors)
    )`,
  }
}

/** Conditions by the reason that is logged when one fails. */
type Demands = Readonly<Record<string, RawBuilder<boolean>>>

export function allOf(demands: Demands) {
  return sql<boolean>`(${sql.join(Object.values(demands), sql` and `)})`
}

/** The reason of the first condition that fails; null where all are met. */
export function firstFailed(demands: Demands) {
  const branches = Object.entries(demands).map(
    ([reason, isMet]) => sql`when not coalesce(${isMet}, false) then ${sql.lit(reason)}`,
  )
  return sql<string | null>`case ${sql.join(branches, sql` `)} end`
}
