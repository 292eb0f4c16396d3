import type { Transaction } from 'kysely'
import type { Algorithm } from '../../platform/crypto/jwt.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { everyOrganizationOf } from '../../tokens/signing-keys/prepare.js'
import { addMissingSigningKeys, initialAlgorithm } from '../../tokens/signing-keys/signing-keys.js'

/** The signing keys that an application needs. */
interface WantedKeys {
  /** The domain of the application's only organization; null: it is of the whole account. */
  readonly scope: string | null
  readonly algorithm: Algorithm
}

/** The signing keys that an application with these members needs. */
export function keysOf(application: {
  readonly organization_domain_scope: string | null
  readonly token_signing_alg: string
}): WantedKeys {
  return {
    scope: application.organization_domain_scope,
    // The table's check constraint allows nothing else.
    algorithm: application.token_signing_alg as Algorithm,
  }
}

/**
 * Makes the keys of an application's organization, or of the one in the path, before the application is stored: they are in the
 * key set before the first sign-in. Outside of the transaction, because an RSA key takes a tenth of a second.
 */
export async function prepareKeys(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  tenant: Tenant,
  { scope, algorithm }: WantedKeys,
): Promise<void> {
  if (algorithm === initialAlgorithm) return
  const { accountId, environment } = tenant
  const organization = await deps.db
    .selectFrom('organizations')
    .where('account_id', '=', accountId)
    .where('id', '=', organizationIdOf({ ...tenant, domain: scope ?? tenant.domain }))
    .select('id')
    .executeTakeFirst()
  if (organization === undefined) return
  const owner = { accountId, environment, organizationId: organization.id }
  await addMissingSigningKeys(deps, deps.db, owner, algorithm)
}

/** Whether other organizations than the one in the path need keys, too. */
export function areWantedElsewhere({ scope, algorithm }: WantedKeys): boolean {
  return scope === null && algorithm !== initialAlgorithm
}

/** Adds the job that makes the keys of the other organizations, where they need any. */
export async function enqueueKeys(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  keys: WantedKeys,
): Promise<void> {
  if (areWantedElsewhere(keys)) await enqueue(deps, trx, everyOrganizationOf(tenant, keys.algorithm))
}
