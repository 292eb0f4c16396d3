import { sql } from 'kysely'
import { publicMailDomains } from '../../platform/public-mail-domains.js'
import { maxNamed, type Finding, type Reader } from './finding.js'

/** The migration from which a connection is authoritative for its domains alone. */
export const domainsMigration = '0034-domains'

const check = 'Coming with the migrations'

/** What the next migration changes for connections, told before it runs: it reads nothing that the migration makes. */
export async function examineComingDomains(reader: Reader): Promise<Finding[]> {
  const findings = [
    ...(await findBounded(reader)),
    ...(await findKeptTrusting(reader)),
    ...(await findPublicMail(reader)),
  ]
  return findings.length > 0
    ? findings
    : [{ check, ok: true, detail: 'no connection signs in others than now' }]
}

/** Active connections, each with the names of its domains and whether it is the only one of its organization. */
const connections = sql`
  select connection.idp_id, connection.environment, organizations.domain, connection.email_domains,
    coalesce(organizations.allowed_email_domains, '{}') as allowed_email_domains,
    not exists (
      select from sso_connections as other
      where other.account_id = connection.account_id and other.environment = connection.environment
        and other.organization_id = connection.organization_id and other.id <> connection.id
    ) as is_only,
    exists (
      select from user_identities as identity
      where identity.account_id = connection.account_id and identity.environment = connection.environment
        and identity.organization_id = connection.organization_id and identity.idp_id = connection.idp_id
    ) as is_used
  from sso_connections as connection
  join organizations on organizations.account_id = connection.account_id
    and organizations.id = connection.organization_id and organizations.deleted_at is null
  where connection.active`

interface ComingRow {
  readonly idp_id: string
  readonly environment: string
  readonly domain: string
  readonly email_domains: string[]
}

/** The only connection of an organization without a list was authoritative for every address, also with domains of its own. */
async function findBounded({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<ComingRow>`
    select * from (${connections}) as coming
    where is_only and cardinality(email_domains) > 0
    order by environment, domain, idp_id limit ${maxNamed}`.execute(db)
  return rows.map(({ idp_id: idpId, environment, domain, email_domains: names }) => ({
    check,
    ok: true,
    detail: `${idpId} (${environment}) of ${domain} will sign in new users, and link others, of ${names.join(', ')} alone; who has signed in by it goes on`,
    remedy:
      'if it is to sign in others, add their domains to its email_domains before, or set other_domains after',
  }))
}

async function findKeptTrusting({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<ComingRow>`
    select * from (${connections}) as coming
    where is_only and is_used and cardinality(email_domains) = 0 and cardinality(allowed_email_domains) = 0
    order by environment, domain, idp_id limit ${maxNamed}`.execute(db)
  return rows.map(({ idp_id: idpId, environment, domain }) => ({
    check,
    ok: true,
    detail: `${idpId} (${environment}) of ${domain} names no domain and is used: it gets other_domains any_address, and is authoritative for every address as before`,
    remedy: 'name its domains in email_domains, and set other_domains to null after',
  }))
}

async function findPublicMail({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<{ name: string; domain: string; environment: string }>`
    select distinct named.name, coming.domain, coming.environment
    from (${connections}) as coming
    cross join lateral unnest(coming.email_domains || coming.allowed_email_domains) as named (name)
    where named.name = any(${[...publicMailDomains]}::text[])
    order by 1, 2, 3 limit ${maxNamed}`.execute(db)
  return rows.map(({ name, domain, environment }) => ({
    check,
    ok: true,
    detail: `${name} is named for ${domain} (${environment}): no connection will be authoritative for its addresses, because anybody can have one`,
    remedy: 'nothing, where it is only to allow these addresses; their users sign in by a link or a password',
  }))
}
