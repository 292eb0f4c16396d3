import { sql, type Kysely } from 'kysely'

/** An organization can keep the accounts of its users to itself, or let them delete theirs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table organization_policies
      add column self_service boolean not null default true,
      add column self_deletion text not null default 'none'
        constraint organization_policies_self_deletion_check check (self_deletion in ('none', 'allowed'))`.execute(
    db,
  )
}
