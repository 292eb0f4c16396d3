import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Persons, PersonalTable } from './traces.js'

/** An address, and the times at which a user had it. */
export interface AddressOfPerson {
  readonly email: string
  /** Times without overlap, each with its end and without its beginning, as Postgres writes a tstzmultirange. */
  readonly periods: string
}

/**
 * The addresses that these users have or had, as far as stored data shows. Rows written while no user had the address
 * belong to its next holder, such as the link of a sign-up, and else to its last one; rows of another holder's time are
 * not theirs.
 */
export async function addressesOfPersons(db: Kysely<DB>, persons: Persons): Promise<AddressOfPerson[]> {
  const ids = sql`${persons.ids}::uuid[]`
  const inEnvironment = sql`account_id = ${persons.account_id} and environment = ${persons.environment}`
  const inOrganization = sql`${inEnvironment} and organization_id = ${persons.organization_id}`
  // Each sighting of a user with an address: it is theirs until they are next seen with another one, because a change of
  // address is an event with the new one. Where that event is too old to be kept, the address is theirs until the last
  // sighting. Another user's sighting ends it. Each time once: an event and its log event have the same, and would end
  // each other.
  const { rows } = await sql<AddressOfPerson>`
    with theirs as (
      select email_normalized as email from users where ${inOrganization} and id = any(${ids})
      union
      select email_normalized from events
      where ${inEnvironment} and subject_id = any(${ids}) and email_normalized is not null
      union
      select email_normalized from log_events
      where ${inOrganization} and resource_owner_id = any(${ids}) and email_normalized is not null
    ), holders as (
      select id as holder from users where ${inOrganization} and id = any(${ids})
      union
      select id from theirs join users on ${inOrganization} and email_normalized = theirs.email
      where deleted_at is null
      union
      select id from theirs join users on ${inOrganization} and email_normalized = theirs.email
      where deleted_at is not null
      union
      select subject_id from theirs join events on ${inOrganization} and email_normalized = theirs.email
      where subject_id is not null
      union
      select resource_owner_id from theirs join log_events on ${inOrganization} and email_normalized = theirs.email
      where resource_owner_id is not null
    ), seen as (
      select holder, email_normalized as email, coalesce(deleted_at, 'infinity') as at
      from holders join users on ${inOrganization} and id = holder
      union
      select holder, email_normalized, issued_at
      from holders join events on ${inEnvironment} and subject_id = holder
      where email_normalized is not null
      union
      select holder, email_normalized, inserted_at
      from holders join log_events on ${inOrganization} and resource_owner_id = holder
      where email_normalized is not null
    ), followed as (
      select
        holder,
        email,
        at,
        lead(at) over (partition by holder order by at, email) as holder_seen_next,
        lead(at) over (partition by email order by at, holder) as email_seen_next
      from seen
    ), ended as (
      select
        holder,
        email,
        at,
        case
          when email_seen_next is null then 'infinity'
          else least(email_seen_next, coalesce(nullif(holder_seen_next, 'infinity'), at))
        end as until
      from followed
    ), periods as (
      select
        holder,
        email,
        coalesce(lag(until) over (partition by email order by at, holder), '-infinity') as since,
        until
      from ended
    )
    select email, range_agg(tstzrange(since, until, '(]'))::text as periods
    from periods where holder = any(${ids}) group by email`.execute(db)
  return rows
}

/**
 * The rows without a user that carry an address while it was theirs; undefined where a table can have no such rows. Rows of no
 * organization are of everybody who has the address in the account, and thus theirs.
 */
export function carriesAddress(
  { user, writtenAt, ofOrganization }: Pick<PersonalTable, 'user' | 'writtenAt' | 'ofOrganization'>,
  persons: Persons,
  addresses: readonly AddressOfPerson[],
): RawBuilder<boolean> | undefined {
  if (writtenAt === undefined || addresses.length === 0) return undefined
  const emails = sql`${addresses.map(({ email }) => email)}::text[]`
  return sql`account_id = ${persons.account_id}
    and environment = ${persons.environment}
    and ${isOfOrganization(ofOrganization, persons)}
    and email_normalized = any(${emails})
    and ${user === undefined ? sql`true` : sql`${sql.ref(user)} is null`}
    and exists (
      select from ${periodsOf(addresses)} where held.email = email_normalized and periods @> ${sql.ref(writtenAt)}
    )`
}

function isOfOrganization(
  ofOrganization: PersonalTable['ofOrganization'],
  { organization_id }: Persons,
): RawBuilder<unknown> {
  if (ofOrganization === 'never') return sql`true`
  const isTheirs = sql`organization_id = ${organization_id}`
  return ofOrganization === 'always' ? isTheirs : sql`(${isTheirs} or organization_id is null)`
}

/** The addresses as a table `held`, of `email` and `periods`. */
export function periodsOf(addresses: readonly AddressOfPerson[]): RawBuilder<unknown> {
  const emails = sql`${addresses.map(({ email }) => email)}::text[]`
  const periods = sql`${addresses.map((address) => address.periods)}::tstzmultirange[]`
  return sql`unnest(${emails}, ${periods}) as held (email, periods)`
}
