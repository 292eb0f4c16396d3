import { sql, type Kysely } from 'kysely'

/** Administrators of an organization may give the roles that the account has opened to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // False also in the roles that are there: an upgrade gives nobody a right.
  await sql`alter table roles add column assignable_by_admins boolean not null default false`.execute(db)
}
