import { sql, type Kysely } from 'kysely'
import type { Environment } from '@portico/contract/fields'
import type { DB } from '../../platform/db/schema.js'

interface Wanted {
  readonly accountId: string
  /** Undefined: both. */
  readonly environment: Environment | undefined
  /** Undefined: all of the account. */
  readonly organizationId?: string
}

/** The names of the permissions, and of the roles that users of the account or of one organization can have. */
export async function findRoleNames(
  db: Kysely<DB>,
  { accountId, environment, organizationId }: Wanted,
): Promise<{ readonly permissions: readonly string[]; readonly roles: readonly string[] }> {
  const { rows } = await sql<{ permissions: string[]; roles: string[] }>`
    select
      array(
        select distinct name from permissions
        where account_id = ${accountId} and (${environment ?? null}::text is null or environment = ${environment ?? null})
      ) as permissions,
      array(
        select distinct roles.name from roles
        left join organizations on organizations.account_id = roles.account_id
          and organizations.id = roles.organization_id
        where roles.account_id = ${accountId}
          and (${environment ?? null}::text is null or roles.environment = ${environment ?? null})
          and (
            roles.organization_id is null
            or (
              organizations.deleted_at is null
              and (${organizationId ?? null}::uuid is null or roles.organization_id = ${organizationId ?? null})
            )
          )
      ) as roles`.execute(db)
  return rows[0] ?? { permissions: [], roles: [] }
}
