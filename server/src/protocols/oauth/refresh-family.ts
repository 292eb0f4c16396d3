import { randomBytes } from 'node:crypto'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import { isAddressAllowed } from '../../directory/allowed-domain.js'
import { isUsableBy } from '../../directory/usable.js'
import { newId } from '../../platform/crypto/random.js'
import { fingerprints } from '../../platform/crypto/seal.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { companion, sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { toApplicationId } from './application-client.js'
import type { Client } from './client-authentication.js'
import { signInMethodsOf } from './key-client.js'
import type { ActClaim } from '../../tokens/claims.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import type { IssuerKind, NamedIssuer } from '../../tokens/issuer.js'
import { scopesOf } from '../../tokens/scopes.js'
import type { Grant } from './user-tokens.js'
import { sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** How long an application may refresh without its user, regardless of rotations. */
const lifetimeMs = 30 * 24 * 60 * 60 * 1000

/** How long the previous token of a client without authentication is accepted, which lost the answer or sent parallel requests. */
export const repeatableMs = 30_000

/** A refresh token: the handle of its family, and a secret for one use. */
interface RefreshToken {
  readonly handle: string
  readonly secret: string
}

const tokenForm = /^([\w-]{22})\.([\w-]{43})$/

/** Parses a refresh token; undefined when the text is malformed. */
export function readRefreshToken(text: string): RefreshToken | undefined {
  const [, handle, secret] = tokenForm.exec(text) ?? []
  return handle === undefined || secret === undefined ? undefined : { handle, secret }
}

/**
 * The candidates for the next secret, that of the current master key first. They are derived, not random, so that any
 * process answers a repeated refresh with the same secret without storing it.
 */
export function successorsOf({ keys }: Pick<Deps, 'keys'>, { handle, secret }: RefreshToken): string[] {
  const context = { purpose: 'refresh_token', scope: 'service', aad: `refresh_token_families:${handle}` }
  return fingerprints(keys.master, context, secret).map((digest) => digest.toString('base64url'))
}

/**
 * Creates a family of refresh tokens for the session of a code; reuse of the code ends the family.
 *
 * @returns The first token.
 */
export async function issueRefreshToken(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  grant: Grant,
): Promise<string> {
  const at = now()
  const handle = randomBytes(16).toString('base64url')
  const secret = randomSecret()
  await insertFamily(trx, {
    ...grant,
    id: newId(),
    claimsJson: grant.claims === null ? null : JSON.stringify(grant.claims),
    amr: [...grant.amr],
    familyHash: hashSecret(handle),
    tokenHash: hashSecret(secret),
    expiresAt: new Date(at.getTime() + lifetimeMs),
    at,
  })
  return `${handle}.${secret}`
}

interface NewFamily extends Grant {
  readonly id: string
  readonly claimsJson: string | null
  readonly familyHash: Buffer
  readonly tokenHash: Buffer
  readonly expiresAt: Date
  readonly at: Date
}

/** Inserts the family, and extends the session's offline access to the latest expiry of its families. */
const insertFamily = companion((db, row: NewFamily) => ({
  compile: () =>
    sql`
    with family as (
      insert into refresh_token_families (
        account_id, environment, organization_id, id, session_id, user_id, application_id, code_id, issuer, scope,
        claims, amr, authenticated_at, family_hash, token_hash, expires_at, inserted_at
      ) values (
        ${row.account_id}::uuid, ${row.environment}, ${row.organization_id}::uuid, ${row.id}, ${row.session_id}::uuid,
        ${row.user_id}, ${row.application_id}, ${row.code_id}, ${row.issuer}, ${row.scope},
        ${row.claimsJson}::jsonb, ${row.amr}, ${row.authenticated_at},
        ${row.familyHash}, ${row.tokenHash}, ${row.expiresAt}, ${row.at}
      ) returning account_id, environment, organization_id, session_id, expires_at, inserted_at
    )
    update sessions set
      offline_until = greatest(sessions.offline_until, family.expires_at),
      last_used_at = family.inserted_at
    from family
    where ${sameTenant('sessions', 'family')}
      and sessions.id = family.session_id`.compile(db),
}))

/** The client and endpoint of a request, as statements compare them with a family. */
export interface RefreshClient {
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
}): RefreshClient {
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

/**
 * The parents of a family, for the `from` and the `where` of a statement. The session's user keeps the planner from an
 * index scan over every session of the organization.
 */
export const familyParents = sql`sessions, users, applications, organizations, accounts`
// The user of the session is the family's. To say so has the planner find the session by its user, who may have many.
export const joinsFamilyParents = sql<boolean>`(
  ${sameTenant('sessions', 'family')}
  and sessions.id = family.session_id
  and ${sameTenant('users', 'family')}
  and users.id = family.user_id
  and ${sameEnvironment('applications', 'family')}
  and applications.id = family.application_id
  and organizations.account_id = family.account_id
  and organizations.id = family.organization_id
  and accounts.id = family.account_id
)`

/** Conditions on the parents of a family, by the reason that is logged when one fails. */
export const parentConditions = {
  session_ended: sql<boolean>`sessions.ended_at is null`,
  user_inactive: sql<boolean>`(users.active and users.deleted_at is null)`,
  organization_deleted: sql<boolean>`organizations.deleted_at is null`,
  application_not_usable: isUsableBy(sql.ref('family.organization_id')),
  email_domain_not_allowed: isAddressAllowed(sql.ref('users.email_normalized')),
}

/** Conditions on the client of a revocation, by reason. */
export function clientChecks(asker: RefreshClient) {
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
      ${asker.isKey}::boolean or (family.application_id::text = ${asker.clientId} and ${isInPlaceOf(asker)})
    )`,
    api_key_rejected: sql<boolean>`(
      case when ${asker.isKey}::boolean
        then family.account_id = ${asker.keyAccountId}::uuid
          and family.environment = ${asker.keyEnvironment}
          and (
            ${asker.keyOrganizationIds}::uuid[] is null
            or family.organization_id = any(${asker.keyOrganizationIds}::uuid[])
          )
        else applications.code_exchange <> 'api_key'
      end
    )`,
  }
}

/** Whether an application that has authenticated is one of the family's account and environment. */
function isInPlaceOf(asker: RefreshClient) {
  return sql<boolean>`(
    ${asker.applicationAccountId}::uuid is null
    or (family.account_id = ${asker.applicationAccountId}::uuid and family.environment = ${asker.applicationEnvironment})
  )`
}

/** Whether reuse may end a family: without credentials nobody can end that of an application which has to authenticate. */
export function mayEnd(asker: RefreshClient) {
  return sql<boolean>`(
    applications.client_authentication = 'none'
    or (
      ${asker.applicationAccountId}::uuid is not null
      and family.application_id::text = ${asker.clientId}
      and ${isInPlaceOf(asker)}
    )
  )`
}

/** Conditions on the client of a refresh, by reason. */
export function refreshChecks(asker: RefreshClient & { readonly scopes: readonly string[] }) {
  return {
    wrong_issuer: sql<boolean>`(
      ${asker.endpointKind}::text is null or (
        family.issuer = ${asker.endpointKind}
        and (family.issuer = 'organization' or accounts.domain = ${asker.endpointDomain})
      )
    )`,
    ...clientChecks(asker),
    insufficient_scope: sql<boolean>`(
      applications.code_exchange <> 'api_key' or family.amr && ${asker.keyWays}::text[]
    )`,
    origin_not_allowed: sql<boolean>`(
      ${asker.origin}::text is null or ${asker.origin} = any(applications.allowed_origins_cors)
    )`,
    invalid_scope: sql<boolean>`${asker.scopes}::text[] <@ string_to_array(family.scope, ' ')`,
  }
}

export function allOf(demands: Readonly<Record<string, RawBuilder<boolean>>>) {
  return sql<boolean>`(${sql.join(Object.values(demands), sql` and `)})`
}

/**
 * Whether a token is the current one of its family, or the previous one while that is still accepted: for half a minute, and where
 * the application authenticates until the current one is used, because without its credentials a stolen token is worth nothing.
 */
export function isCurrent(token: { readonly tokenHash: Buffer; readonly repeatableSince: Date }) {
  return sql<boolean>`(
    family.token_hash = ${token.tokenHash}
    or (
      family.previous_token_hash = ${token.tokenHash}
      and (applications.client_authentication <> 'none' or family.rotated_at > ${token.repeatableSince})
    )
  )`
}

interface PresentedToken {
  readonly accountId: string
  readonly environment: string
  readonly familyHash: Buffer
  readonly tokenHash: Buffer
  readonly repeatableSince: Date
  readonly at: Date
}

/** An active family of a tenant, with the columns that introspection answers. */
export const findActiveFamily = sqlStatement(
  (token: PresentedToken) => sql<ActiveFamily>`
    select family.account_id, family.environment, family.organization_id, organizations.domain, family.session_id,
      family.user_id, family.application_id, family.issuer, accounts.domain as account_domain, family.scope,
      family.amr, family.claims, sessions.act, family.authenticated_at, family.inserted_at, family.rotated_at, family.expires_at
    from refresh_token_families as family, ${familyParents}
    where family.family_hash = ${token.familyHash}
      and family.account_id = ${token.accountId}
      and family.environment = ${token.environment}
      and ${isCurrent(token)}
      and family.ended_at is null
      and family.expires_at > ${token.at}
      and ${joinsFamilyParents}
      and ${allOf(parentConditions)}`,
)

export interface ActiveFamily {
  readonly claims: RequestedClaims | null
  readonly account_id: string
  readonly environment: 'sandbox' | 'production'
  readonly organization_id: string
  readonly domain: string
  readonly session_id: string
  readonly user_id: string
  readonly application_id: string
  readonly issuer: IssuerKind
  readonly account_domain: string
  readonly scope: string
  readonly amr: string[]
  /** After a relay. */
  readonly act: ActClaim | null
  readonly authenticated_at: Date
  readonly inserted_at: Date
  readonly rotated_at: Date | null
  readonly expires_at: Date
}

/** The logged columns of a family whose token is refused or revoked. */
export interface LoggedFamily {
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
  readonly domain: string
  readonly user_id: string
  readonly application_id: string
  readonly email: string
}

/** The columns of LoggedFamily. */
export const knownColumns = sql`family.account_id, family.environment, family.organization_id, organizations.domain,
  family.user_id, family.application_id, users.email`

/** The scopes of a refresh: the requested subset of the granted ones, or all. openid stays, because it adds the ID token. */
export function narrowScope(granted: string, asked: readonly string[]): string {
  if (asked.length === 0) return granted
  return scopesOf(granted)
    .filter((scope) => scope === 'openid' || asked.includes(scope))
    .join(' ')
}
