import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { PromotionTarget } from './kind.js'
import { lockConfiguration } from './lock.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** A thing with the name that it shares with others. */
interface Named {
  readonly id: string
  readonly name: string
}

/** The number of a thing among those of its name, from 1. */
interface Numbered extends Named {
  readonly number: number
}

/**
 * Numbers the things of an organization that share a name. A number stays with its thing and is never given to another,
 * also when its thing is renamed: okta in a file never comes to mean another connection.
 *
 * @param things The oldest first: those without a number get the next ones in this order.
 * @returns All numbers that were ever given.
 */
export async function assignNumbers(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  place: PromotionTarget,
  section: string,
  things: readonly Named[],
): Promise<Numbered[]> {
  const given = await listNumbers(deps, place, section)
  const missing = things.filter((thing) => !given.some((one) => isOf(one, thing)))
  if (missing.length === 0) return given
  await change(deps, place.cause, async (trx) => {
    await lockConfiguration(trx, place)
    for (const { id, name } of missing)
      await sql`
        insert into config_numbers (account_id, environment, organization_id, section, name, number, thing_id)
        select ${place.accountId}, ${place.environment}, ${place.organizationId}, ${section}, ${name},
          coalesce(max(number), 0) + 1, ${id}
        from config_numbers
        where ${ofOwner(place)} and section = ${section} and name = ${name}
        on conflict on constraint config_numbers_thing do nothing`.execute(trx)
    return { record: undefined }
  })
  return listNumbers(deps, place, section)
}

export function isOf(numbered: Numbered, { id, name }: Named): boolean {
  return numbered.id === id && numbered.name === name
}

/** A name and a number as the file has them: okta, okta-2, okta-3. */
export function toKey({ name, number }: Pick<Numbered, 'name' | 'number'>): string {
  return number === 1 ? name : `${name}-${number}`
}

/** The name and number of a key. */
export function fromKey(key: string): Pick<Numbered, 'name' | 'number'> {
  const [, name = key, number = '1'] = /^(.+)-([2-9]|[1-9]\d+)$/.exec(key) ?? []
  return { name, number: Number(number) }
}

function listNumbers({ db }: Pick<Deps, 'db'>, place: PromotionTarget, section: string): Promise<Numbered[]> {
  return db
    .selectFrom('config_numbers')
    .where(ofOwner(place))
    .where('section', '=', section)
    .select(['thing_id as id', 'name', 'number'])
    .orderBy('name')
    .orderBy('number')
    .execute()
}
