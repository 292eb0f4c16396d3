import { sql, type Kysely } from 'kysely'

/**
 * Statistics of tenants. The planner plans a statement once for all of them, multiplies the selectivities of account and
 * organization, and expects less than one row, even of an organization with a million users. Then no index seems better
 * than another, and it may read all of the organization to find one user. These bounds make it expect a thousandth of
 * the table, so that the key of a row wins against any list.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['users', 'directory_users', 'directory_groups', 'scim_requests', 'sso_login_traces'])
    await sql`
      alter table ${sql.table(table)}
        alter account_id set (n_distinct = 10),
        alter organization_id set (n_distinct = 100)`.execute(db)
  // An organization has one directory.
  for (const table of ['directory_users', 'directory_groups', 'scim_requests'])
    await sql`alter table ${sql.table(table)} alter directory_id set (n_distinct = 1)`.execute(db)
  await sql`drop index users_updated`.execute(db)
  await sql`
    create index users_updated on users (account_id, environment, organization_id, updated_at, id)
      where deleted_at is null`.execute(db)
}
