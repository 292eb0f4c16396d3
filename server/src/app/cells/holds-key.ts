import { id as idField } from '@portico/contract/fields'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup, sqlStatement } from '../../platform/db/statement.js'

/** What one database has and no other. */
export type AskedKey =
  | {
      readonly kind: 'account' | 'domain' | 'connection' | 'provider' | 'directory' | 'client'
      readonly id: string
    }
  /** A code, the handle of a refresh token, the token of a link, or the secret of a cookie. */
  | { readonly kind: 'secret'; readonly secret: string }

interface Value {
  readonly value: string | Buffer
}

/** A lookup by an index that is unique over all accounts. */
function accountIn(source: (value: RawBuilder<unknown>) => RawBuilder<unknown>) {
  return sqlStatement(
    ({ value }: Value) => sql<{ account_id: string }>`select account_id from ${source(sql`${value}`)}`,
    lookup,
  )
}

const statements: Readonly<Record<AskedKey['kind'], (db: Kysely<DB>, value: Value) => Promise<unknown[]>>> = {
  account: sqlStatement(({ value }) => sql`select id from accounts where id = ${value}::uuid`, lookup),
  // The first database has the names of the others, too.
  domain: sqlStatement(
    ({ value }) => sql`select slug from slugs where slug = ${value} and cell is null`,
    lookup,
  ),
  connection: accountIn((value) => sql`sso_connections where idp_id = ${value}`),
  provider: accountIn((value) => sql`social_providers where id = ${value}::uuid`),
  directory: accountIn((value) => sql`directories where id = ${value}::uuid`),
  // A client without a secret is known by what it exchanges.
  client: accountIn(
    (value) => sql`(
      select account_id from api_keys where id = ${value}::uuid
      union all
      select account_id from applications where id = ${value}::uuid and client_authentication <> 'none'
    ) client`,
  ),
  secret: accountIn(
    (value) => sql`(
      select account_id from authorization_codes where code_hash = ${value}::bytea
      union all select account_id from refresh_token_families where family_hash = ${value}::bytea
      union all select account_id from relay_requests where token_hash = ${value}::bytea
      union all select account_id from sso_admin_links where token_hash = ${value}::bytea
      union all select account_id from sso_admin_sessions where secret_hash = ${value}::bytea
    ) known`,
  ),
}

const uuid = idField()

/** A row of the names that the first database keeps for all. */
interface KeptName {
  /** Null: of the first database itself. */
  readonly cell: string | null
}

/** What the first database says of a name; undefined where it does not have it. */
export async function findKeptName(first: Kysely<DB>, slug: string): Promise<KeptName | undefined> {
  const [row] = await selectKeptName(first, { value: slug })
  return row
}

const selectKeptName = sqlStatement(
  ({ value }: Value) => sql<KeptName>`select cell from slugs where slug = ${value}`,
  lookup,
)

/** Whether a database has the record that a key names. */
export async function holdsKey(db: Kysely<DB>, key: AskedKey): Promise<boolean> {
  const value = valueOf(key)
  if (value === undefined) return false
  const found = await statements[key.kind](db, { value })
  return found.length > 0
}

/** What the record has in place of the key, however that is written; undefined where no record can have it. */
export function valueOf(key: AskedKey): string | Buffer | undefined {
  switch (key.kind) {
    case 'secret':
      return hashSecret(key.secret)
    case 'domain':
    case 'connection':
      return key.id
    case 'account':
    case 'provider':
    case 'directory':
    case 'client':
      // Ids of applications may have a prefix.
      return uuid.safeParse(key.id.toLowerCase().split('_').at(-1)).data
  }
}
