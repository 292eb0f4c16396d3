import { sql, type Kysely } from 'kysely'
import { productNameOf } from '../../platform/db/product-name.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { Flow } from '../flows/flow.js'
import { moveFlow } from '../flows/step.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import { findUser } from '../../directory/users/signing-in-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { findNewPasswordFault, replacePassword } from './new-password.js'
import type { PasswordFault } from './policy.js'
import { isOrganizationOf, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A flow that should renew its user's password, or may choose the first one, with a user who has passed every factor. */
type RenewingFlow = Flow & { readonly userId: string }

/** The user and rules of a renewal; undefined when the password can no longer be set. */
export async function findRenewal(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  { userId }: RenewingFlow,
): Promise<Renewal | undefined> {
  return selectRenewal(db, tenant, userId)
}

export type Renewal = NonNullable<Awaited<ReturnType<typeof selectRenewal>>>

function selectRenewal(db: Kysely<DB>, tenant: Tenant, userId: string) {
  return usersOf(db, tenant)
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .innerJoin('password_connections as connection', (join) => join.on(sameTenant('connection', 'users')))
    .where('users.id', '=', userId)
    .where('connection.active', '=', true)
    .select([
      'users.email',
      'users.email_normalized',
      'users.profile',
      'organizations.name',
      'organizations.domain',
      productNameOf('organizations').as('product_name'),
      'connection.plain_text_min_length as min_length',
      'connection.plain_text_max_length as max_length',
      sql<boolean>`exists (
        select from passwords where ${sameTenant('passwords', 'users')} and passwords.user_id = users.id
      )`.as('has_password'),
    ])
    .executeTakeFirst()
}

/**
 * Sets another password for the user of a flow that waits for it, and moves the flow to its end.
 *
 * @returns The fault of the password; undefined when it is set, or the flow no longer waits for it.
 * @throws ApiError `rate_limited` when there is no capacity to hash it.
 */
export async function renewPassword(
  deps: Deps,
  tenant: Tenant,
  { flow, plainText }: { readonly flow: RenewingFlow; readonly plainText: string },
): Promise<PasswordFault | undefined> {
  const renewal = await findRenewal(deps, tenant, flow)
  if (renewal === undefined) return undefined
  const lengths = { min: renewal.min_length, max: renewal.max_length }
  const fault = await findNewPasswordFault(deps, plainText, lengths, renewal)
  if (fault !== undefined) return fault
  const hash = await deps.passwords.admit(tenant.domain, (hashes) => hashes.hash(plainText))
  await change(deps, tenant.cause, async (trx) => {
    // Locked before the flow, as everything that ends a user's sign-ins does.
    const user = await findUser(trx, tenant, renewal.email_normalized)
    if (user?.id !== flow.userId || !user.active) return { record: undefined }
    const isMoved = await moveFlow(deps, trx, flow, {
      from: ['renew_password'],
      to: 'ready',
      set: { is_renewal_due: false },
    })
    if (!isMoved) return { record: undefined }
    await replacePassword(deps, trx, ofUser(tenant, user.id), {
      organizationId: flow.organizationId,
      applicationId: flow.applicationId,
      user,
      isLinkOpened: false,
      isLinkReturned: false,
      hash,
      kept: { flowId: flow.flowId },
    })
    return { record: undefined }
  })
  return undefined
}

/** Postpones the renewal, and moves the flow to its end. */
export async function putRenewalOff(deps: Deps, tenant: Tenant, flow: Flow): Promise<void> {
  await change(deps, tenant.cause, async (trx) => {
    await moveFlow(deps, trx, flow, { from: ['renew_password'], to: 'ready' })
    return { record: undefined }
  })
}
