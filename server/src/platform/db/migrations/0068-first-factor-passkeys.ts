import { sql, type Kysely } from 'kysely'

/**
 * The first page of an account asks whether a passkey signs in at any of its organizations, of which there may be many. Without the index
 * it reads the settings of all where none has such passkeys.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index passkey_connections_first_factor on passkey_connections (account_id, environment)
    where active and first_factor`.execute(db)
}
