import type { Kysely } from 'kysely'
import { consoleAccountDomain } from '../../platform/console-account.js'
import type { DB } from '../../platform/db/schema.js'

/** Names of a database that the first one does not have for it. */
export interface NamesAtFault {
  /** Nobody has them there. */
  readonly missing: readonly string[]
  /** They belong to another database there: two accounts or organizations have one name. */
  readonly contested: readonly string[]
}

/** The databases for which a database keeps names. Only the first of the list keeps any, and of no database that is not in it. */
export async function keptFor(db: Kysely<DB>): Promise<string[]> {
  const kept = await db.selectFrom('slugs').where('cell', 'is not', null).select('cell').distinct().execute()
  return kept.flatMap(({ cell }) => cell ?? [])
}

/** Names that are compared at once. */
const batch = 1_000

/** Compares the names that a database has with those that the first one keeps for it, all of them. */
export async function checkNames(first: Kysely<DB>, db: Kysely<DB>, cell: string): Promise<NamesAtFault> {
  const missing: string[] = []
  const contested: string[] = []
  for (let after = ''; ;) {
    const own = await db
      .selectFrom('slugs')
      .where('cell', 'is', null)
      .where('slug', '>', after)
      // Each database has its own.
      .where('slug', '<>', consoleAccountDomain)
      .select('slug')
      .orderBy('slug')
      .limit(batch)
      .execute()
    const last = own.at(-1)
    if (last === undefined) return { missing, contested }
    after = last.slug
    const kept = await first
      .selectFrom('slugs')
      .where(
        'slug',
        'in',
        own.map(({ slug }) => slug),
      )
      .select(['slug', 'cell'])
      .execute()
    const cellOf = new Map(kept.map((row) => [row.slug, row.cell]))
    for (const { slug } of own) {
      if (!cellOf.has(slug)) missing.push(slug)
      else if (cellOf.get(slug) !== cell) contested.push(slug)
    }
  }
}
