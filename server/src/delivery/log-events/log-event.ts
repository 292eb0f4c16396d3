import type { LogEventCode } from '@portico/contract/log-events'
import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { companion, insertion } from '../../platform/db/statement.js'
import type { Deps } from '../deps.js'
import type { Cause } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'

interface Activity {
  readonly accountId: string
  readonly environment: string | null
  readonly organizationId?: string | null
  /** Domain of the organization, or of the account. */
  readonly domain: string
  readonly code: LogEventCode
  readonly clientId?: string | null
  readonly email?: string | null
  readonly userId?: string | null
  /** Why it failed, worded as in the table of reasons; never a secret. */
  readonly reason?: string | null
  /** idp_id of the SSO connection, if any. */
  readonly idpId?: string | null
}

/** Activity, and the request in which it happened. */
export type LogEntry = Activity &
  ({ readonly requestId: string } | { readonly cause: Pick<Cause, 'requestId'> })

/** Records authentication activity for the account, and counts sign-ins in the metrics. */
export async function logEvent(
  { now, metrics }: Pick<Deps, 'now' | 'metrics'>,
  db: Kysely<DB>,
  entry: LogEntry,
): Promise<void> {
  metrics.countSignIn(entry.code)
  await insertLogEvent(db, {
    account_id: entry.accountId,
    environment: entry.environment,
    organization_id: entry.organizationId ?? null,
    domain: entry.domain,
    event_code: entry.code,
    client_id: entry.clientId ?? null,
    email: entry.email ?? null,
    email_normalized: entry.email == null ? null : normalizeEmail(entry.email),
    resource_owner_id: entry.userId ?? null,
    saml_identity_provider_id: entry.idpId ?? null,
    reason: entry.reason ?? null,
    request_id: 'requestId' in entry ? entry.requestId : entry.cause.requestId,
    inserted_at: now(),
  })
}

/** A row of a sign-in, a link or a token, with the tenant and user of the activity. */
interface ActiveRow {
  readonly account_id: string
  readonly environment: string
  readonly organization_id?: string
  readonly domain: string
  readonly application_id?: string
  readonly user_id?: string
  readonly email?: string
}

/** Records the activity of a row; members of the entry override those of the row. */
export function logEventOf(
  deps: Pick<Deps, 'now' | 'metrics'>,
  db: Kysely<DB>,
  row: ActiveRow,
  entry: Pick<Activity, 'code' | 'reason' | 'clientId' | 'email' | 'userId'> & { readonly requestId: string },
): Promise<void> {
  return logEvent(deps, db, {
    accountId: row.account_id,
    environment: row.environment,
    organizationId: row.organization_id,
    domain: row.domain,
    clientId: row.application_id,
    email: row.email,
    userId: row.user_id,
    ...entry,
  })
}

const insertLogEvent = insertion('log_events', companion)
