import { sessionIdleSeconds, sessionLifetimeSeconds } from '@portico/contract/organization-policy'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { later } from '../../platform/db/later.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner, ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'

/** The organization whose policy is looked up. */
type Owner = Parameters<typeof ofOwner>[0]

/** The same, or `joined`: the statement has its policy as `policy` already. */
type PolicyOf = Owner | 'joined'

/** The release before this one has written this, and no `begun_at`. */
const formerLifetime = sql`interval '8 hours'`

/** When a session that begins, or is renewed, at a time expires by the policy of its organization. */
export function expiryFrom(at: Date, owner: Owner): RawBuilder<Date> {
  const lifetime = ofPolicy('session_lifetime_in_seconds', owner, sessionLifetimeSeconds.default)
  return later(sql`${at}::timestamptz`, lifetime)
}

/**
 * When a session of a statement expires. The policy of now holds for those that are open, too, where its sessions are shorter than
 * when they began; without a row of the policy nothing has changed since. An impersonation has an end of its own.
 *
 * @param table Of `sessions` in the statement.
 * @param owner Of all its sessions, where the statement is about many: their policy is looked up once.
 */
export function expiryOf(table = 'sessions', owner: PolicyOf = ownerOf(table)): RawBuilder<Date> {
  const formerBegin = later(column(table, 'expires_at'), sql`- ${formerLifetime}`)
  const begunAt = sql`coalesce(${column(table, 'begun_at')}, ${formerBegin})`
  const lifetime = ofPolicy('session_lifetime_in_seconds', owner)
  return sql<Date>`case
    when ${column(table, 'impersonation_id')} is null
    then least(${column(table, 'expires_at')}, ${later(begunAt, lifetime)})
    else ${column(table, 'expires_at')}
  end`
}

/** Whether a session of a statement has not expired. */
export function isUnexpired(
  at: Date,
  table = 'sessions',
  owner: PolicyOf = ownerOf(table),
): RawBuilder<boolean> {
  // The column decides for most, before the policy is looked for.
  return sql<boolean>`(${column(table, 'expires_at')} > ${at} and ${expiryOf(table, owner)} > ${at})`
}

/** Whether a proof is older than a session of the tenant's organization may become. */
export async function isTooOldForSession(
  db: Kysely<DB>,
  tenant: Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>,
  { provedAt, at }: { readonly provedAt: Date; readonly at: Date },
): Promise<boolean> {
  const found = await db
    .selectFrom('organization_policies')
    .where(ofTenant(tenant))
    .where(
      sql<boolean>`${provedAt}::timestamptz + session_lifetime_in_seconds * interval '1 second' <= ${at}::timestamptz`,
    )
    .select('version')
    .executeTakeFirst()
  return found !== undefined
}

/** Whether the browser of a session has used it lately enough. */
export function isUsedLately(at: Date, owner: PolicyOf = ownerOf('sessions')): RawBuilder<boolean> {
  const idle = ofPolicy('session_idle_in_seconds', owner, sessionIdleSeconds.default)
  return sql<boolean>`(sessions.browser_used_at > ${later(sql`${at}::timestamptz`, sql`- ${idle}`)})`
}

/** An interval of the policy. Without a row of it: of so many seconds, or null, which least() passes over. */
function ofPolicy(
  name: 'session_lifetime_in_seconds' | 'session_idle_in_seconds',
  owner: PolicyOf,
  otherwise?: number,
) {
  const column = sql.ref(`policy.${name}`)
  const found =
    owner === 'joined'
      ? column
      : sql`(select ${column} from organization_policies as policy where ${ofOwner(owner, 'policy')})`
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
