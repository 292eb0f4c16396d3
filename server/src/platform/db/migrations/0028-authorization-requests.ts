import { sql, type Kysely } from 'kysely'

/**
 * A flow keeps how its answer reaches the application, and which claims the application has asked for one by one; codes and
 * families of refresh tokens keep these for the tokens.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sign_in_flows
      add column claims jsonb,
      add column response_mode text not null default 'query',
      add constraint sign_in_flows_response_mode_check check (response_mode in ('query', 'form_post'))`.execute(
    db,
  )
  await sql`alter table authorization_codes add column claims jsonb`.execute(db)
  await sql`alter table refresh_token_families add column claims jsonb`.execute(db)
}
