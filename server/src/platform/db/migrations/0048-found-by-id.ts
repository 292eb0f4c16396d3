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

/** A user is found by the id alone, and a login attempt by the reference of its page. */
export async function up(): Promise<void> {}
