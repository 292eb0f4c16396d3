import type { Health, HealthCode } from '@portico/contract/health'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isOrganizationOf, ofEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'
import { keepRecentlyUsed } from '../../platform/recently-used.js'
import type { Caller } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { endsBefore } from '../../sso/connections/watch-certificates.js'

const minuteMs = 60 * 1000
const dayMs = 24 * 60 * minuteMs
/** How long the figures of an account and environment are kept, and of how many. */
const keptMs = 30 * 1000
const mostKept = 1_000

type Owner = Pick<Caller, 'accountId' | 'accountDomain' | 'environment'>

/** Makes the function that reads what may need attention in the caller's account and environment, up to 30 seconds old. */
export function createHealthReader({ readDb, now }: Pick<Deps, 'readDb' | 'now'>) {
  const kept = new Map<string, { readonly at: number; readonly health: Promise<Health> }>()
  return function readHealth(caller: Owner): Promise<Health> {
    const at = now()
    const key = `${caller.accountId} ${caller.environment}`
    const known = kept.get(key)
    const age = at.getTime() - (known?.at ?? Number.NEGATIVE_INFINITY)
    if (known !== undefined && age >= 0 && age < keptMs) return known.health
    const health = getHealth({ readDb }, caller, at)
    // A failure is not kept.
    health.catch(() => kept.delete(key))
    return keepRecentlyUsed(kept, key, { at: at.getTime(), health }, mostKept).health
  }
}

async function getHealth({ readDb }: Pick<Deps, 'readDb'>, owner: Owner, at: Date): Promise<Health> {
  const found = await readTiles(readDb, owner, at)
  return {
    __type__: 'Health',
    __domain__: owner.accountDomain,
    __environment__: owner.environment,
    as_of: at.toISOString(),
    tiles: found.map(({ code, count, since }) => ({ code, count, since: since?.toISOString() ?? null })),
  }
}

interface Tile {
  readonly code: HealthCode
  readonly count: number
  readonly since: Date | null
}

/** Reads all of them in one statement. */
async function readTiles(db: Kysely<DB>, owner: Owner, at: Date): Promise<Tile[]> {
  const tiles = tilesOf(owner, at)
  const selects = Object.entries(tiles).map(
    ([code, { since, from }]) =>
      sql`select ${sql.lit(code)} as code, count(*)::integer as count, ${since} as since ${from}`,
  )
  const { rows } = await sql<Tile>`${sql.join(selects, sql` union all `)}`.execute(db)
  return rows
}

/** What counts for each code: the rows, and their earliest time. */
function tilesOf(
  owner: Owner,
  at: Date,
): Record<HealthCode, { readonly since: RawBuilder<unknown>; readonly from: RawBuilder<unknown> }> {
  const inMs = (ms: number) => new Date(at.getTime() + ms)
  const own = (table: keyof DB) => ofEnvironment(owner, table)
  const dayAgo = inMs(-dayMs)
  return {
    webhooks_failing: {
      since: sql`min(failing_since)`,
      from: sql`from webhooks where ${own('webhooks')} and deleted_at is null and active and failing_since is not null`,
    },
    deliveries_lost: {
      since: sql`min(webhook_deliveries.inserted_at)`,
      from: sql`
        from webhook_deliveries
        where ${own('webhook_deliveries')} and state in ('failed', 'lost') and inserted_at > ${dayAgo}`,
    },
    certificates_ending: {
      since: sql`null::timestamptz`,
      from: sql`
        ${liveConnections(owner)} and ${endsBefore(inMs(30 * dayMs))}`,
    },
    sso_connections_failing: {
      since: sql`min(last_attempts.since)`,
      from: sql`
        from sso_connections
        join organizations on ${isOrganizationOf('organizations', 'sso_connections')}
        cross join lateral (
          select min(attempts.inserted_at) as since from (
            select sso_login_traces.outcome, sso_login_traces.inserted_at from sso_login_traces
            where ${sameTenant('sso_login_traces', 'sso_connections')}
              and sso_login_traces.connection_id = sso_connections.id
              and sso_login_traces.outcome <> 'arrived' and sso_login_traces.kind <> 'test'
            order by sso_login_traces.inserted_at desc, sso_login_traces.id desc limit 3
          ) attempts
          having count(*) = 3 and bool_and(attempts.outcome = 'failed')
        ) last_attempts
        where ${own('sso_connections')} and sso_connections.active and organizations.deleted_at is null`,
    },
    directories_refusing: {
      since: sql`min(refused.since)`,
      from: sql`
        from directories
        join organizations on ${isOrganizationOf('organizations', 'directories')}
        cross join lateral (
          select scim_requests.inserted_at as since from scim_requests
          where ${sameTenant('scim_requests', 'directories')}
            and scim_requests.directory_id = directories.id and scim_requests.inserted_at > ${dayAgo}
            and scim_requests.status >= 400
          order by scim_requests.inserted_at limit 1
        ) refused
        where ${own('directories')} and directories.active and organizations.deleted_at is null`,
    },
    messages_failed: {
      since: sql`min(coalesce(returned_at, inserted_at))`,
      from: sql`${jobsOf(owner)} and run_at = 'infinity' and ${isOfMessage}`,
    },
    jobs_failed: {
      since: sql`min(coalesce(returned_at, inserted_at))`,
      from: sql`${jobsOf(owner)} and run_at = 'infinity' and not ${isOfMessage}`,
    },
    jobs_overdue: {
      since: sql`min(run_at)`,
      from: sql`${jobsOf(owner)} and run_at <= ${inMs(-5 * minuteMs)}`,
    },
    api_keys_ending: {
      since: sql`min(expires_at)`,
      from: sql`
        from api_keys
        where ${own('api_keys')} and revoked_at is null
          and expires_at > ${at} and expires_at <= ${inMs(14 * dayMs)}`,
    },
    api_keys_unused: {
      since: sql`min(coalesce(last_used_at, inserted_at))`,
      from: sql`
        from api_keys
        where ${own('api_keys')} and revoked_at is null and coalesce(expires_at > ${at}, true)
          and coalesce(last_used_at, inserted_at) <= ${inMs(-90 * dayMs)}`,
    },
  }
}

function liveConnections(owner: Owner) {
  return sql`
    from sso_connections
    join organizations on ${isOrganizationOf('organizations', 'sso_connections')}
    where ${ofEnvironment(owner, 'sso_connections')} and sso_connections.active and organizations.deleted_at is null`
}

/** The jobs of the account, of the environment or of both. */
function jobsOf({ accountId, environment }: Owner) {
  return sql`
    from jobs
    where account_id = ${accountId} and coalesce(payload->>'environment', ${environment}) = ${environment}`
}

/** Mails and text messages have the names of their jobs in common. */
const isOfMessage = sql`(name like 'send\\_%' and name <> 'send_logout_token')`
