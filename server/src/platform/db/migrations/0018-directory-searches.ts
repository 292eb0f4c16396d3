import { sql, type Kysely } from 'kysely'

/** Indexes for the lookups of users by providers, beside those of user names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A user's only address is that of the record, which has its index; most have one, and cost nothing here.
  const emails = sql`attributes -> 'urn:ietf:params:scim:schemas:core:2.0:User' -> 'emails'`
  await sql`
    create index directory_users_emails on directory_users
      using gin ((lower((${emails})::text)::jsonb) jsonb_path_ops)
      where (${emails} -> 1) is not null`.execute(db)
  await sql`
    create index users_inactive on users (account_id, environment, organization_id, id)
      where not active and deleted_at is null`.execute(db)
  // Also for lists of the API in this order.
  await sql`
    create index users_updated on users (account_id, environment, organization_id, updated_at, id)`.execute(
    db,
  )
}
