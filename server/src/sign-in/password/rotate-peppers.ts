import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { makePepperKey, wrapHash, type Pepper, type PepperOwner } from './pepper.js'
import { lockNewestPepper, openHash, pepperOf } from './stored-password.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** Rows that one run wraps again at most: some seconds of work, so that runs do not overlap. */
const rowBudget = 20_000
const batchSize = 1_000
/** How many organizations get a new pepper in one statement. */
const ownerBatch = 500

/** The result of a run. */
interface PepperRotation {
  readonly made: number
  readonly rewrapped: number
  readonly destroyed: number
}

/**
 * Replaces every pepper that is older than its period, wraps the older hashes with the new one, and destroys a pepper
 * that wraps nothing: hashes in a backup are then useless without that backup's peppers. No password changes and no
 * user is needed. A run that exhausts its budget leaves the rest to the next one; concurrent runs of several processes
 * are safe.
 *
 * @param budget The number of rows that may be wrapped again.
 */
export async function rotatePeppers(
  deps: Pick<Deps, 'db' | 'keys' | 'log' | 'now'>,
  budget = rowBudget,
): Promise<PepperRotation> {
  const made = await makeDuePeppers(deps)
  let rewrapped = 0
  let destroyed = 0
  for (const pepper of await findOutdatedPeppers(deps.db)) {
    rewrapped += await rewrapHashes(deps, pepper, budget - rewrapped)
    if (await destroyIfUnused(deps.db, pepper)) destroyed += 1
  }
  return { made, rewrapped, destroyed }
}

/** A pepper that has a successor. */
type OutdatedPepper = PepperOwner & Pepper

async function makeDuePeppers(deps: Pick<Deps, 'db' | 'keys' | 'now'>): Promise<number> {
  let made = 0
  for (;;) {
    const inserted = await insertPeppers(deps, await findDueOwners(deps))
    if (inserted === 0) return made
    made += inserted
  }
}

type DueOwner = PepperOwner & { readonly newestVersion: number }

function findDueOwners({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<DueOwner[]> {
  return sql<DueOwner>`
    select connection.account_id as "accountId", connection.environment,
      connection.organization_id as "organizationId", newest.version as "newestVersion"
    from password_connections connection
    cross join lateral (
      select version, inserted_at from password_peppers pepper
      where pepper.account_id = connection.account_id
        and pepper.environment = connection.environment
        and pepper.organization_id = connection.organization_id
      order by version desc limit 1
    ) newest
    where newest.inserted_at + connection.pepper_rotation_period * interval '1 second' <= ${now()}
    order by newest.inserted_at
    limit ${ownerBatch}`
    .execute(db)
    .then(({ rows }) => rows)
}

/** Inserts the next versions; the primary key decides between concurrent processes. */
async function insertPeppers(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  owners: readonly DueOwner[],
): Promise<number> {
  if (owners.length === 0) return 0
  const fresh = owners.map((owner) => ({
    ...owner,
    version: owner.newestVersion + 1,
    keySealed: makePepperKey(keys.master, owner, owner.newestVersion + 1),
  }))
  const { numAffectedRows = 0n } = await sql`
    insert into password_peppers (account_id, environment, organization_id, version, key_sealed, inserted_at)
    select connection.account_id, connection.environment, connection.organization_id, fresh.version,
      fresh.key_sealed, ${now()}
    from unnest(
      ${fresh.map(({ accountId }) => accountId)}::uuid[],
      ${fresh.map(({ environment }) => environment)}::text[],
      ${fresh.map(({ organizationId }) => organizationId)}::uuid[],
      ${fresh.map(({ version }) => version)}::integer[],
      ${fresh.map(({ keySealed }) => keySealed)}::bytea[]
    ) as fresh (account_id, environment, organization_id, version, key_sealed)
    join password_connections connection
      on connection.account_id = fresh.account_id
      and connection.environment = fresh.environment
      and connection.organization_id = fresh.organization_id
    for key share of connection
    on conflict do nothing`.execute(db)
  return Number(numAffectedRows)
}

async function findOutdatedPeppers(db: Kysely<DB>): Promise<OutdatedPepper[]> {
  const { rows } = await sql<OutdatedPepper>`
    select account_id as "accountId", environment, organization_id as "organizationId", version,
      key_sealed as "keySealed"
    from password_peppers pepper
    where exists (
      select from password_peppers newer
      where newer.account_id = pepper.account_id
        and newer.environment = pepper.environment
        and newer.organization_id = pepper.organization_id
        and newer.version > pepper.version
    )
    order by inserted_at, version`.execute(db)
  return rows
}

/** Wraps the hashes of an outdated pepper with the newest one, within the budget. @returns How many. */
async function rewrapHashes(
  deps: Pick<Deps, 'db' | 'keys' | 'log'>,
  pepper: OutdatedPepper,
  budget: number,
): Promise<number> {
  let rewrapped = 0
  let after = '00000000-0000-0000-0000-000000000000'
  while (rewrapped < budget) {
    const limit = Math.min(batchSize, budget - rewrapped)
    const batch = await rewrapBatch(deps, pepper, { after, limit })
    rewrapped += batch.rewrapped
    if (batch.last === undefined) break
    // Continues after hashes that do not open, which stay as they are.
    after = batch.last
  }
  return rewrapped
}

async function rewrapBatch(
  deps: Pick<Deps, 'db' | 'keys' | 'log'>,
  pepper: OutdatedPepper,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ readonly rewrapped: number; readonly last: string | undefined }> {
  return deps.db.transaction().execute(async (trx) => {
    const newest = await lockNewestPepper(trx, pepper)
    // A password written now uses the newest pepper anyway.
    const rows = await trx
      .selectFrom('passwords')
      .where(ofOwner(pepper))
      .where('pepper_version', '=', pepper.version)
      .where('user_id', '>', after)
      .select(['user_id', 'hash_wrapped'])
      .orderBy('user_id')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
    const fresh = rows.flatMap(({ user_id: userId, hash_wrapped: wrapped }) => {
      const owner = { ...pepper, userId }
      const hash = openHash(deps, pepper, owner, wrapped)
      return hash === undefined ? [] : [{ userId, wrapped: wrapHash(deps.keys.master, newest, owner, hash) }]
    })
    await sql`
      update passwords set pepper_version = ${newest.version}, hash_wrapped = fresh.hash_wrapped
      from unnest(
        ${fresh.map(({ userId }) => userId)}::uuid[], ${fresh.map(({ wrapped }) => wrapped)}::bytea[]
      ) as fresh (user_id, hash_wrapped)
      where passwords.account_id = ${pepper.accountId}
        and passwords.environment = ${pepper.environment}
        and passwords.organization_id = ${pepper.organizationId}
        and passwords.pepper_version = ${pepper.version}
        and passwords.user_id = fresh.user_id`.execute(trx)
    return { rewrapped: fresh.length, last: rows.at(-1)?.user_id }
  })
}

/** Destroys an outdated pepper that wraps nothing. One that a writer has locked is left to the next run. */
async function destroyIfUnused(db: Kysely<DB>, pepper: OutdatedPepper): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const locked = await pepperOf(trx, pepper)
      .where('version', '=', pepper.version)
      .select('version')
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (locked === undefined) return false
    // A separate statement, which sees the rows written before the lock was granted.
    const { numDeletedRows } = await trx
      .deleteFrom('password_peppers')
      .where(ofOwner(pepper))
      .where('version', '=', pepper.version)
      .where(
        sql<boolean>`not exists (
          select from passwords
          where account_id = ${pepper.accountId}
            and environment = ${pepper.environment}
            and organization_id = ${pepper.organizationId}
            and pepper_version = ${pepper.version}
        )`,
      )
      .executeTakeFirst()
    return numDeletedRows > 0n
  })
}
