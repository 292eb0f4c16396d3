import type { AuditEntry } from '@portico/contract/audit'
import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { companion } from '../../platform/db/statement.js'
import { normalizeEmail } from '../../platform/email.js'
import type { AuditedAction, Cause } from '../../platform/tenant.js'
import type { Deps } from '../deps.js'

/** What an action of a member of staff came to, and on what. */
export interface AuditedOutcome {
  readonly outcome: AuditEntry['outcome']
  /** Where the path names none. */
  readonly organizationId?: string | undefined
  /** The user it is about. */
  readonly subjectId?: string | undefined
  /** The address that was looked up. */
  readonly email?: string | undefined
  readonly record?: { readonly type: string; readonly id: string | null } | undefined
}

/** The cause of something that is audited. */
export type AuditedCause = Pick<Cause, 'requestId'> & { readonly audit: AuditedAction }

/**
 * Writes the entry of an action into the audit of its account: a look-up, a refusal, a secret that was shown. Changes write
 * theirs by themselves, in their transaction (change.ts). An action has one entry, which its last outcome completes.
 */
export async function writeAudit(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  { requestId, audit }: AuditedCause,
  { outcome, organizationId, subjectId, email, record }: AuditedOutcome,
): Promise<void> {
  await insertEntry(db, {
    accountId: audit.accountId,
    environment: audit.environment,
    id: audit.id,
    domain: audit.domain ?? null,
    organizationId: organizationId ?? null,
    staffUserId: audit.staffUserId,
    action: audit.action,
    outcome,
    reason: audit.reason ?? null,
    recordType: record?.type ?? null,
    recordId: record?.id ?? null,
    subjectId: subjectId ?? null,
    email: email ?? null,
    emailNormalized: email === undefined ? null : normalizeEmail(email),
    requestId,
    at: now(),
  })
}

/** Writes the entry of a change, in its transaction. */
export function auditChange(
  deps: Pick<Deps, 'now'>,
  trx: Kysely<DB>,
  cause: AuditedCause,
  {
    record,
    organizationId,
    subjectId,
  }: Pick<AuditedOutcome, 'organizationId' | 'subjectId'> & { readonly record: unknown },
): Promise<void> {
  return writeAudit(deps, trx, cause, {
    outcome: 'done',
    organizationId,
    subjectId,
    record: referenceTo(record),
  })
}

function referenceTo(record: unknown): AuditedOutcome['record'] {
  if (typeof record !== 'object' || record === null || !('__type__' in record)) return undefined
  const id = 'id' in record ? record.id : null
  return {
    type: String(record.__type__),
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : null,
  }
}

type EntryParameters = Readonly<
  Record<
    | 'environment'
    | 'domain'
    | 'organizationId'
    | 'reason'
    | 'recordType'
    | 'recordId'
    | 'subjectId'
    | 'email'
    | 'emailNormalized',
    string | null
  > &
    Record<'accountId' | 'id' | 'staffUserId' | 'action' | 'outcome' | 'requestId', string> &
    Record<'at', Date>
>

/**
 * Of several changes the last one is the whole. Where one was made and another refused, something was done. It reads the account, because
 * a cluster inserts nothing where the parameters leave no table to read (decision 65).
 */
const insertEntry = companion((db, entry: EntryParameters) => ({
  compile: () =>
    sql`
      insert into audit_entries (
        account_id, environment, id, domain, staff_user_id, action, outcome, reason,
        record_type, record_id, subject_id, email, email_normalized, request_id, inserted_at
      )
      select ${entry.accountId}::uuid, ${entry.environment}, ${entry.id}::uuid,
        coalesce(${entry.domain}::text, (
          select organizations.domain from organizations
          where organizations.account_id = ${entry.accountId} and organizations.id = ${entry.organizationId}::uuid
        )),
        ${entry.staffUserId}::uuid, ${entry.action}, ${entry.outcome}, ${entry.reason},
        ${entry.recordType}, ${entry.recordId}, ${entry.subjectId}::uuid,
        ${entry.email}, ${entry.emailNormalized}, ${entry.requestId}, ${entry.at}::timestamptz
      from accounts where accounts.id = ${entry.accountId}
      on conflict (account_id, id) do update set
        outcome = case when audit_entries.outcome = 'done' then 'done' else excluded.outcome end,
        domain = coalesce(excluded.domain, audit_entries.domain),
        record_type = coalesce(excluded.record_type, audit_entries.record_type),
        record_id = case when excluded.record_type is null then audit_entries.record_id else excluded.record_id end,
        subject_id = coalesce(excluded.subject_id, audit_entries.subject_id)`.compile(db),
}))
