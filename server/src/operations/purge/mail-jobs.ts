import { sql, type RawBuilder } from 'kysely'
import { carriesAddress, periodsOf, type AddressOfPerson } from './addresses-of-persons.js'
import type { Persons } from './traces.js'

/** Whether a job mails a link that carries one of the addresses. */
export function isMailTo(persons: Persons, addresses: readonly AddressOfPerson[]): RawBuilder<boolean> {
  const challenges = { user: undefined, writtenAt: 'inserted_at' } as const
  const isTheirs = carriesAddress(challenges, persons, addresses) ?? sql<boolean>`false`
  return sql`${isOfOrganization(persons)} and payload->>'challengeId' = any(array(
    select id::text from magic_link_challenges where ${isTheirs}
  ))`
}

/** Whether a job of their time failed with a reason that quotes the address, such as a mail server's refusal. */
export function isFailureNaming(
  persons: Persons,
  addresses: readonly AddressOfPerson[],
): RawBuilder<boolean> {
  return sql`${isOfOrganization(persons)}
    and exists (
      select from ${periodsOf(addresses)} where strpos(lower(last_error), held.email) > 0 and periods @> inserted_at
    )`
}

function isOfOrganization({ account_id, environment, organization_id }: Persons): RawBuilder<boolean> {
  return sql`account_id = ${account_id}
    and payload->>'environment' = ${environment}
    and payload->>'organizationId' = ${organization_id}`
}
