import type { KeyObject } from 'node:crypto'
import type { JsonWebKey } from '@portico/contract/oidc'
import { sql, type Kysely } from 'kysely'
import { toPublicKey, type Algorithm, type PublicJwk } from '../../platform/crypto/jwt.js'
import type { DB } from '../../platform/db/schema.js'
import {
  isOrganizationOf,
  ofEnvironment,
  ofOrganization,
  ofOwner,
} from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { issuingAccount, type KeyOwner } from './signing-keys.js'

/** The longest access token lives a day; an hour more allows for clocks and caches. */
const keptAfterMs = 25 * 60 * 60 * 1000

/** Public keys of an organization, or of an account as an issuer, in both environments that sign, will sign, or signed tokens that are still valid. */
export async function listPublishedKeys(
  db: Kysely<DB>,
  { accountId, organizationId }: Pick<KeyOwner, 'accountId' | 'organizationId'>,
  at: Date,
): Promise<JsonWebKey[]> {
  const rows = await db
    .selectFrom('signing_keys')
    .where(ofOrganization({ accountId, organizationId }))
    .where('environment', 'in', ['sandbox', 'production'])
    .where(isPublishedAt(at))
    .select('public_jwk')
    .orderBy('inserted_at', 'desc')
    .orderBy('kid')
    .execute()
  // generateSigningKey() makes them, and nothing else writes the column.
  return rows.map((row) => row.public_jwk as unknown as JsonWebKey)
}

/** A public key that verifies signatures. */
interface VerifyingKey {
  readonly algorithm: Algorithm
  readonly publicKey: KeyObject
}

/** A key that signs, or has signed, tokens of an organization's users. */
interface UserTokenKey extends VerifyingKey {
  readonly organizationId: string
  readonly organizationDomain: string
}

/** The kid of every key made here (RFC 7638). */
const thumbprint = /^[\w-]{43}$/

/** The published key of this kid for tokens of users; undefined when the account and environment have no such key. */
export async function findUserTokenKey(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountId, environment }: Pick<KeyOwner, 'accountId' | 'environment'>,
  kid: string,
): Promise<UserTokenKey | undefined> {
  if (!thumbprint.test(kid)) return undefined
  const row = await userTokenKeys(db, { accountId, environment }, kid)
    .where(isPublishedAt(now()))
    .executeTakeFirst()
  return row === undefined ? undefined : toUserTokenKey(row)
}

/**
 * The key of this kid that verifies an ID token of any age; undefined when the account and environment have no such key, or
 * it was revoked.
 */
export async function findHintKey(
  { db }: Pick<Deps, 'db'>,
  owner: Pick<KeyOwner, 'accountId' | 'environment'>,
  kid: string,
): Promise<UserTokenKey | undefined> {
  if (!thumbprint.test(kid)) return undefined
  const row = await userTokenKeys(db, owner, kid)
    .where('signing_keys.state', '<>', 'revoked')
    .executeTakeFirst()
  return row === undefined ? undefined : toUserTokenKey(row)
}

/** The same of the account as an issuer: no other key verifies what it has issued. */
export async function findAccountHintKey(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: Pick<KeyOwner, 'accountId' | 'environment'>,
  kid: string,
): Promise<VerifyingKey | undefined> {
  if (!thumbprint.test(kid)) return undefined
  const row = await db
    .selectFrom('signing_keys')
    .where(ofOwner(issuingAccount(accountId, environment)))
    .where('kid', '=', kid)
    .where('state', '<>', 'revoked')
    .select(['algorithm', 'public_jwk'])
    .executeTakeFirst()
  return row === undefined ? undefined : toVerifyingKey(row)
}

function userTokenKeys(
  db: Kysely<DB>,
  { accountId, environment }: Pick<KeyOwner, 'accountId' | 'environment'>,
  kid: string,
) {
  return db
    .selectFrom('signing_keys')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'signing_keys')))
    .where(ofEnvironment({ accountId, environment }, 'signing_keys'))
    .where('signing_keys.kid', '=', kid)
    .where('organizations.deleted_at', 'is', null)
    .select(['organizations.id', 'organizations.domain', 'signing_keys.algorithm', 'signing_keys.public_jwk'])
}

function toUserTokenKey({
  id,
  domain,
  ...key
}: KeyRow & { readonly id: string; readonly domain: string }): UserTokenKey {
  return { organizationId: id, organizationDomain: domain, ...toVerifyingKey(key) }
}

interface KeyRow {
  readonly algorithm: string
  readonly public_jwk: unknown
}

function toVerifyingKey(row: KeyRow): VerifyingKey {
  return {
    // generateSigningKey() makes them, and nothing else writes the columns.
    algorithm: row.algorithm as Algorithm,
    publicKey: toPublicKey(row.public_jwk as PublicJwk),
  }
}

/** Whether a key is in the key set of its owner: it signs, will sign, or signed tokens that are still valid. */
function isPublishedAt(at: Date) {
  return sql<boolean>`(
    signing_keys.state in ('next', 'active')
    or (signing_keys.state = 'retired' and signing_keys.retired_at > ${new Date(at.getTime() - keptAfterMs)})
  )`
}
