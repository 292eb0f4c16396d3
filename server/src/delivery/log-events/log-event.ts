import type { LogEventCode } from '@portico/contract/log-events'
import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { insertion } from '../../platform/db/statement.js'
import type { Deps } from '../deps.js'
import { normalizeEmail } from '../../platform/email.js'

export interface LogEntry {
  readonly accountId: string
  readonly environment: string | null
  readonly organizationId?: string | null
  /** Domain of the organization, or of the account. */
  readonly domain: string
  readonly code: LogEventCode
  readonly clientId?: string | null
  readonly email?: string | null
  readonly userId?: string | null
  /** Why it failed, in the words of the table of reasons; never a secret. */
  readonly reason?: string | null
  /** idp_id of the SSO connection, where it is about one. */
  readonly idpId?: string | null
  readonly requestId: string
}

/** Records authentication activity, for the account's own eyes, and counts what it tells of sign-ins. */
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
    request_id: entry.requestId,
    inserted_at: now(),
  })
}

const insertLogEvent = insertion('log_events', [
  'account_id',
  'environment',
  'organization_id',
  'domain',
  'event_code',
  'client_id',
  'email',
  'email_normalized',
  'resource_owner_id',
  'saml_identity_provider_id',
  'reason',
  'request_id',
  'inserted_at',
])
