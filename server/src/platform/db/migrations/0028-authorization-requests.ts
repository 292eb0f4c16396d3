import { sql, type Kysely } from 'kysely'

/** A flow keeps how its answer reaches the application. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sign_in_flows
      add column response_mode text not null default 'query',
      add constraint sign_in_flows_response_mode_check check (response_mode in ('query', 'form_post'))`.execute(
    db,
  )
}
