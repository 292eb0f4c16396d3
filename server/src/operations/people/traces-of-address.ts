import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { LookedUp } from './address.js'

/** As many as some weeks of sign-ins leave; what is older tells nothing of today. */
const mostTraces = 200

/** What the log of the account has of an address. */
export type Trace = Awaited<ReturnType<typeof selectTraces>>[number]

/** The last log events of an address, newest first. */
export function listTraces(db: Kysely<DB>, lookedUp: LookedUp): Promise<Trace[]> {
  return selectTraces(db, lookedUp)
}

const selectTraces = statement((db, lookedUp: LookedUp) =>
  db
    .selectFrom('log_events')
    .where(ofEnvironment(lookedUp, 'log_events'))
    .where('log_events.email_normalized', '=', lookedUp.email)
    .select([
      'log_events.organization_id as organizationId',
      'log_events.event_code as code',
      'log_events.client_id as clientId',
      'log_events.saml_identity_provider_id as idpId',
      'log_events.reason',
      'log_events.request_id as requestId',
      'log_events.inserted_at as at',
    ])
    .orderBy('log_events.inserted_at', 'desc')
    .orderBy('log_events.id', 'desc')
    .limit(mostTraces),
)
