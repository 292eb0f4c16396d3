import type { JsonWebKey } from '@portico/contract/oidc'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { KeyObject } from 'node:crypto'
import { generateSigningKey, toPublicKey, type Algorithm, type PublicJwk } from '../../platform/crypto/jwt.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { activeSigningKey, insertSigningKey, type KeyOwner, type PreparedSigningKey } from './signing-keys.js'
import {
  isOrganizationOf,
  ofEnvironment,
  ofOrganization,
  ofOwner,
} from '../../platform/db/tenant-predicate.js'

/** How long a key is published before it signs, so that every verifier has it by then. */
export const publishedBeforeMs = 24 * 60 * 60 * 1000

/** The longest access token lives a day; an hour more allows for clocks and caches. */
const keptAfterMs = 25 * 60 * 60 * 1000

/** The kids of the keys whose state a rotation has changed. */
export interface Rotation {
  readonly made: string | undefined
  readonly activated: string | undefined
  readonly retired: string | undefined
  readonly revoked: readonly string[]
}

/**
 * Rotates an owner's keys of one algorithm as far as is due: publishes a next key; a day later activates it and retires the
 * active one. Idempotent; of two concurrent runs one acts.
 *
 * @param options `immediately` does all of it now; `revokesOthers` also revokes every other key, as after a leak: they
 *   leave the key set, and the API rejects every token that they signed. Verifiers that cache a key set beyond its max-age,
 *   and do not fetch it again for an unknown kid, reject tokens of the new key until they do.
 */
export async function rotateSigningKeys(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  owner: KeyOwner,
  algorithm: Algorithm,
  options: { readonly immediately?: boolean; readonly revokesOthers?: boolean } = {},
): Promise<Rotation> {
  await activeSigningKey(deps, deps.db, owner, algorithm)
  // Outside the transaction, because an RSA key takes a tenth of a second.
  const spare = await generateSigningKey(algorithm)
  return deps.db.transaction().execute(async (trx) => {
    const at = deps.now()
    await lockRotation(trx, owner, algorithm)
    // At the moment of the rotation, because an immediate one activates what was published until then.
    const made = await addNextKey({ keys: deps.keys, now: () => at }, trx, { owner, ...spare })
    const isNow = options.immediately === true || options.revokesOthers === true
    const publishedBy = isNow ? at : new Date(at.getTime() - publishedBeforeMs)
    const moved = await activateNextKey(trx, owner, { algorithm, publishedBy, at })
    const revoked = options.revokesOthers === true ? await revokeRetired(trx, owner, algorithm) : []
    return { made, ...moved, revoked }
  })
}

/** Activates every next key that has been published for a day; for a job that runs every hour or so. */
export async function activateDueSigningKeys({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const at = now()
  const publishedBy = new Date(at.getTime() - publishedBeforeMs)
  // eslint-disable-next-line portico/tenant -- a worker rotates the keys of every account
  const due = await db
    .selectFrom('signing_keys')
    .where('state', '=', 'next')
    .where('inserted_at', '<=', publishedBy)
    .select([
      'account_id',
      'environment',
      'organization_id',
      // The table's check constraint allows nothing else.
      sql<Algorithm>`algorithm`.as('algorithm'),
    ])
    .execute()
  for (const { account_id: accountId, environment, organization_id: organizationId, algorithm } of due) {
    const owner = { accountId, environment, organizationId }
    await db.transaction().execute(async (trx) => {
      await lockRotation(trx, owner, algorithm)
      await activateNextKey(trx, owner, { algorithm, publishedBy, at })
    })
  }
}

/** Public keys of an organization in both environments that sign, will sign, or signed tokens that are still valid. */
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

/** A key that signs, or has signed, tokens of an organization's users. */
interface UserTokenKey {
  readonly organizationId: string
  readonly organizationDomain: string
  readonly algorithm: Algorithm
  readonly publicKey: KeyObject
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

function toUserTokenKey(row: {
  readonly id: string
  readonly domain: string
  readonly algorithm: string
  readonly public_jwk: unknown
}): UserTokenKey {
  return {
    organizationId: row.id,
    organizationDomain: row.domain,
    // generateSigningKey() makes them, and nothing else writes the columns.
    algorithm: row.algorithm as Algorithm,
    publicKey: toPublicKey(row.public_jwk as PublicJwk),
  }
}

/** Whether a key is in its organization's key set: it signs, will sign, or signed tokens that are still valid. */
function isPublishedAt(at: Date) {
  return sql<boolean>`(
    signing_keys.state in ('next', 'active')
    or (signing_keys.state = 'retired' and signing_keys.retired_at > ${new Date(at.getTime() - keptAfterMs)})
  )`
}

async function revokeRetired(
  trx: Transaction<DB>,
  owner: KeyOwner,
  algorithm: Algorithm,
): Promise<readonly string[]> {
  const revoked = await updateKeysOf(trx, owner)
    .set({ state: 'revoked' })
    .where('algorithm', '=', algorithm)
    .where('state', '=', 'retired')
    .returning('kid')
    .execute()
  return revoked.map(({ kid }) => kid)
}

function keysOf(db: Kysely<DB>, owner: KeyOwner) {
  return db.selectFrom('signing_keys').where(ofOwner(owner))
}

function updateKeysOf(trx: Transaction<DB>, owner: KeyOwner) {
  return trx.updateTable('signing_keys').where(ofOwner(owner))
}

/** Serializes rotations of an owner and algorithm: a second one waits, and then sees the result of the first. */
async function lockRotation(trx: Transaction<DB>, owner: KeyOwner, algorithm: Algorithm): Promise<void> {
  const name = `signing_keys:${owner.accountId}:${owner.environment}:${owner.organizationId}:${algorithm}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

/** Publishes a next key unless there is one already. */
async function addNextKey(
  deps: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: PreparedSigningKey,
): Promise<string | undefined> {
  const waiting = await keysOf(trx, key.owner)
    .where('algorithm', '=', key.publicJwk.alg)
    .where('state', '=', 'next')
    .select('kid')
    .executeTakeFirst()
  if (waiting !== undefined) return undefined
  await insertSigningKey(deps, trx, { ...key, state: 'next' })
  return key.publicJwk.kid
}

/** Activates a next key that has been published long enough, and retires the active one; does nothing without such a key. */
async function activateNextKey(
  trx: Transaction<DB>,
  owner: KeyOwner,
  { algorithm, publishedBy, at }: { algorithm: Algorithm; publishedBy: Date; at: Date },
): Promise<Pick<Rotation, 'activated' | 'retired'>> {
  const next = await keysOf(trx, owner)
    .where('algorithm', '=', algorithm)
    .where('state', '=', 'next')
    .where('inserted_at', '<=', publishedBy)
    .select('kid')
    .executeTakeFirst()
  if (next === undefined) return { activated: undefined, retired: undefined }
  const retired = await updateKeysOf(trx, owner)
    .set({ state: 'retired', retired_at: at })
    .where('algorithm', '=', algorithm)
    .where('state', '=', 'active')
    .returning('kid')
    .executeTakeFirst()
  const activated = await updateKeysOf(trx, owner)
    .set({ state: 'active', activated_at: at })
    .where('kid', '=', next.kid)
    .where('state', '=', 'next')
    .returning('kid')
    .executeTakeFirst()
  return { activated: activated?.kid, retired: retired?.kid }
}
