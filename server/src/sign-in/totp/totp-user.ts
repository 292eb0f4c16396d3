import type { PhoneNumber } from '@portico/contract/profile'
import { defaultTotpExpiry, type TotpMethod } from '@portico/contract/totp'
import { sql, type Kysely, type Transaction } from 'kysely'
import { whyNotFound } from '../../platform/db/organization-id.js'
import { productNameOf } from '../../platform/db/product-name.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { isOrganizationOf, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A user with the settings and state of their second factor. */
export interface TotpUser {
  readonly id: string
  readonly email: string
  readonly active: boolean
  /** The primary one. */
  readonly phoneNumber: string | null
  readonly isPhoneNumberVerified: boolean
  readonly organizationId: string
  readonly organizationName: string
  /** Of the account; null: as the operator calls the service. */
  readonly productName: string | null
  readonly connection: {
    readonly active: boolean
    readonly method: TotpMethod
    readonly expirySeconds: number
  }
  /** The method of the validated enrolment, if any. */
  readonly enrolledMethod: TotpMethod | null
}

/** @throws ApiError `organization_not_found`, `user_not_found` */
export async function getTotpUser(db: Kysely<DB>, tenant: Tenant, userId: string): Promise<TotpUser> {
  const row = await usersOf(db, tenant)
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .innerJoin('totp_connections as connection', (join) => join.on(sameTenant('connection', 'users')))
    .leftJoin('totp_enrollments as enrollment', (join) =>
      join
        .on(sameTenant('enrollment', 'users'))
        .onRef('enrollment.user_id', '=', 'users.id')
        .on('enrollment.validated_at', 'is not', null),
    )
    .where('users.id', '=', userId)
    .select([
      'users.id',
      'users.email',
      'users.active',
      // Written only from validated input.
      sql<PhoneNumber[]>`users.phone_numbers`.as('phone_numbers'),
      'users.phone_number_verified',
      'users.organization_id',
      'organizations.name',
      productNameOf('organizations').as('product_name'),
      'connection.active as is_connection_active',
      // Both are written with a method of the contract.
      sql<TotpMethod>`connection.method`.as('connection_method'),
      'connection.expiry_in_seconds',
      sql<TotpMethod | null>`enrollment.method`.as('enrolled_method'),
    ])
    .executeTakeFirst()
  if (row === undefined) throw await whyNotFound(db, tenant, 'user_not_found')
  return {
    id: row.id,
    email: row.email,
    active: row.active,
    phoneNumber: row.phone_numbers.find((number) => number.primary)?.value ?? null,
    isPhoneNumberVerified: row.phone_number_verified,
    organizationId: row.organization_id,
    organizationName: row.name,
    productName: row.product_name,
    connection: {
      active: row.is_connection_active,
      method: row.connection_method,
      expirySeconds: row.expiry_in_seconds,
    },
    enrolledMethod: row.enrolled_method,
  }
}

/**
 * The same, locked until the transaction ends: changes of one user's second factor wait for each other, and a
 * deactivation either precedes a sign-in or ends its session.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function lockTotpUser(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<TotpUser> {
  await usersOf(trx, tenant).where('users.id', '=', userId).select('users.id').forNoKeyUpdate().execute()
  // A separate statement: the one that waited for the lock could see outdated rows of the joined tables.
  return getTotpUser(trx, tenant, userId)
}

/** The owner of the user's sealed secrets. */
export function ownerOf(
  { accountId, environment }: Pick<Tenant, 'accountId' | 'environment'>,
  user: Pick<TotpUser, 'id' | 'organizationId'>,
) {
  return { accountId, environment, organizationId: user.organizationId, userId: user.id }
}

/** How long a code of a method is valid. The connection's expiry applies only to its own method. */
export function expiryOf({ connection }: Pick<TotpUser, 'connection'>, method: TotpMethod): number {
  return method === connection.method ? connection.expirySeconds : defaultTotpExpiry[method]
}
