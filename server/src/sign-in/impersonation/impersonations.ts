import type { PageQuery } from '@portico/contract/fields'
import type { Impersonation } from '@portico/contract/impersonations'
import type { Kysely, Transaction } from 'kysely'
import { usersOf } from '../../directory/users/whole-user.js'
import { signOut } from '../../directory/sessions/sign-out.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import { countRows } from '../../platform/db/totals.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { impersonationColumns, toImpersonation, type ImpersonationRow } from './record.js'

/**
 * The impersonations of a user, newest first.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function listImpersonations(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  userId: string,
  query: PageQuery,
): Promise<Page<Impersonation>> {
  const keys = impersonationsOf(db, tenant, userId)
  return readPage(
    {
      db,
      query,
      order: newestFirst,
      keys,
      table: 'impersonations',
      rows: keys.select(impersonationColumns),
      total: async () => {
        const total = await countRows(keys)
        if (total === 0) await checkUser(db, tenant, userId)
        return total
      },
      environment: tenant.environment,
    },
    (row) => toImpersonation(row, tenant),
  )
}

async function checkUser(db: Kysely<DB>, tenant: Tenant, userId: string): Promise<void> {
  const user = await usersOf(db, tenant).where('users.id', '=', userId).select('users.id').executeTakeFirst()
  if (user === undefined) throw await whyNotFound(db, tenant, 'user_not_found')
}

function impersonationsOf(db: Kysely<DB>, tenant: Tenant, userId: string) {
  return db
    .selectFrom('impersonations')
    .where(ofTenant(tenant, 'impersonations'))
    .where('impersonations.user_id', '=', userId)
}

/**
 * Ends an impersonation with its session, or before it has started.
 *
 * @throws ApiError `organization_not_found`, `impersonation_not_found`
 */
export function endImpersonation(
  deps: Deps,
  tenant: Tenant,
  { userId, impersonationId }: { readonly userId: string; readonly impersonationId: string },
): Promise<Changed<Impersonation>> {
  return change(deps, tenant.cause, async (trx) => {
    const at = deps.now()
    const row = await trx
      .updateTable('impersonations')
      .set({ ended_at: at })
      .where(ofTenant(tenant, 'impersonations'))
      .where('impersonations.user_id', '=', userId)
      .where('impersonations.id', '=', impersonationId)
      .where('impersonations.ended_at', 'is', null)
      .where('impersonations.expires_at', '>', at)
      .returning(impersonationColumns)
      .executeTakeFirst()
    if (row === undefined) throw await whyNotFound(trx, tenant, 'impersonation_not_found')
    const session = await trx
      .selectFrom('sessions')
      .where(ofTenant(tenant))
      .where('impersonation_id', '=', row.id)
      .select('id')
      .executeTakeFirst()
    if (session !== undefined) await signOut(deps, trx, tenant, { userId, sessionId: session.id })
    return emitEnd(deps, trx, tenant, row)
  })
}

/** Emits the event of an end, and logs that of an impersonation that had started. */
export async function emitEnd(
  deps: Pick<Deps, 'db' | 'now' | 'metrics'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  row: ImpersonationRow,
): Promise<Changed<Impersonation>> {
  const { organization_id: organizationId, user_id: userId } = row
  if (row.started_at !== null)
    await logEvent(deps, trx, {
      ...tenant,
      organizationId,
      code: 'END_USER_IMPERSONATION_ENDED',
      clientId: row.application_id,
      userId,
      reason: row.id,
    })
  return emit(deps, trx, tenant, {
    code: 'user.impersonation.end.success',
    record: toImpersonation(row, tenant),
    organizationId,
    subjectId: userId,
  })
}
