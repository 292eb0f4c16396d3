import type { Identity } from '@portico/contract/users'
import { sql, type Transaction } from 'kysely'
import { insertFound } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Gathered } from './gathered.js'
import type { IdentityRow } from './record.js'
import { forgetRolesOfIdentities } from './roles-of-user.js'
import { ofTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'

/** A user as another issuer names them; unique within an organization and environment. */
export interface IdentityName {
  readonly kind: 'relay' | 'saml' | 'oidc' | 'social'
  /** The issuer of the organization for a relay, the connection's idp_id for SAML, `iss` for an OpenID or social provider. */
  readonly issuer: string
  readonly subject: string
}

/** An identity, and when its user authenticated at the issuer. */
export interface AssertedIdentity extends IdentityName {
  /** The SSO connection of the sign-in; null for a relay and a social provider. */
  readonly idpId: string | null
  /** As in the record of the user: relay, or saml.okta, oidc.entra_id, social.google and the like. */
  readonly provider: string
  /** The issuer's claims about the user. */
  readonly data: Identity['data']
  readonly authenticatedAt: Date
}

/**
 * Makes sign-ins by one identity wait for each other until the transaction ends, so that one of them creates the user.
 */
export async function lockIdentity(
  trx: Transaction<DB>,
  { accountId, environment, domain }: Tenant,
  { kind, issuer, subject }: IdentityName,
): Promise<void> {
  const name = ['identity', accountId, environment, domain, kind, issuer, subject].join(' ')
  await lock(trx, { name })
}

const lock = sqlStatement(
  ({ name }: { readonly name: string }) => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
)

/** An identity with the id of its row. */
export interface KnownIdentity extends AssertedIdentity {
  readonly id: string
}

/** An identity as it is read. */
export function toIdentityRow({ id, idpId, provider, data, authenticatedAt }: KnownIdentity): IdentityRow {
  return { id, idp_id: idpId, provider, data, authenticated_at_ms: authenticatedAt.getTime() }
}

/** An identity with its user. */
interface NewIdentity extends KnownIdentity {
  readonly userId: string
  /** The user came by it. */
  readonly hasCreatedUser: boolean
}

/** Stores the identity of a user: linkIdentity() is for one who was there before. */
export async function insertIdentity(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, userId, kind, issuer, subject, idpId, provider, data, authenticatedAt, hasCreatedUser }: NewIdentity,
): Promise<void> {
  await insertFound(trx, 'user_identities', {
    ...tenantColumns(tenant),
    user_id: userId,
    id,
    kind,
    issuer,
    subject,
    idp_id: idpId,
    provider,
    data: JSON.stringify(data),
    authenticated_at: authenticatedAt,
    has_created_user: hasCreatedUser,
    inserted_at: now(),
  }).execute()
}

/** Whether a user has an identity of an issuer, with any subject. */
export async function hasIdentityOfIssuer(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  { kind, issuer }: Omit<IdentityName, 'subject'>,
): Promise<boolean> {
  const known = await trx
    .selectFrom('user_identities')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('issuer', '=', issuer)
    .select('id')
    .limit(1)
    .executeTakeFirst()
  return known !== undefined
}

/** Deletes the identities of a user with the roles that they have given; a later sign-in by one of them is that of an unknown user. */
export async function forgetIdentities(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<void> {
  await forgetRolesOfIdentities(trx, { ...tenant, id: userId })
  await trx.deleteFrom('user_identities').where(ofTenant(tenant)).where('user_id', '=', userId).execute()
}

/** Those at social providers that were linked to the user. The one that they came by stays: its provider gives out the address. */
export async function forgetLinkedIdentities(
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<void> {
  await trx
    .deleteFrom('user_identities')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('kind', '=', 'social')
    .where('has_created_user', '=', false)
    .execute()
}

/** The identity by which a directory knows a user; whole-user.ts adds it last. */
export function identityOfDirectory(
  directory: { readonly id: string; readonly provider: string },
  user: { readonly externalId: string | null; readonly userName: string },
): IdentityRow {
  return {
    id: null,
    idp_id: directory.id,
    provider: `scim.${directory.provider}`,
    data: { external_id: user.externalId, user_name: user.userName },
    authenticated_at_ms: null,
  }
}

/** The identities by which users have signed in, oldest first. */
export const identities: Gathered<IdentityRow> = {
  name: 'identity',
  list: sql`jsonb_agg(jsonb_build_object(
    'id', identity.id, 'idp_id', identity.idp_id, 'provider', identity.provider, 'data', identity.data,
    'authenticated_at_ms', (extract(epoch from identity.authenticated_at) * 1000)::bigint
  ) order by identity.id)`,
  from: sql`user_identities identity`,
}

/** The identity of users by which their directory knows them. */
export const identityOfManager: Gathered<IdentityRow> = {
  name: 'known',
  list: sql`jsonb_agg(jsonb_build_object(
    'id', null, 'idp_id', directory.id, 'provider', 'scim.' || directory.provider_type,
    'data', jsonb_build_object('external_id', known.external_id, 'user_name', known.user_name),
    'authenticated_at_ms', null
  ))`,
  from: sql`directory_users known
    join directories directory
      on directory.account_id = known.account_id
      and directory.environment = known.environment
      and directory.organization_id = known.organization_id
      and directory.id = known.directory_id`,
}
