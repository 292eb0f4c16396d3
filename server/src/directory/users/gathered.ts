import { sql, type RawBuilder } from 'kysely'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

/** Rows that refer to a user, of which the user's record has a list. */
export interface Gathered<Element> {
  /** The table that has `user_id` and the tenant's columns, and what is joined with it. */
  readonly from: RawBuilder<unknown>
  /** The name of that table in `from`. */
  readonly name: string
  /** The aggregate of the rows; null without any. */
  readonly list: RawBuilder<Element[] | null>
}

/** The list of the row's user, in a statement about single users. */
export function gatheredOfUser<Element>({ from, name, list }: Gathered<Element>): RawBuilder<Element[]> {
  return sql`(
    select coalesce(${list}, '[]') from ${from}
    where ${sameTenant(name, 'users')} and ${sql.ref(`${name}.user_id`)} = users.id
  )`
}

/**
 * The list of the row's user, in a statement about a `page` of users. All that the page has are gathered once, by the ids
 * of its users: a subselect for each of them would cost more than the rows do.
 */
export function gatheredOfPage<Element>(
  { from, name, list }: Gathered<Element>,
  owner: { readonly accountId: string; readonly environment: string },
): RawBuilder<Element[]> {
  const userId = sql.ref(`${name}.user_id`)
  return sql`coalesce((
    select jsonb_object_agg(user_id, list) from (
      select ${userId}, ${list} as list from ${from}
      where ${ofOwner({ ...ownerOf(owner), organizationId: organizationOfPage }, name)}
        and ${userId} = any(array(select id from page))
      group by ${userId}
    ) gathered
  ) -> page.id::text, '[]')`
}

/** The organization of all rows of the page: null where it has none. */
export const organizationOfPage = sql<string>`(select organization_id from page limit 1)`

/** Named and not spread: placeholders of a statement have no members of their own. */
function ownerOf({ accountId, environment }: { readonly accountId: string; readonly environment: string }) {
  return { accountId, environment }
}
