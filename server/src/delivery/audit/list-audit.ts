import type { AuditEntry, AuditQuery } from '@portico/contract/audit'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import type { Caller } from '../../platform/tenant.js'
import type { Deps } from '../deps.js'
import { auditColumns, toAuditEntry } from './record.js'

/** What the staff of the caller's account did, in both environments, newest first. A filter that cannot match gives an empty list. */
export function listAudit(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  { environment, ...query }: AuditQuery,
): Promise<Page<AuditEntry>> {
  const all = entriesOf(readDb, caller)
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: filtered(all, { ...query, environment }),
      table: 'audit_entries',
      rows: all
        .select(auditColumns)
        .select([staffMember(nameOfUser).as('staff_name'), staffMember(sql`users.email`).as('staff_email')]),
    },
    (row) => toAuditEntry(row, caller.accountDomain),
  )
}

/** Every read of the audit starts here. */
function entriesOf(db: Kysely<DB>, { accountId }: Caller) {
  return db.selectFrom('audit_entries').where('audit_entries.account_id', '=', accountId)
}

function filtered(
  all: ReturnType<typeof entriesOf>,
  { actor, action, outcome, environment, org_domain: domain, since, until }: AuditQuery,
) {
  const equal = { staff_user_id: actor, action, outcome, domain }
  // Null: the value cannot match.
  const isEmpty = [...Object.values(equal), environment, since, until].includes(null)
  const given = Object.entries(equal).flatMap(([column, value]) => (value == null ? [] : [{ column, value }]))
  return (
    given
      .reduce(
        (entries, { column, value }) =>
          entries.where(sql<boolean>`${sql.ref(`audit_entries.${column}`)} = ${value}`),
        all,
      )
      // What both environments share is of each.
      .$if(environment != null, (entries) =>
        entries.where(sql<boolean>`coalesce(audit_entries.environment, ${environment}) = ${environment}`),
      )
      .$if(isEmpty, (entries) => entries.where(sql<boolean>`false`))
      .$if(since != null, (entries) => entries.where('audit_entries.inserted_at', '>=', new Date(since ?? 0)))
      .$if(until != null, (entries) => entries.where('audit_entries.inserted_at', '<', new Date(until ?? 0)))
  )
}

const nameOfUser = sql`coalesce(
  users.profile->>'name',
  nullif(concat_ws(' ', users.profile->>'given_name', users.profile->>'family_name'), '')
)`

/** What is known of the member of staff, who is a user of the staff organization of the account; null: none of them any more. */
function staffMember(value: RawBuilder<unknown>) {
  return sql<string | null>`(
    select ${value} from staff_organizations
    join users on users.account_id = staff_organizations.staff_account_id
      and users.organization_id = staff_organizations.staff_organization_id
    where staff_organizations.account_id = audit_entries.account_id
      and users.environment = 'production'
      and users.id = audit_entries.staff_user_id
  )`
}
