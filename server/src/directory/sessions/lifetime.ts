import { sessionIdleSeconds, sessionLifetimeSeconds } from '@portico/contract/organization-policy'
import { sql, type RawBuilder } from 'kysely'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

type Owner = Parameters<typeof ofOwner>[0]

/** The release before this one has written this, and no `begun_at`. */
const formerLifetime = sql`interval '8 hours'`

/** When a session that begins, or is renewed, at a time expires by the policy of its organization. */
export function expiryFrom(at: Date, owner: Owner): RawBuilder<Date> {
  const lifetime = ofPolicy('session_lifetime_in_seconds', owner, sessionLifetimeSeconds.default)
  return sql<Date>`(${at}::timestamptz + ${lifetime})`
}

/**
 * When a session of a statement expires. The policy of now holds for those that are open, too, where its sessions are shorter than
 * when they began; without a row of the policy nothing has changed since.
 *
 * @param table Of `sessions` in the statement.
 */
export function expiryOf(table = 'sessions'): RawBuilder<Date> {
  const begunAt = sql`coalesce(${column(table, 'begun_at')}, ${column(table, 'expires_at')} - ${formerLifetime})`
  const lifetime = ofPolicy('session_lifetime_in_seconds', ownerOf(table))
  return sql<Date>`least(${column(table, 'expires_at')}, ${begunAt} + ${lifetime})`
}

/** Whether a session of a statement has not expired. */
export function isUnexpired(at: Date, table = 'sessions'): RawBuilder<boolean> {
  // The column decides for most, before the policy is looked for.
  return sql<boolean>`(${column(table, 'expires_at')} > ${at} and ${expiryOf(table)} > ${at})`
}

/** Whether the browser of a session has used it lately enough. */
export function isUsedLately(at: Date): RawBuilder<boolean> {
  const idle = ofPolicy('session_idle_in_seconds', ownerOf('sessions'), sessionIdleSeconds.default)
  return sql<boolean>`(sessions.browser_used_at > ${at}::timestamptz - ${idle})`
}

/** An interval of the policy. Without a row of it: of so many seconds, or null, which least() passes over. */
function ofPolicy(
  name: 'session_lifetime_in_seconds' | 'session_idle_in_seconds',
  owner: Owner,
  otherwise?: number,
) {
  const found = sql`(
    select policy.${sql.ref(name)} from organization_policies as policy where ${ofOwner(owner, 'policy')}
  )`
  const seconds = otherwise === undefined ? found : sql`coalesce(${found}, ${sql.lit(otherwise)})`
  return sql`(${seconds} * interval '1 second')`
}

function ownerOf(table: string): Owner {
  return {
    accountId: column(table, 'account_id'),
    environment: column(table, 'environment'),
    organizationId: column(table, 'organization_id'),
  }
}

function column(table: string, name: string): RawBuilder<string> {
  return sql`${sql.ref(`${table}.${name}`)}`
}
