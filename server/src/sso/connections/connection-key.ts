import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner, ownerColumns } from '../../platform/db/tenant-predicate.js'

/** The key of a connection: every statement on a connection's data names all four. */
export interface ConnectionKey {
  readonly accountId: string
  readonly environment: Environment
  readonly organizationId: string
  readonly connectionId: string
}

/** The columns that place a new row with its connection. */
export function connectionKeyColumns(key: ConnectionKey) {
  return { ...ownerColumns(key), connection_id: key.connectionId }
}

/** Whether a statement's row of sso_connections is the one of the key. */
export function isConnection(key: ConnectionKey) {
  return sql<boolean>`${ofOwner(key, 'sso_connections')} and sso_connections.id = ${key.connectionId}`
}

/** Whether a statement's row of a table belongs to the connection of the key. */
export function isOfConnection(table: keyof DB, key: ConnectionKey) {
  return sql<boolean>`${ofOwner(key, table)} and ${sql.ref(`${table}.connection_id`)} = ${key.connectionId}`
}
