import { sql } from 'kysely'
import { maxNamed, type Finding, type Reader } from './finding.js'

/** Applications to which connections lead sign-ins that they would have to begin themselves, at an address that they do not name. */
export async function examineDefaultRedirections({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<{ name: string; domain: string; environment: string; idp_id: string }>`
    select applications.name, organizations.domain, redirection.environment, connection.idp_id
    from sso_default_redirections redirection
    join organizations on organizations.account_id = redirection.account_id
      and organizations.id = redirection.organization_id and organizations.deleted_at is null
    join sso_connections connection on connection.account_id = redirection.account_id
      and connection.environment = redirection.environment
      and connection.organization_id = redirection.organization_id
      and connection.id = redirection.connection_id
    join applications on applications.account_id = redirection.account_id
      and applications.environment = redirection.environment and applications.id = redirection.application_id
    where redirection.is_current
      and connection.active and connection.protocol = 'saml' and connection.idp_initiated <> 'reject'
      and applications.deleted_at is null and applications.initiate_login_uri is null
      and (applications.code_exchange = 'pkce' or applications.client_authentication <> 'none')
    order by 2, 3, 4 limit ${maxNamed}`.execute(db)
  const check = 'Default redirections'
  if (rows.length === 0)
    return [
      { check, ok: true, detail: 'sign-ins that begin at an identity provider end at their application' },
    ]
  return rows.map(({ name, domain, environment, idp_id: idpId }) => ({
    check,
    ok: true,
    detail: `sign-ins that begin at the identity provider of ${idpId} of ${domain} (${environment}) end on a page: ${name} has no initiate_login_uri`,
    remedy: 'set it to the address at which the application begins a sign-in',
  }))
}
