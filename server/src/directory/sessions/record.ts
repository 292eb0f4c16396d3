import type { Environment } from '@portico/contract/fields'
import type { Session } from '@portico/contract/sessions'
import type { Selectable } from 'kysely'
import type { Sessions } from '../../platform/db/schema.js'

/** Of a session's record, which shows `expiryOf()` as its end besides. */
export const sessionColumns = [
  'sessions.id',
  'sessions.user_id',
  'sessions.application_id',
  'sessions.amr',
  'sessions.impersonation_id',
  'sessions.user_agent',
  'sessions.authenticated_at',
  'sessions.last_used_at',
  'sessions.offline_until',
] as const

type Column<Name> = Name extends `sessions.${infer Bare extends keyof Selectable<Sessions>}` ? Bare : never

type SessionRow = Pick<Selectable<Sessions>, Column<(typeof sessionColumns)[number]> | 'expires_at'>

export function toSession(row: SessionRow, tenant: { domain: string; environment: Environment }): Session {
  return {
    __type__: 'Session',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    id: row.id,
    user_id: row.user_id,
    client_id: row.application_id,
    amr: row.amr,
    impersonation_id: row.impersonation_id,
    user_agent: row.user_agent,
    authenticated_at: row.authenticated_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    offline_until: row.offline_until?.toISOString() ?? null,
  }
}
