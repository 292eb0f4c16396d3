import type { AuditEntry } from '@portico/contract/audit'
import type { Selectable } from 'kysely'
import type { AuditEntries } from '../../platform/db/schema.js'

export const auditColumns = [
  'audit_entries.id',
  'audit_entries.environment',
  'audit_entries.domain',
  'audit_entries.staff_user_id',
  'audit_entries.action',
  'audit_entries.outcome',
  'audit_entries.reason',
  'audit_entries.record_type',
  'audit_entries.record_id',
  'audit_entries.subject_id',
  'audit_entries.email',
  'audit_entries.request_id',
  'audit_entries.inserted_at',
] as const

type AuditRow = Omit<Selectable<AuditEntries>, 'account_id' | 'email_normalized'>

/** The member of staff as a user of the account that all staff belong to; null: not there any more, or without a name. */
interface StaffNames {
  readonly staff_name: string | null
  readonly staff_email: string | null
}

export function toAuditEntry(row: AuditRow & StaffNames, accountDomain: string): AuditEntry {
  return {
    __type__: 'AuditEntry',
    __domain__: accountDomain,
    // The table's check constraints allow nothing else, neither here nor of the outcome.
    __environment__: row.environment as AuditEntry['__environment__'],
    id: row.id,
    staff: { id: row.staff_user_id, name: row.staff_name, email: row.staff_email },
    action: row.action,
    outcome: row.outcome as AuditEntry['outcome'],
    reason: row.reason,
    org_domain: row.domain,
    record_type: row.record_type,
    record_id: row.record_id,
    subject_id: row.subject_id,
    email: row.email,
    request_id: row.request_id,
    inserted_at: row.inserted_at.toISOString(),
  }
}
