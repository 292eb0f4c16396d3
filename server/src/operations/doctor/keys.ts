import { nilId } from '@portico/contract/fields'
import { sql } from 'kysely'
import { isCanaryOpenable } from '../../platform/db/master-key-canary.js'
import { newerMigrations } from '../../platform/db/migration-plan.js'
import type { DB } from '../../platform/db/schema.js'
import { countKnown, countSealed } from '../master-keys/rewrap.js'
import { findUnopenable } from '../master-keys/unopenable.js'
import { endsBefore } from '../../sso/connections/watch-certificates.js'
import { countOf, maxNamed, type Finding, type Reader } from './finding.js'

const dayMs = 24 * 60 * 60_000
/** As early as the event that warns of a certificate. */
const warningDays = 30

/** Whether the master keys are those of the database. */
export async function examineCanary({ db, keys: { master } }: Reader): Promise<Finding[]> {
  const check = 'Master keys'
  if ((await isCanaryOpenable(db, master)) !== false)
    return [{ check, ok: true, detail: `${master.currentVersion} is current` }]
  return [
    {
      check,
      ok: false,
      detail: 'MASTER_KEYS are not the keys that this database was sealed with',
      remedy:
        'set those that it was created with (on the embedded default: the file master-keys in DATA_DIR), the newest first',
    },
  ]
}

/** Whether the master keys open the sealed values. */
export async function examineSeals(reader: Reader): Promise<Finding[]> {
  const canary = await examineCanary(reader)
  if (canary.some(({ ok }) => !ok)) return canary
  const { db, keys } = reader
  const { master } = keys
  const check = 'Master keys'
  const isNewer = (await newerMigrations(db)).length > 0
  const counts = isNewer ? await countKnown<DB>(db) : await countSealed<DB>(db)
  const versions = new Set(counts.map(({ version }) => version))
  const unknown = [...versions].filter((version) => !master.byVersion.has(version))
  const unopenable = await findUnopenable(db, master)
  const faults: Finding[] = unopenable.map(({ table, column, count, first }) => ({
    check,
    ok: false,
    detail:
      `${countOf(count, 'value')} of ${table}.${column}, of the first 1,000, ${count === 1 ? 'does' : 'do'} not open: ` +
      `altered or moved; ${Object.entries(first)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`,
    remedy: 'restore these records from a backup, or remove them',
  }))
  if (unknown.length > 0)
    faults.push({
      check,
      ok: false,
      detail: `values are sealed with ${unknown.join(', ')}, not in MASTER_KEYS`,
      remedy: `add it after ${master.currentVersion}`,
    })
  if (faults.length > 0) return faults
  const outdated = [...versions].filter((version) => version !== master.currentVersion)
  const rest = outdated.length === 0 ? '' : `; ${outdated.join(', ')} still needed, until portico keys rewrap`
  const known = isNewer ? ', as far as this release knows it' : ''
  return [
    {
      check,
      ok: true,
      detail: `they open what is sealed${known}; ${master.currentVersion} is current${rest}`,
    },
  ]
}

/** Organizations (in each environment) and accounts (for their API tokens, and as issuers) without a key to sign with. */
export async function examineSigningKeys({ db }: Reader): Promise<Finding[]> {
  const check = 'Signing keys'
  const { rows } = await sql<{
    domain: string
    purpose: keyof typeof owners
    environment: string
    algorithm: string
    all: number
  }>`
    with owners as (
      select account_id, id as organization_id, domain, 'organization' as purpose
      from organizations where deleted_at is null
      union all
      select id, ${nilId}::uuid, domain, 'api' from accounts
      union all
      select id, id, domain, 'account' from accounts
    ), wanted as (
      select owners.*, environment, 'ES256' as algorithm
      from owners cross join unnest(array['production', 'sandbox']) environment
      union
      select owners.*, environment, algorithm
      from owners join signing_keys using (account_id, organization_id) where state in ('next', 'retired')
    )
    select domain, purpose, environment, algorithm, (count(*) over ())::integer as all
    from wanted
    where not exists (
      select from signing_keys
      where account_id = wanted.account_id and environment = wanted.environment
        and organization_id = wanted.organization_id and algorithm = wanted.algorithm and state = 'active'
    )
    order by purpose = 'organization', domain, purpose desc, environment, algorithm limit ${maxNamed}`.execute(
    db,
  )
  if (rows.length === 0) return [{ check, ok: true, detail: 'each owner has an active one' }]
  return rows.map(({ domain, purpose, environment, algorithm, all }) => {
    const { named, verb, options } = owners[purpose]
    return {
      check,
      ok: false,
      detail: `${named(domain)} (${environment}) ${verb} no active key for ${algorithm}${all > 1 ? `, one of ${all}` : ''}`,
      remedy: `portico keys rotate ${options(domain)} --environment ${environment}`,
    }
  })
}

/** The owners of signing keys in sentences, and in the options of the command. */
const owners = {
  organization: {
    named: (domain: string) => domain,
    verb: 'has',
    options: (domain: string) => `--organization ${domain}`,
  },
  api: {
    named: (domain: string) => `the API tokens of the account ${domain}`,
    verb: 'have',
    options: (domain: string) => `--account ${domain}`,
  },
  account: {
    named: (domain: string) => `the account ${domain} as an issuer`,
    verb: 'has',
    options: (domain: string) => `--account ${domain} --issuer`,
  },
} as const

/** API keys that have expired and are not revoked. */
export async function examineApiKeys({ db, at }: Reader): Promise<Finding[]> {
  const check = 'API keys'
  const { rows } = await sql<{ id: string; name: string; domain: string; expiredAt: Date; all: number }>`
    select api_keys.id, api_keys.name, accounts.domain, expires_at as "expiredAt",
      (count(*) over ())::integer as all
    from api_keys join accounts on accounts.id = api_keys.account_id
    where revoked_at is null and expires_at <= ${at}
    order by expires_at desc, api_keys.id limit ${maxNamed}`.execute(db)
  if (rows.length === 0) return [{ check, ok: true, detail: 'none has expired' }]
  return rows.map(({ id, name, domain, expiredAt, all }) => ({
    check,
    ok: false,
    detail: `${name} of ${domain} expired on ${day(expiredAt)}${all > 1 ? `, one of ${all}` : ''}`,
    remedy: `give its user another one with portico api-key create, then portico api-key revoke ${id}`,
  }))
}

/** Active SSO connections whose newest certificate has expired, or will within 30 days. */
export async function examineCertificates({ db, at }: Reader): Promise<Finding[]> {
  const check = 'Certificates'
  const { rows } = await sql<{
    domain: string
    environment: string
    id: string
    isOver: boolean
    all: number
  }>`
    select organizations.domain, sso_connections.environment, sso_connections.id, ${endsBefore(at)} as "isOver",
      (count(*) over ())::integer as all
    from sso_connections
    join organizations on organizations.account_id = sso_connections.account_id
      and organizations.id = sso_connections.organization_id and organizations.deleted_at is null
    where sso_connections.active and ${endsBefore(new Date(at.getTime() + warningDays * dayMs))}
    order by 4 desc, 1, 2, 3 limit ${maxNamed}`.execute(db)
  if (rows.length === 0)
    return [{ check, ok: true, detail: `no SSO connection's ends within ${warningDays} days` }]
  return rows.map(({ domain, environment, id, isOver, all }) => ({
    check,
    ok: false,
    detail:
      `the certificate of the SSO connection ${id} of ${domain} (${environment}) ` +
      `${isOver ? 'has expired' : `expires within ${warningDays} days`}${all > 1 ? `, one of ${all}` : ''}`,
    remedy: 'upload the metadata that its identity provider has now, or deactivate the connection',
  }))
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10)
}
