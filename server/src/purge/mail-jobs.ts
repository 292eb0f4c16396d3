import { sql, type RawBuilder } from 'kysely'
import { carriesAddress, type HeldAddress, type Persons } from './traces.js'

/** Whether a job mails a link that carries one of the addresses. */
export function sendsTo(persons: Persons, addresses: readonly HeldAddress[]): RawBuilder<boolean> {
  const challenges = { user: undefined, writtenAt: 'inserted_at' } as const
  const isTheirs = carriesAddress(challenges, persons, addresses) ?? sql<boolean>`false`
  return sql`${isOfOrganization(persons)} and payload->>'challengeId' = any(array(
    select id::text from magic_link_challenges where ${isTheirs}
  ))`
}

/** Whether a job failed for a reason that names one of the addresses, as a mail server that refuses a mail does. */
export function failedFor(persons: Persons, addresses: readonly HeldAddress[]): RawBuilder<boolean> {
  const emails = sql`${addresses.map(({ email }) => email)}::text[]`
  return sql`${isOfOrganization(persons)}
    and exists (select from unnest(${emails}) as email where strpos(lower(last_error), email) > 0)`
}

function isOfOrganization({ account_id, environment, organization_id }: Persons): RawBuilder<boolean> {
  return sql`account_id = ${account_id}
    and payload->>'environment' = ${environment}
    and payload->>'organizationId' = ${organization_id}`
}
