import { sql, type Expression, type RawBuilder } from 'kysely'

/**
 * Domains of addresses for which something is authoritative: each of them as it is, and with a dot before it where its subdomains
 * belong to it.
 */
export type CoveredDomains = readonly string[]

/** Whether the domain of an address is covered. */
export function isCovered(covered: CoveredDomains, emailDomain: string): boolean {
  return covered.some((entry) =>
    entry.startsWith('.') ? emailDomain.endsWith(entry) : emailDomain === entry,
  )
}

/** The same as a part of a statement. */
export function isCoveredBy(
  covered: RawBuilder<readonly string[]>,
  emailDomain: RawBuilder<string>,
): RawBuilder<boolean> {
  return sql`exists (
    select from unnest(${covered}) as covered (entry)
    where covered.entry = ${emailDomain}
      or (left(covered.entry, 1) = '.' and right(${emailDomain}, length(covered.entry)) = covered.entry)
  )`
}

/** The domain of an address, and those above it: each may be the one that includes it. */
export function selfAndParentsOf(emailDomain: string): string[] {
  const labels = emailDomain.split('.')
  return labels.slice(0, -1).map((_, first) => labels.slice(first).join('.'))
}

/**
 * Those of some names that are domains of the organization which count: proved or declared, by themselves or by one that
 * includes its subdomains.
 *
 * @param names Of type text[].
 * @param owner A table or alias of the statement, with account, environment and organization.
 */
export function countedDomains(names: RawBuilder<unknown>, owner: string): RawBuilder<string[]> {
  const owners = (column: string) => sql.ref(`${owner}.${column}`)
  // By equality with each possible name, so that the unique key finds it, however many domains there are. The planner takes the
  // labels for ten, and those of a series for a thousand, beside which the cost of whatever the statement is about is nothing.
  // Without array_to_string(), which is stable: a cluster refuses it in a statement that writes.
  return sql`array(
    select distinct covered.entry
    from unnest(${names}) as named (name)
    cross join lateral unnest(string_to_array(named.name, '.')) with ordinality as label (text, place)
    join domains as counted on counted.account_id = ${owners('account_id')}
      and counted.environment = ${owners('environment')}
      and counted.organization_id = ${owners('organization_id')}
      and counted.domain = regexp_replace(named.name, '^([^.]*[.]){' || (label.place - 1)::text || '}', '')
      and (label.place = 1 or counted.include_subdomains)
      and counted.state in ('verified', 'lapsing', 'declared')
    cross join lateral (
      values (named.name), (case when counted.include_subdomains then '.' || named.name end)
    ) as covered (entry)
    where covered.entry is not null
    order by 1
  )`
}

/**
 * Whether a connection names the domain of an address, or one that includes it, and it counts.
 *
 * @param emailDomains As of selfAndParentsOf(), so that the index of the names finds the connection.
 */
export function ownsDomain(
  connection: string,
  { emailDomain, emailDomains }: { readonly emailDomain: string; readonly emailDomains: readonly string[] },
): RawBuilder<boolean> {
  const names = sql.ref(`${connection}.email_domains`)
  return sql`(
    ${names} && ${emailDomains}::text[]
    and ${isCoveredBy(countedDomains(names, connection), sql`${emailDomain}::text`)}
  )`
}

/**
 * The domains for which a connection is authoritative: those that it names, or, where it names none, those of the
 * organization's list that no connection names; as far as they count. An identity provider could otherwise take over, or
 * make beforehand, the users of another company.
 *
 * @param connection The alias of `sso_connections` in the statement.
 * @param organizations The alias of `organizations`.
 */
export function authoritativeDomains(
  connection: string,
  organizations = 'organizations',
): RawBuilder<string[]> {
  const its = (column: string) => sql.ref(`${connection}.${column}`)
  return countedDomains(
    sql`case
      when cardinality(${its('email_domains')}) > 0 then ${its('email_domains')}
      else array(
        select listed.name
        from unnest(${sql.ref(`${organizations}.allowed_email_domains`)}) as listed (name)
        where not exists (
          select from sso_connections as naming
          where naming.account_id = ${its('account_id')}
            and naming.environment = ${its('environment')}
            and naming.organization_id = ${its('organization_id')}
            and listed.name = any(naming.email_domains)
        )
      )
    end`,
    connection,
  )
}

/** A value, or a part of SQL that yields it. */
type Value = string | RawBuilder<string> | Expression<string>

/** An address in an organization and environment, as parameters or columns of a statement. */
export interface AddressInOrganization {
  readonly accountId: Value
  readonly environment: Value
  readonly organizationId: Value
  readonly emailNormalized: Value
}

/** Whether a domain of the statement covers an address. */
function covers(domains: string, emailDomain: RawBuilder<string>): RawBuilder<boolean> {
  const its = (column: string) => sql.ref(`${domains}.${column}`)
  return sql`(
    ${its('domain')} = ${emailDomain}
    or (
      ${its('include_subdomains')}
      and right(${emailDomain}, length(${its('domain')}) + 1) = '.' || ${its('domain')}
    )
  )`
}

/** Whether the organization has proved the domain of an address: declared is not enough. */
export function isOfVerifiedDomain({
  accountId,
  environment,
  organizationId,
  emailNormalized,
}: AddressInOrganization): RawBuilder<boolean> {
  return sql`exists (
    select from domains as verified
    where verified.account_id = ${accountId}
      and verified.environment = ${environment}
      and verified.organization_id = ${organizationId}
      and verified.state in ('verified', 'lapsing')
      and ${covers('verified', domainOf(emailNormalized))}
  )`
}

function domainOf(emailNormalized: Value): RawBuilder<string> {
  return sql<string>`substring(${emailNormalized} from '[^@]*$')`
}

/**
 * Whether an address signs in by single sign-on alone: its domain counts and demands it, a connection is authoritative for it, active
 * or not, and the address is not exempt.
 */
export function isSsoRequired({
  accountId,
  environment,
  organizationId,
  emailNormalized,
}: AddressInOrganization): RawBuilder<boolean> {
  const emailDomain = domainOf(emailNormalized)
  return sql`exists (
    select from domains as required
    where required.account_id = ${accountId}
      and required.environment = ${environment}
      and required.organization_id = ${organizationId}
      and required.sso_required
      and required.state in ('verified', 'lapsing', 'declared')
      and ${covers('required', emailDomain)}
      and not exists (
        select from domain_exemptions as exemption
        where exemption.account_id = required.account_id
          and exemption.environment = required.environment
          and exemption.organization_id = required.organization_id
          and exemption.domain_id = required.id
          and exemption.email_normalized = ${emailNormalized}
      )
      and exists (
        select from sso_connections as authority
        join organizations as its on its.account_id = authority.account_id and its.id = authority.organization_id
        where authority.account_id = required.account_id
          and authority.environment = required.environment
          and authority.organization_id = required.organization_id
          and ${isCoveredBy(authoritativeDomains('authority', 'its'), emailDomain)}
      )
  )`
}

/** Whether an active connection is authoritative for an address: its identity provider may sign in as its user. */
export function isOfConnection({
  accountId,
  environment,
  organizationId,
  emailNormalized,
}: AddressInOrganization): RawBuilder<boolean> {
  return sql`exists (
    select from sso_connections as authority
    join organizations as its on its.account_id = authority.account_id and its.id = authority.organization_id
    where authority.account_id = ${accountId}
      and authority.environment = ${environment}
      and authority.organization_id = ${organizationId}
      and authority.active
      and ${isCoveredBy(authoritativeDomains('authority', 'its'), domainOf(emailNormalized))}
  )`
}

/** The same as isSsoRequired() of a user, by the alias of their row in the statement. */
export function isSsoRequiredOf(users: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref<string>(`${users}.${name}`)
  return isSsoRequired({
    accountId: column('account_id'),
    environment: column('environment'),
    organizationId: column('organization_id'),
    emailNormalized: column('email_normalized'),
  })
}
