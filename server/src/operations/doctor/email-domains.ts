import { sql } from 'kysely'
import { countedDomains } from '../../directory/domains/authority.js'
import { maxNamed, type Finding, type Reader } from './finding.js'

const check = 'E-mail domains'

/** What e-mail domains say of connections: who claims one twice, trusts every address, or names what does not count. */
export async function examineEmailDomains(reader: Reader): Promise<Finding[]> {
  const findings = [
    ...(await findClaimedTwice(reader)),
    ...(await findTrusting(reader)),
    ...(await findUncounted(reader)),
  ]
  return findings.length > 0
    ? findings
    : [{ check, ok: true, detail: 'no domain is claimed by connections of two organizations' }]
}

/** Domains that active connections of several organizations of an account own: their addresses are routed to none. */
async function findClaimedTwice({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<{ email_domain: string; environment: string; domains: string }>`
    select claimed.email_domain, connection.environment,
      string_agg(distinct organizations.domain, ', ' order by organizations.domain) as domains
    from sso_connections as connection
    cross join lateral unnest(connection.email_domains) as claimed (email_domain)
    join organizations on organizations.account_id = connection.account_id
      and organizations.id = connection.organization_id and organizations.deleted_at is null
    where connection.active
    group by connection.account_id, connection.environment, claimed.email_domain
    having count(distinct connection.organization_id) > 1
    order by 1, 2 limit ${maxNamed}`.execute(db)
  return rows.map(({ email_domain: emailDomain, environment, domains }) => ({
    check,
    ok: false,
    detail: `domain_claimed_twice: ${emailDomain} (${environment}) is in email_domains of connections of ${domains}`,
    remedy:
      'leave it to the one that owns it; until then account sign-ins send its addresses to no identity provider',
  }))
}

/** Connections that the account has let be authoritative for every address. */
async function findTrusting({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<{ idp_id: string; environment: string; domain: string }>`
    select connection.idp_id, connection.environment, organizations.domain
    from sso_connections as connection
    join organizations on organizations.account_id = connection.account_id
      and organizations.id = connection.organization_id and organizations.deleted_at is null
    where connection.active and connection.other_domains = 'any_address' and connection.provider_type <> 'test'
    order by 2, 3, 1 limit ${maxNamed}`.execute(db)
  return rows.map(({ idp_id: idpId, environment, domain }) => ({
    check,
    ok: true,
    detail: `any_address: whoever controls the identity provider of ${idpId} (${environment}) can sign in as any user of ${domain}`,
    remedy: 'name its domains in email_domains, and set other_domains to null',
  }))
}

/** Domains that connections name, or their organizations, and that are neither proved nor declared. */
async function findUncounted({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<{ name: string; environment: string; domain: string }>`
    select distinct named.name, connection.environment, organizations.domain
    from sso_connections as connection
    join organizations on organizations.account_id = connection.account_id
      and organizations.id = connection.organization_id and organizations.deleted_at is null
    cross join lateral unnest(connection.email_domains || organizations.allowed_email_domains) as named (name)
    where connection.active
      and named.name <> all(${countedDomains(
        sql`connection.email_domains || organizations.allowed_email_domains`,
        'connection',
      )})
    order by 1, 2, 3 limit ${maxNamed}`.execute(db)
  return rows.map(({ name, environment, domain }) => ({
    check,
    ok: true,
    detail: `domain_not_counted: ${name} is named for ${domain} (${environment}), and no connection is authoritative for its addresses`,
    remedy: `prove it by its record, or declare it; a domain of a mail provider stays a filter of who may sign in`,
  }))
}
