import type { Impersonation } from '@portico/contract/impersonations'
import type { Selectable } from 'kysely'
import type { Impersonations } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

export const impersonationColumns = [
  'impersonations.organization_id',
  'impersonations.id',
  'impersonations.user_id',
  'impersonations.application_id',
  'impersonations.actor_id',
  'impersonations.actor_email',
  'impersonations.reason',
  'impersonations.duration_in_seconds',
  'impersonations.notify_user',
  'impersonations.expires_at',
  'impersonations.started_at',
  'impersonations.ended_at',
  'impersonations.inserted_at',
] as const

export type ImpersonationRow = Omit<
  Selectable<Impersonations>,
  'account_id' | 'environment' | 'url_hash' | 'handle_hash' | 'browser_hash'
>

/** @param url Null except in the answer to the creation. */
export function toImpersonation(
  row: ImpersonationRow,
  tenant: Pick<Tenant, 'domain' | 'environment'>,
  url: string | null = null,
): Impersonation {
  return {
    __type__: 'Impersonation',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    id: row.id,
    user_id: row.user_id,
    application_id: row.application_id,
    actor: { id: row.actor_id, email: row.actor_email },
    reason: row.reason,
    duration_in_seconds: row.duration_in_seconds,
    notify_user: row.notify_user,
    url,
    expires_at: row.expires_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
  }
}
