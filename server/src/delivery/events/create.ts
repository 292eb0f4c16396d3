import type { EventCode, EventRecord } from '@portico/contract/event-catalog'
import { sql, type Compilable, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../deps.js'
import { change, repeated, type Changed } from './change.js'
import {
  announceTo,
  eventParameters,
  rowsOfEvent,
  type EventParameters,
  type EventScope,
  type EventToEmit,
} from './emit.js'

/** A statement that inserts the row of a record, its event and the webhook deliveries. */
type Creation<Parameters> = (
  db: Kysely<DB>,
  parameters: Parameters & EventParameters,
) => Promise<{ readonly organization_id: string | null; readonly webhook_ids: string[] }[]>

/**
 * A statement for create(), compiled once. The event is sent along with the row, so that its record is made before the
 * row is read: the insert gives each column that the record shows, also where the table has a default for it.
 *
 * @param insert Inserts one row, or none where a condition does not hold, and returns its organization.
 * @param alongside Other rows of the record, as parts of the statement that begin with a comma; the row is `created`.
 */
export function creation<Parameters extends object>(
  insert: (db: Kysely<DB>, parameters: Parameters) => Compilable<{ readonly organization_id: string | null }>,
  alongside: (parameters: Parameters) => RawBuilder<unknown> = () => sql``,
): Creation<Parameters> {
  return statement((db, parameters: Parameters & EventParameters) => ({
    compile: () =>
      sql<{ organization_id: string | null; webhook_ids: string[] }>`
        with created as (${insert(db, parameters)}) ${alongside(parameters)}, ${rowsOfEvent(parameters)}
        select organization_id, array(select webhook_id from deliveries)::text[] as webhook_ids from created`.compile(
        db,
      ),
  }))
}

/** A record to create, with its event. */
interface NewRecord<Parameters, Code extends EventCode, Emitted extends EventRecord<Code>> {
  readonly insert: Creation<Parameters>
  readonly parameters: Parameters
  /** Its record is what the row of these parameters will be. */
  readonly emission: EventToEmit<Code, Emitted>
}

/**
 * Creates a record of one row: the row, its event and the deliveries are one statement, which commits by itself. It is a
 * change() in all other respects, which runs it where an idempotent answer or an audit entry has to commit with it. What reads or locks
 * first, enqueues a job, or needs rows that the statement cannot have is a change() with emit().
 *
 * @param why The error when no row was inserted.
 */
export function create<Parameters, Code extends EventCode, Emitted extends EventRecord<Code>>(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  scope: EventScope,
  record: NewRecord<Parameters, Code, Emitted>,
  why: (db: Kysely<DB>) => Promise<Error> | Error,
): Promise<Changed<Emitted>> {
  const work = async (db: Kysely<DB>) => {
    const created = await createIn(deps, db, scope, record)
    if (created === undefined) throw await why(db)
    return created
  }
  const { idempotency, audit } = scope.cause
  if (idempotency !== undefined || audit !== undefined) return change(deps, scope.cause, work)
  return repeated(deps.db, () => work(deps.db))
}

/**
 * The same as a part of a change().
 *
 * @returns The result of the change; undefined when no row was inserted.
 */
export async function createIn<Parameters, Code extends EventCode, Emitted extends EventRecord<Code>>(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  trx: Kysely<DB>,
  scope: EventScope,
  { insert, parameters, emission }: NewRecord<Parameters, Code, Emitted>,
): Promise<Changed<Emitted> | undefined> {
  const [created] = await insert(trx, { ...parameters, ...eventParameters(scope, emission, now()) })
  if (created === undefined) return undefined
  announceTo(db, created.webhook_ids)
  const { record, version, subjectId } = emission
  return { record, version, organizationId: created.organization_id ?? undefined, subjectId }
}
