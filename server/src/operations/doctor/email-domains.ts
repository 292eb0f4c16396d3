import { sql } from 'kysely'
import { maxNamed, type Finding, type Reader } from './finding.js'

/** Domains that active connections of several organizations of an account own: their addresses are routed to none. */
export async function examineEmailDomains({ db }: Reader): Promise<Finding[]> {
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
  const check = 'E-mail domains'
  if (rows.length === 0)
    return [{ check, ok: true, detail: 'no domain is claimed by connections of two organizations' }]
  return rows.map(({ email_domain: emailDomain, environment, domains }) => ({
    check,
    ok: false,
    detail: `domain_claimed_twice: ${emailDomain} (${environment}) is in email_domains of connections of ${domains}`,
    remedy:
      'leave it to the one that owns it; until then account sign-ins send its addresses to no identity provider',
  }))
}
