import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { randomBase32 } from '../../platform/crypto/secret.js'
import { isReserved, slugOf } from './slug.js'

/** More than the concurrent creations of one name; each attempt waits for one of them. */
const numberedAttempts = 50

/**
 * Reserves a free domain for a name: its slug, else the slug with the number after the last small one in use, from -2;
 * after too many conflicts, or without a number left, with six random characters. Domains are unique over the whole
 * service and never reused.
 */
export async function claimDomain(trx: Transaction<DB>, name: string, at: Date): Promise<string> {
  const slug = slugOf(name)
  if (!isReserved(slug) && (await take(trx, slug, at))) return slug
  for (let attempt = 1; attempt <= numberedAttempts; attempt++) {
    const numbered = `${slug}-${(await lastNumber(trx, slug)) + 1}`
    if (await take(trx, numbered, at)) return numbered
  }
  const random = `${slug}-${randomBase32(6)}`
  if (await take(trx, random, at)) return random
  throw new Error('a random domain was taken')
}

async function take(trx: Transaction<DB>, slug: string, at: Date): Promise<boolean> {
  const taken = await trx
    .insertInto('slugs')
    .values({ slug, inserted_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('slug')
    .executeTakeFirst()
  return taken !== undefined
}

async function lastNumber(trx: Transaction<DB>, slug: string): Promise<number> {
  const { last } = await trx
    .selectFrom('slugs')
    .where('slug', 'like', `${slug}-%`)
    .where('slug', '~', `^${slug}-[1-9][0-9]{0,5}$`)
    .select(sql<number | null>`max(substr(slug, ${slug.length + 2}::integer)::integer)`.as('last'))
    .executeTakeFirstOrThrow()
  return Math.max(last ?? 1, 1)
}
