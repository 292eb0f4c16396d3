import { nilId } from '@portico/contract/fields'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Algorithm } from '../../platform/crypto/jwt.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { addMissingSigningKeys, insertSigningKeys, prepareSigningKey, type KeyOwner } from './signing-keys.js'

/** How long a key is published before it signs, so that every verifier has it by then. */
export const publishedBeforeMs = 24 * 60 * 60 * 1000

/** For verifiers that keep a key set as long as its max-age says, 15 minutes, and a margin. */
export const publishedBriefMs = 20 * 60 * 1000

/** The most owners that one run of the job rotates. */
const mostAtOnce = 500

interface RotationOptions {
  /** How long the next key must have been published, in ms, unless keys are revoked. */
  readonly publishedForMs: number
  /**
   * Revokes keys, as after a leak: they leave the key set, and the API rejects every token that they signed. `others`: those
   * that have signed; `all`: the next one, too, so that two new ones take their place.
   */
  readonly revokes?: 'others' | 'all' | undefined
}

/** The kid of the key that signs now, or when the next one has been published long enough. */
export type Rotation = { readonly activated: string } | { readonly waitsUntil: Date }

/**
 * Activates an owner's next key of one algorithm, retires the active one, and publishes another next key. Does nothing
 * before the next key has been published long enough: of two concurrent runs one acts. An owner without an active key is not
 * left waiting.
 */
export async function rotateSigningKeys(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  owner: KeyOwner,
  algorithm: Algorithm,
  { publishedForMs, revokes }: RotationOptions,
): Promise<Rotation> {
  await addMissingSigningKeys(deps, deps.db, owner, algorithm, ['next'])
  const waitsUntil = await untilRotation(deps.db, owner, algorithm, publishedForMs)
  if (revokes === undefined && waitsUntil > deps.now()) return { waitsUntil }
  // Outside the transaction, because an RSA key takes a tenth of a second.
  const spare = await prepareSigningKey(owner, algorithm, 'next')
  const successor = revokes === 'all' ? await prepareSigningKey(owner, algorithm, 'active') : undefined
  return deps.db.transaction().execute(async (trx) => {
    const at = deps.now()
    await lockRotation(trx, owner, algorithm)
    // Another rotation may have come before.
    const later = await untilRotation(trx, owner, algorithm, publishedForMs)
    if (revokes === undefined && later > at) return { waitsUntil: later }
    const next = await keysOf(trx, owner)
      .where('algorithm', '=', algorithm)
      .where('state', '=', 'next')
      .select('kid')
      .executeTakeFirstOrThrow()
    await updateKeysOf(trx, owner)
      .set({ state: 'retired', retired_at: at })
      .where('algorithm', '=', algorithm)
      .where('state', '=', 'active')
      .execute()
    if (revokes !== undefined) await revokeKeys(trx, owner, algorithm, revokes)
    if (successor === undefined)
      await updateKeysOf(trx, owner)
        .set({ state: 'active', activated_at: at })
        .where('kid', '=', next.kid)
        .where('state', '=', 'next')
        .execute()
    // At the moment of the rotation.
    const stored = { keys: deps.keys, now: () => at }
    await insertSigningKeys(stored, trx, successor === undefined ? [spare] : [successor, spare])
    return { activated: successor?.publicJwk.kid ?? next.kid }
  })
}

/**
 * Rotates the keys that have signed for SIGNING_KEY_ROTATION_DAYS, and up to a day more, by which owners are spread; for a
 * job that runs every hour.
 */
export async function rotateDueSigningKeys(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
): Promise<void> {
  const { signingKeyRotationDays } = deps.config
  if (signingKeyRotationDays === 0) return
  const activatedBy = new Date(deps.now().getTime() - signingKeyRotationDays * 24 * 60 * 60 * 1000)
  const { rows } = await sql<KeyOwner & { algorithm: Algorithm }>`
    select account_id as "accountId", environment, organization_id as "organizationId", algorithm from signing_keys
    where state = 'active' and activated_at <= ${activatedBy}
      and activated_at <= ${activatedBy}::timestamptz
        - make_interval(secs => abs(hashtext(account_id::text || organization_id::text)) % 86400)
      and (signing_keys.organization_id in (${nilId}::uuid, signing_keys.account_id) or exists (
        select from organizations
        where organizations.account_id = signing_keys.account_id and organizations.id = signing_keys.organization_id
          and organizations.deleted_at is null
      ))
    order by activated_at limit ${mostAtOnce}`.execute(deps.db)
  for (const { algorithm, ...owner } of rows)
    await rotateSigningKeys(deps, owner, algorithm, { publishedForMs: publishedBeforeMs })
}

/** When the next key has been published for long enough; at once for an owner without an active key. */
async function untilRotation(
  db: Kysely<DB>,
  owner: KeyOwner,
  algorithm: Algorithm,
  publishedForMs: number,
): Promise<Date> {
  const keys = await keysOf(db, owner)
    .where('algorithm', '=', algorithm)
    .where('state', 'in', ['active', 'next'])
    .select(['state', 'inserted_at'])
    .execute()
  const next = keys.find(({ state }) => state === 'next')
  const isWaiting = publishedForMs > 0 && keys.some(({ state }) => state === 'active')
  return next === undefined || !isWaiting
    ? new Date(0)
    : new Date(next.inserted_at.getTime() + publishedForMs)
}

async function revokeKeys(
  trx: Transaction<DB>,
  owner: KeyOwner,
  algorithm: Algorithm,
  revokes: 'others' | 'all',
): Promise<void> {
  await updateKeysOf(trx, owner)
    .set({ state: 'revoked' })
    .where('algorithm', '=', algorithm)
    .where('state', 'in', revokes === 'all' ? ['next', 'retired'] : ['retired'])
    .execute()
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
