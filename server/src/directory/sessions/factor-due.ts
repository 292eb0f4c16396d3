import { sql, type RawBuilder } from 'kysely'
import { existsFor } from '../../platform/db/exists.js'
import { later } from '../../platform/db/later.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { isPasskeyHeldByUserOf } from './passkey-held.js'
import { isTotpAskedOfUserOf, userIdOf, type RowOfUser } from './totp-asked.js'

/**
 * Whether a sign-in of the user of a row of a statement takes the passkey that they hold, after a first factor of ours: the
 * organization demands passkeys, or its policy a second factor, which a passkey is.
 *
 * @param rpId The domain; null where the service has none, and so no passkeys.
 */
export function isPasskeyAskedOfUserOf(row: RowOfUser, rpId: string | null): RawBuilder<boolean> {
  return sql<boolean>`((${arePasskeysDemandedOf(row)} or ${isFactorDemandedOf(row)}) and ${isPasskeyHeldByUserOf(row, rpId ?? undefined)})`
}

/** Whether the organization of a row of a statement demands passkeys. */
export function arePasskeysDemandedOf(row: RowOfUser): RawBuilder<boolean> {
  return existsFor(sql`
    select from passkey_connections as demand
    where ${ofOwner(ownerOfRow(row), 'demand')} and demand.active and demand.requirement = 'required'`)
}

/** Whether its policy demands a second factor. */
export function isFactorDemandedOf(row: RowOfUser): RawBuilder<boolean> {
  return existsFor(sql`
    select from organization_policies as policy
    where ${ofOwner(ownerOfRow(row), 'policy')} and policy.second_factor = 'required'`)
}

/**
 * By when the user of a row of a statement has to have enrolled a second factor: the policy of the organization demands one, and
 * the user has none that is asked for. Else null. The grace counts from the later of the policy and the user.
 */
export function enrollByOfUserOf(row: RowOfUser, rpId: string | null): RawBuilder<Date | null> {
  const owner = ownerOfRow(row)
  return sql<Date | null>`(
    select ${later(
      sql`greatest(policy.second_factor_required_at, member.inserted_at)`,
      sql`policy.second_factor_grace_days * interval '1 day'`,
    )}
    from organization_policies as policy
    join users as member on ${ofOwner(owner, 'member')} and member.id = ${userIdOf(row)}
    where ${ofOwner(owner, 'policy')}
      and policy.second_factor = 'required'
      and not ${isTotpAskedOfUserOf(row)}
      and not ${isPasskeyHeldByUserOf(row, rpId ?? undefined)}
  )`
}

/**
 * By when the user of a row of a statement has to have added a passkey: the organization demands one, and the user has none. Else
 * null. The grace counts from the later of the demand and the user. A code that is asked of the user is as good.
 */
export function addPasskeyByOfUserOf(row: RowOfUser, rpId: string | null): RawBuilder<Date | null> {
  const owner = ownerOfRow(row)
  return sql<Date | null>`(
    select ${later(sql`greatest(demand.required_at, member.inserted_at)`, sql`demand.grace_days * interval '1 day'`)}
    from passkey_connections as demand
    join users as member on ${ofOwner(owner, 'member')} and member.id = ${userIdOf(row)}
    where ${ofOwner(owner, 'demand')}
      and demand.active
      and demand.requirement = 'required'
      and ${rpId}::text is not null
      and not ${isPasskeyHeldByUserOf(row, rpId ?? undefined)}
  )`
}

/** Whether the user of a row of a statement has to enrol a second factor now. */
export function isEnrollmentDueOfUserOf(row: RowOfUser, at: Date, rpId: string | null): RawBuilder<boolean> {
  return sql<boolean>`coalesce(
    least(${enrollByOfUserOf(row, rpId)}, ${addPasskeyByOfUserOf(row, rpId)}) <= ${at}::timestamptz,
    false
  )`
}

/** Whether they have to, or a sign-in takes the passkey that they hold. */
export function isFactorDueOfUserOf(row: RowOfUser, at: Date, rpId: string | null): RawBuilder<boolean> {
  return sql<boolean>`(${isEnrollmentDueOfUserOf(row, at, rpId)} or ${isPasskeyAskedOfUserOf(row, rpId)})`
}

function ownerOfRow(row: RowOfUser) {
  return {
    accountId: sql<string>`${sql.ref(`${row}.account_id`)}`,
    environment: sql<string>`${sql.ref(`${row}.environment`)}`,
    organizationId: sql<string>`${sql.ref(`${row}.organization_id`)}`,
  }
}
