import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { randomBase32 } from '../../platform/crypto/secret.js'
import { isReserved, slugOf } from './slug.js'

/** More than the concurrent creations of one name; each attempt waits for one of them. */
const numberedAttempts = 50

/**
 * Reserves a free domain for a name: its slug, else the slug with the number after the last small one in use, from -2;
 * after too many conflicts, or without a number left, with six random characters. Domains are unique over the whole
 * service and never reused.
 */
export async function claimDomain(
  { now, names }: Pick<Deps, 'now' | 'names'>,
  trx: Transaction<DB>,
  name: string,
): Promise<string> {
  const at = now()
  const take = async (free: string) =>
    (names === undefined || (await names.reserve(free, at))) && takeHere(trx, free, at)
  const slug = slugOf(name)
  if (!isReserved(slug) && (await take(slug))) return slug
  for (let attempt = 1; attempt <= numberedAttempts; attempt++) {
    const numbered = `${slug}-${(await lastNumber(names?.db ?? trx, slug)) + 1}`
    if (await take(numbered)) return numbered
  }
  const random = `${slug}-${randomBase32(6)}`
  if (await take(random)) return random
  throw new Error('a random domain was taken')
}

async function takeHere(trx: Transaction<DB>, slug: string, at: Date): Promise<boolean> {
  const taken = await trx
    .insertInto('slugs')
    .values({ slug, inserted_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('slug')
    .executeTakeFirst()
  return taken !== undefined
}

async function lastNumber(db: Kysely<DB>, slug: string): Promise<number> {
  const { last } = await db
    .selectFrom('slugs')
    .where('slug', 'like', `${slug}-%`)
    .where('slug', '~', `^${slug}-[1-9][0-9]{0,5}$`)
    .select(sql<number | null>`max(substr(slug, ${slug.length + 2}::integer)::integer)`.as('last'))
    .executeTakeFirstOrThrow()
  return Math.max(last ?? 1, 1)
}
