import { sql, type Kysely } from 'kysely'

/** An organization can demand passkeys of its users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table passkey_connections
      add column requirement text not null default 'optional'
        constraint passkey_connections_requirement_check check (requirement in ('optional', 'required')),
      add column grace_days integer not null default 14
        constraint passkey_connections_grace_check check (grace_days between 0 and 90),
      -- The grace counts from here, or from a later creation of the user.
      add column required_at timestamptz(3),
      add constraint passkey_connections_required_check check (required_at is null or requirement = 'required')`.execute(
    db,
  )
}
