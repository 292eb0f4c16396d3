import { sql, type Kysely } from 'kysely'

/**
 * An account is an issuer, too: flows, codes and families of refresh tokens keep which issuer was asked. Its signing keys have
 * its own id in the place of an organization's; those of accounts of before are made by a job, because only a process with the
 * master keys can seal them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['sign_in_flows', 'authorization_codes', 'refresh_token_families']) {
    await sql`
      alter table ${sql.table(table)}
        add column issuer text not null default 'organization',
        add constraint ${sql.id(`${table}_issuer_check`)} check (issuer in ('organization', 'account'))`.execute(
      db,
    )
  }
  // eslint-disable-next-line portico/sql-clock -- a migration has no other clock
  await sql`
    insert into jobs (name, payload, key, run_at, inserted_at)
    select 'prepare_account_keys', '{"after": "00000000-0000-0000-0000-000000000000"}', 'all', now(), now()
    where exists (select from accounts)`.execute(db)
}
