import { sql, type RawBuilder } from 'kysely'
import { carriesAddress, periodsOf, type AddressOfPerson } from './addresses-of-persons.js'
import type { Persons } from './traces.js'

/** Whether a job mails a link that carries one of the addresses, or tells a user at an address of theirs, or where, that their account was changed. */
export function isMailTo(persons: Persons, addresses: readonly AddressOfPerson[]): RawBuilder<boolean> {
  const challenges = { user: undefined, writtenAt: 'inserted_at' } as const
  const ofLinks = { ...challenges, ofOrganization: 'always' } as const
  const ofMailboxes = { ...challenges, ofOrganization: 'never' } as const
  const none = sql<boolean>`false`
  return sql`${isOfAccount(persons)} and (
    payload->>'organizationId' = ${persons.organization_id} and payload->>'challengeId' = any(array(
      select id::text from magic_link_challenges where ${carriesAddress(ofLinks, persons, addresses) ?? none}
    ))
    or payload->>'organizationId' = ${persons.organization_id}
      and payload ?| array['visit', 'to'] and payload->>'userId' = any(${persons.ids}::text[])
    or payload->>'challengeId' = any(array(
      select id::text from email_challenges where ${carriesAddress(ofMailboxes, persons, addresses) ?? none}
      union all
      select id::text from discoveries where ${carriesAddress(ofMailboxes, persons, addresses) ?? none}
    ))
  )`
}

/** Whether a job of their time failed with a reason that quotes the address, such as a mail server's refusal. */
export function isFailureNaming(
  persons: Persons,
  addresses: readonly AddressOfPerson[],
): RawBuilder<boolean> {
  return sql`${isOfAccount(persons)}
    and (payload->>'organizationId' = ${persons.organization_id} or payload->>'organizationId' is null)
    and exists (
      select from ${periodsOf(addresses)} where strpos(lower(last_error), held.email) > 0 and periods @> inserted_at
    )`
}

function isOfAccount({ account_id, environment }: Persons): RawBuilder<boolean> {
  return sql`account_id = ${account_id} and payload->>'environment' = ${environment}`
}
