import { randomBytes } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { fingerprints } from '../../platform/crypto/seal.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { ActClaim } from '../../tokens/claims.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import type { IssuerKind } from '../../tokens/issuer.js'
import { scopesOf } from '../../tokens/scopes.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import { allOf, grantParents, joinsGrantParents, parentConditions } from './grant-conditions.js'

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

/** What is stored of a family that begins, and of its first token. */
export interface NewFamily {
  readonly newFamilyId: string
  readonly newFamilyHash: Buffer
  readonly newTokenHash: Buffer
  readonly newFamilyExpiresAt: Date
  /** When it begins. */
  readonly at: Date
}

/** Makes the first token of a family. */
export function newRefreshToken(at: Date): { readonly refreshToken: string; readonly family: NewFamily } {
  const handle = randomBytes(16).toString('base64url')
  const secret = randomSecret()
  return {
    refreshToken: `${handle}.${secret}`,
    family: {
      newFamilyId: newId(),
      newFamilyHash: hashSecret(handle),
      newTokenHash: hashSecret(secret),
      newFamilyExpiresAt: new Date(at.getTime() + lifetimeMs),
      at,
    },
  }
}

/**
 * Inserts the family of a code that is exchanged for tokens with offline access, and extends the session's offline access to the
 * latest expiry of its families; reuse of the code ends the family. The parts `family` and `used` of the statement that consumes the
 * code, from its rows of `decided`, which are made when the session is locked.
 */
export function insertFamily(row: NewFamily): RawBuilder<unknown> {
  return sql`family as (
      insert into refresh_token_families (
        account_id, environment, organization_id, id, session_id, user_id, application_id, code_id, issuer, scope,
        claims, amr, authenticated_at, family_hash, token_hash, expires_at, inserted_at
      )
      select decided.account_id, decided.environment, decided.organization_id, ${row.newFamilyId}::uuid, decided.session_id,
        decided.user_id, decided.application_id, decided.code_id, decided.issuer, decided.scope,
        decided.claims, decided.amr, decided.authenticated_at,
        ${row.newFamilyHash}::bytea, ${row.newTokenHash}::bytea, ${row.newFamilyExpiresAt}::timestamptz, ${row.at}::timestamptz
      from decided
      where decided.reason is null and 'offline_access' = any(string_to_array(decided.scope, ' '))
      returning account_id, environment, organization_id, session_id, expires_at, inserted_at
    ), used as (
      update sessions set
        offline_until = greatest(sessions.offline_until, family.expires_at),
        last_used_at = family.inserted_at
      from family
      where ${sameTenant('sessions', 'family')}
        and sessions.id = family.session_id
    )`
}

/**
 * Whether a token is the current one of its family, or the previous one while that is still accepted: for half a minute, and where
 * the application authenticates until the current one is used, because without its credentials a stolen token is worth nothing.
 */
export function isCurrent(token: { readonly tokenHash: Buffer; readonly repeatableSince: Date }) {
  return sql<boolean>`(
    granted.token_hash = ${token.tokenHash}
    or (
      granted.previous_token_hash = ${token.tokenHash}
      and (applications.client_authentication <> 'none' or granted.rotated_at > ${token.repeatableSince})
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
    select granted.account_id, granted.environment, granted.organization_id, organizations.domain, granted.session_id,
      granted.user_id, granted.application_id, granted.issuer, accounts.domain as account_domain, granted.scope,
      granted.amr, granted.claims, sessions.act, granted.authenticated_at, granted.inserted_at, granted.rotated_at, granted.expires_at
    from refresh_token_families as granted, ${grantParents}
    where granted.family_hash = ${token.familyHash}
      and granted.account_id = ${token.accountId}
      and granted.environment = ${token.environment}
      and ${isCurrent(token)}
      and granted.ended_at is null
      and granted.expires_at > ${token.at}
      and ${joinsGrantParents}
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
export const knownColumns = sql`granted.account_id, granted.environment, granted.organization_id, organizations.domain,
  granted.user_id, granted.application_id, users.email`

/** The scopes of a refresh: the requested subset of the granted ones, or all. openid stays, because it adds the ID token. */
export function narrowScope(granted: string, asked: readonly string[]): string {
  if (asked.length === 0) return granted
  return scopesOf(granted)
    .filter((scope) => scope === 'openid' || asked.includes(scope))
    .join(' ')
}
