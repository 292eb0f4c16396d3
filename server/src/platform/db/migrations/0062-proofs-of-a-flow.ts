import { sql, type Kysely } from 'kysely'

/** An identity says whether its user came by it, and an identity that waits in a flow whether the mailbox of its address was proved there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Those that are there count as linked later: the first proof of a mailbox ends them, and their users link them anew.
  await sql`alter table user_identities add column has_created_user boolean not null default false`.execute(
    db,
  )
  await sql`alter table social_arrivals add column is_mailbox_proved boolean not null default false`.execute(
    db,
  )
}
