import { sql } from 'kysely'
import type { Config } from '../config.js'
import type { OpenDeps } from '../deps.js'
import { openSmtp } from '../mail/smtp.js'
import { countSealed } from '../master-keys/rewrap.js'

export interface Finding {
  readonly check: string
  readonly ok: boolean
  /** What was found, and, when it is not right, what to do. */
  readonly detail: string
}

const oldestPostgres = 15
const maxSkewMs = 2_000
/** A job that is due longer than this is not waiting for its turn: nobody runs it. */
const overdueMs = 5 * 60_000
const smtpTimeoutMs = 10_000
const namedOrganizations = 20

/** Checks what can be told from the configuration alone, and what it names outside the database. */
export async function examineSurroundings(config: Config): Promise<Finding[]> {
  return [examineProxies(config), await examineMail(config)]
}

/** Checks the database and what is in it. */
export async function examineDatabase(deps: OpenDeps): Promise<Finding[]> {
  const findings = [await examineVersion(deps), await examineClock(deps), examineMigrations(deps)]
  if (deps.pendingMigrations.length > 0) return findings
  return [
    ...findings,
    await examineSeals(deps),
    await examineJobs(deps),
    ...(await examineRequiredMetadata(deps)),
  ]
}

function examineProxies({ isHttps, trustedProxies }: Config): Finding {
  const check = 'Proxy'
  if (!isHttps) return { check, ok: true, detail: 'BASE_URL is http on loopback; no proxy is expected' }
  if (trustedProxies.length > 0) return { check, ok: true, detail: `trusts ${trustedProxies.join(', ')}` }
  return {
    check,
    ok: false,
    detail:
      'BASE_URL is https and no proxy is trusted, so that every request is refused as plain http: set TRUSTED_PROXIES to ' +
      'the address of the proxy that ends TLS',
  }
}

async function examineMail({ mail: { smtpUrl } }: Config): Promise<Finding> {
  const check = 'Mail'
  if (smtpUrl === undefined)
    return {
      check,
      ok: true,
      detail: 'no SMTP_URL: mails of the sandbox are kept in the outbox, others fail',
    }
  const { host } = new URL(smtpUrl)
  const transport = openSmtp(smtpUrl, { connectMs: smtpTimeoutMs, silenceMs: smtpTimeoutMs })
  try {
    await transport.verify()
    return { check, ok: true, detail: `${host} answers and accepts the login` }
  } catch (error) {
    return { check, ok: false, detail: `${host} does not take mail (${messageOf(error)}): check SMTP_URL` }
  } finally {
    transport.close()
  }
}

async function examineVersion({ db }: OpenDeps): Promise<Finding> {
  const { rows } = await sql<{ number: number; version: string }>`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as version
    `.execute(db)
  const [{ number, version } = { number: 0, version: 'unknown' }] = rows
  const ok = number >= oldestPostgres * 10_000
  return {
    check: 'Database',
    ok,
    detail: ok ? `Postgres ${version}` : `Postgres ${version} is too old: use ${oldestPostgres} or newer`,
  }
}

async function examineClock({ db, now }: OpenDeps): Promise<Finding> {
  const before = now().getTime()
  // eslint-disable-next-line portico/sql-clock -- the clock of the database is what this asks about
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  const middle = (before + now().getTime()) / 2
  const skewMs = Math.round((rows[0]?.at.getTime() ?? middle) - middle)
  const ok = Math.abs(skewMs) <= maxSkewMs
  const apart = `${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead'}`
  return {
    check: 'Clock',
    ok,
    detail: ok
      ? `the database's is ${apart}`
      : `the database's is ${apart}: let both machines take their time by NTP, for tokens and links end by it`,
  }
}

function examineMigrations({ pendingMigrations }: OpenDeps): Finding {
  const { length } = pendingMigrations
  return {
    check: 'Migrations',
    ok: length === 0,
    detail: length === 0 ? 'none is missing' : `${length} are missing: run portico migrate`,
  }
}

async function examineSeals({ db, keys: { master } }: OpenDeps): Promise<Finding> {
  const versions = new Set((await countSealed(db)).map(({ version }) => version))
  const unknown = [...versions].filter((version) => !master.byVersion.has(version))
  const outdated = [...versions].filter((version) => version !== master.currentVersion)
  const check = 'Master keys'
  if (unknown.length > 0)
    return {
      check,
      ok: false,
      detail: `values are sealed with ${unknown.join(', ')}, not in MASTER_KEYS: add it after ${master.currentVersion}`,
    }
  const rest = outdated.length === 0 ? '' : `; ${outdated.join(', ')} still needed, until portico keys rewrap`
  return { check, ok: true, detail: `they open what is sealed; ${master.currentVersion} is current${rest}` }
}

async function examineJobs({ db, now }: OpenDeps): Promise<Finding> {
  const overdueBefore = new Date(now().getTime() - overdueMs)
  const { rows } = await sql<{ dead: number; overdue: number }>`
    select
      (count(*) filter (where run_at = 'infinity'))::integer as dead,
      (count(*) filter (where run_at < ${overdueBefore}))::integer as overdue
    from jobs`.execute(db)
  const [{ dead, overdue } = { dead: 0, overdue: 0 }] = rows
  const faults = [
    ...(overdue > 0
      ? [`${overdue} are overdue: start portico worker, or portico serve without --no-worker`]
      : []),
    ...(dead > 0
      ? [`${dead} failed for the last time: read last_error in the table jobs where run_at is infinity`]
      : []),
  ]
  return {
    check: 'Jobs',
    ok: faults.length === 0,
    detail: faults.join('; ') || 'none is overdue, none has failed for good',
  }
}

/** Users whom a key that became required later, or a sign-in, left without its value. They are not locked out. */
async function examineRequiredMetadata({ db }: OpenDeps): Promise<Finding[]> {
  const { rows } = await sql<{ domain: string; environment: string; users: number }>`
    select organizations.domain, users.environment, count(distinct users.id)::integer as users
    from meta_keys
    join organizations on organizations.account_id = meta_keys.account_id
      and organizations.id = meta_keys.organization_id and organizations.deleted_at is null
    join users on users.account_id = meta_keys.account_id
      and users.organization_id = meta_keys.organization_id and users.deleted_at is null
    where meta_keys.required and not exists (
      select from user_metadata data
      where data.account_id = users.account_id and data.environment = users.environment
        and data.organization_id = users.organization_id and data.user_id = users.id
        and data.meta_key_id = meta_keys.id
    )
    group by 1, 2 order by 3 desc, 1, 2 limit ${namedOrganizations}`.execute(db)
  const check = 'Metadata'
  if (rows.length === 0)
    return [{ check, ok: true, detail: 'every user has what their organization requires' }]
  return rows.map(({ domain, environment, users }) => ({
    check,
    ok: false,
    detail:
      `${users} users of ${domain} (${environment}) lack metadata that it requires: ` +
      'set it, or declare the key as not required',
  }))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
