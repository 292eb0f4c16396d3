import type { Environment } from '@portico/contract/fields'
import type { Protocol, ProviderType } from '@portico/contract/sso-onboarding'
import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { invalid } from '../../platform/errors.js'
import {
  insertTestIdp,
  recordTestIdpMetadata,
  prepareTestIdp,
  removeTestIdp,
  type PreparedTestIdp,
} from './provision-test-idp.js'
import { isConnection, isOfConnection, type ConnectionKey } from './connection-key.js'
import { supportsProtocol, protocolOf, setConnectionProtocol } from './protocol.js'

/**
 * Refuses the built-in identity provider in production, because it asserts any user.
 *
 * @throws ApiError `invalid_parameters`
 */
export function checkProviderType(environment: Environment, providerType: ProviderType | undefined): void {
  if (providerType !== 'test' || environment === 'sandbox') return
  throw invalid('provider_type', 'not_in_list', 'must be a real identity provider outside of the sandbox')
}

/** A kind of identity provider; the built-in one with what it needs, made before the transaction. */
interface ChosenProvider {
  readonly providerType: ProviderType
  readonly testIdp: PreparedTestIdp | undefined
}

/**
 * Prepares the choice of a kind of identity provider.
 *
 * @throws ApiError `invalid_parameters` for the built-in one in production.
 */
export async function prepareProvider(
  deps: Pick<Deps, 'config' | 'newRsaKeyPair' | 'now'>,
  environment: Environment,
  idpId: string,
  providerType: ProviderType | undefined,
): Promise<ChosenProvider | undefined> {
  checkProviderType(environment, providerType)
  if (providerType === undefined) return undefined
  return { providerType, testIdp: providerType === 'test' ? await prepareTestIdp(deps, idpId) : undefined }
}

/**
 * Sets the kind of identity provider of a locked connection. Another kind restarts the tutorial of its onboarding; the
 * built-in one completes it, as it has metadata. A kind that does not speak the connection's protocol changes that too.
 *
 * @throws ApiError `invalid_parameters` when the protocol would have to change and cannot.
 */
export async function setConnectionProvider(
  deps: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { providerType, testIdp }: ChosenProvider,
): Promise<void> {
  const at = deps.now()
  const { provider_type: before, protocol } = await trx
    .selectFrom('sso_connections')
    .where(isConnection(key))
    // The table's check constraint allows nothing else.
    .select(['provider_type', sql<Protocol>`protocol`.as('protocol')])
    .executeTakeFirstOrThrow()
  if (!supportsProtocol(providerType, protocol))
    await setConnectionProtocol(deps, trx, key, protocolOf(providerType))
  await trx
    .updateTable('sso_connections')
    .set({ provider_type: providerType, updated_at: at, version: sql`version + 1` })
    .where(isConnection(key))
    .where('provider_type', '<>', providerType)
    .execute()
  await trx
    .updateTable('sso_onboardings')
    .set({
      provider_type: providerType,
      state: 'provider_type_chosen',
      tutorial_step: 0,
      metadata_version: null,
      client_version: null,
      updated_at: at,
      version: sql`version + 1`,
    })
    .where(isOfConnection('sso_onboardings', key))
    .where(sql<boolean>`provider_type is distinct from ${providerType}`)
    .execute()
  if (before === 'test' && providerType !== 'test') await removeTestIdp(deps, trx, key)
  if (testIdp === undefined) return
  if (before !== 'test') await insertTestIdp(deps, trx, key, testIdp)
  else await recordTestIdpMetadata(deps, trx, key)
}
