import { sql, type Kysely } from 'kysely'

/** A passkey signs in at the issuer of an account, too: each answer on its page counts as an attempt. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table account_flows add column passkey_attempt integer not null default 0`.execute(db)
}
