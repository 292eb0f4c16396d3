import type { UserIdentity } from '@portico/contract/identities'
import type { Selectable, Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB, UserIdentities } from '../../platform/db/schema.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { insertIdentity, type AssertedIdentity } from './identities.js'

/** The columns of an identity, and whose it is. */
export const linkedIdentityColumns = [
  'id',
  'user_id',
  'organization_id',
  'idp_id',
  'provider',
  'data',
  'authenticated_at',
] as const

type LinkedIdentityRow = Pick<Selectable<UserIdentities>, (typeof linkedIdentityColumns)[number]>

/** An identity as its own record, whose user owns the event about it. */
export function toLinkedIdentity(
  row: LinkedIdentityRow,
  { domain, environment }: Pick<Tenant, 'domain' | 'environment'>,
): Changed<UserIdentity> {
  const record: UserIdentity = {
    __type__: 'UserIdentity',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    user_id: row.user_id,
    idp_id: row.idp_id,
    provider: row.provider,
    authenticated_at: row.authenticated_at.toISOString(),
    // Written only by insertIdentity() and renewIdentity().
    data: row.data as UserIdentity['data'],
  }
  return { record, organizationId: row.organization_id, subjectId: row.user_id }
}

/** Links an identity to a user who was there before, and emits its event; the change of the user is the caller's to emit. */
export async function linkIdentity(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  identity: AssertedIdentity & { readonly userId: string },
): Promise<void> {
  const id = newId()
  await insertIdentity(deps, trx, tenant, { ...identity, id, hasCreatedUser: false })
  const row = await trx
    .selectFrom('user_identities')
    .where(ofTenant(tenant))
    .where('user_id', '=', identity.userId)
    .where('id', '=', id)
    .select(linkedIdentityColumns)
    .executeTakeFirstOrThrow()
  await emit(deps, trx, tenant, { code: 'user.identity.link.success', ...toLinkedIdentity(row, tenant) })
}
