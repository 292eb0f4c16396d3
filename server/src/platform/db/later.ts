import { sql, type RawBuilder } from 'kysely'

/**
 * A time and an interval later, as an immutable expression. The sum of a `timestamptz` is stable, because days and months depend
 * on the time zone of the session; a cluster takes no such function of a column in a statement that writes.
 *
 * @param interval May be negative.
 */
export function later(at: RawBuilder<unknown>, interval: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`((${at} at time zone 'UTC' + ${interval}) at time zone 'UTC')`
}
