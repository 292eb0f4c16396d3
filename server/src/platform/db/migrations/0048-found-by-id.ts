import { sql, type Kysely } from 'kysely'
import type { ConcurrentIndex } from '../schema-migration.js'

export const indexes: readonly ConcurrentIndex[] = [
  {
    // Their key begins with the organization, which an id alone does not name.
    name: 'users_id',
    isUnique: false,
    table: 'users',
    of: '(account_id, environment, id) where deleted_at is null',
  },
  {
    name: 'sso_login_traces_request',
    isUnique: false,
    table: 'sso_login_traces',
    of: '(account_id, environment, organization_id, connection_id, request_id)',
  },
]

/** A user is found by the id alone, and a login attempt by the reference of its page. No API key is of the account of all staff. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Also where it is not the service that inserts one: such a key would read and write the staff of every account.
  await sql
    .raw(
      `create or replace function api_keys_of_customers() returns trigger language plpgsql as $$ begin
        if exists (select from accounts where accounts.id = new.account_id and accounts.domain = 'console') then
          raise exception 'the account console has no API keys'
            using errcode = 'check_violation', constraint = 'api_keys_of_customers';
        end if;
        return new;
      end $$`,
    )
    .execute(db)
  await sql`
    create or replace trigger api_keys_of_customers before insert or update of account_id on api_keys
      for each row execute function api_keys_of_customers()`.execute(db)
}
