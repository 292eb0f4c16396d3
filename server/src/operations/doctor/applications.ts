import { sql } from 'kysely'
import { maxNamed, type Finding, type Reader } from './finding.js'

/** Applications whose sign-ins need neither PKCE nor a nonce: a deliberate setting, for tools that send neither. */
export async function examineApplications({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<{ name: string; domain: string; environment: string }>`
    select applications.name, coalesce(organizations.domain, accounts.domain) as domain, applications.environment
    from applications
    join accounts on accounts.id = applications.account_id
    left join organizations on organizations.account_id = applications.account_id
      and organizations.id = applications.organization_id
    where applications.pkce = 'optional' and applications.deleted_at is null
    order by 2, 3, 1 limit ${maxNamed}`.execute(db)
  const check = 'Applications'
  if (rows.length === 0) return [{ check, ok: true, detail: 'every sign-in is bound by PKCE or a nonce' }]
  return rows.map(({ name, domain, environment }) => ({
    check,
    ok: true,
    detail: `pkce is optional: sign-ins of ${name} of ${domain} (${environment}) need neither PKCE nor a nonce`,
  }))
}
