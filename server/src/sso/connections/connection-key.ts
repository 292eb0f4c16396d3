import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { DB } from '../../platform/db/schema.js'

/** Whose connection: every statement that touches what belongs to one has all four. */
export interface ConnectionKey {
  readonly accountId: string
  readonly environment: Environment
  readonly organizationId: string
  readonly connectionId: string
}

/** Whether a statement's row of sso_connections is the one of the key. */
export function isConnection(key: ConnectionKey) {
  return sql<boolean>`sso_connections.account_id = ${key.accountId}
    and sso_connections.environment = ${key.environment}
    and sso_connections.organization_id = ${key.organizationId}
    and sso_connections.id = ${key.connectionId}`
}

/** Whether a statement's row of a table belongs to the connection of the key. */
export function isOfConnection(table: keyof DB, key: ConnectionKey) {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql<boolean>`${column('account_id')} = ${key.accountId}
    and ${column('environment')} = ${key.environment}
    and ${column('organization_id')} = ${key.organizationId}
    and ${column('connection_id')} = ${key.connectionId}`
}
