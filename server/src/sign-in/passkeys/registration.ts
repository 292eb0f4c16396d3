import type {
  NewPasskeyRegistration,
  PasskeyRegistration,
  PasskeyRegistrationAnswer,
} from '@portico/contract/passkey-ceremonies'
import type { Passkey } from '@portico/contract/passkeys'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { insertCeremony, takeCeremony } from './api-ceremony.js'
import { challengesOf, expectedAt, toCreationOptions } from './ceremony.js'
import { insertPasskey } from './insert-passkey.js'
import { findPasskeyOffer, type PasskeyOffer } from './offer.js'
import { findOwnPage, getOwnPage } from './own-page.js'
import { findPasskeys } from './passkeys.js'
import { verifyMadeKey } from './webauthn.js'

/**
 * Asks for a passkey of a user on a page of an application, which answers for who is in front of it.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`, `user_not_found`, `user_inactive`, `passkeys_inactive`, and
 *   `invalid_parameters` for an application without passkeys
 */
export async function createPasskeyRegistration(
  deps: Deps,
  tenant: Tenant,
  { user_id: userId, application_id }: NewPasskeyRegistration,
): Promise<Changed<PasskeyRegistration>> {
  const { rpId, applicationId } = await getOwnPage(deps.db, tenant, application_id)
  const offer = await findPasskeyOffer(deps.db, tenant, userId)
  if (offer === undefined) throw await whyNotFound(deps.db, tenant, 'user_not_found')
  checkOffer(offer)
  const passkeys = await findPasskeys(deps, tenant, userId)
  const purpose = 'registration'
  const { ceremony, expiresAt } = await insertCeremony(deps, tenant, { purpose, applicationId, userId })
  const [challenge] = challengesOf(deps, ceremony)
  return {
    record: {
      __type__: 'PasskeyRegistration',
      __domain__: tenant.domain,
      __environment__: tenant.environment,
      id: ceremony.id,
      user_id: userId,
      options: toCreationOptions(tenant, offer, { challenge, rpId, passkeys }),
      expired_at: expiresAt.toISOString(),
    },
  }
}

function checkOffer({ isUserActive, isActive }: PasskeyOffer): void {
  if (!isUserActive) throw new ApiError('user_inactive')
  if (!isActive) throw new ApiError('passkeys_inactive')
}

/**
 * Adds the passkey that a browser has made for a registration.
 *
 * @throws ApiError `organization_not_found`, `passkey_registration_not_found`, `passkey_rejected` where anything is wrong with the
 *   answer, `user_inactive`, `passkeys_inactive`, `passkey_not_allowed`, `passkey_taken`, `passkeys_exhausted`
 */
export async function completePasskeyRegistration(
  deps: Deps,
  tenant: Tenant,
  { id, credential, name: chosenName }: PasskeyRegistrationAnswer & { readonly id: string },
): Promise<Changed<Passkey>> {
  const { domain } = tenant
  const taken = await takeCeremony(deps, tenant, { id, domain, purposes: ['registration'] })
  const userId = taken?.user_id ?? ''
  const before = taken && (await findPasskeyOffer(deps.db, tenant, userId))
  if (taken === undefined || before === undefined)
    throw await whyNotFound(deps.db, tenant, 'passkey_registration_not_found')
  checkOffer(before)
  const page = await findOwnPage(deps.db, tenant, taken.application_id)
  const expected = page && expectedAt(deps, page, taken.ceremony, before.isFirstFactor)
  const key = expected && (await verifyMadeKey(credential, expected))
  if (expected === undefined || key === undefined) throw new ApiError('passkey_rejected')
  const { transports } = credential.response
  return change(deps, tenant.cause, async (trx) => {
    // Locked, so that a deactivation either precedes it or finds it.
    await usersOf(trx, tenant).where('users.id', '=', userId).select('users.id').forNoKeyUpdate().execute()
    const offer = await findPasskeyOffer(trx, tenant, userId)
    if (offer === undefined) throw new ApiError('passkey_registration_not_found')
    checkOffer(offer)
    const name = chosenName === undefined ? { unlessOfProvider: 'Passkey' } : { chosen: chosenName }
    const made = { key, rpId: expected.rpId, transports, name }
    const added = await insertPasskey(deps, trx, tenant, offer, made)
    if (typeof added === 'string') throw new ApiError(refusals[added])
    return added
  })
}

const refusals = {
  not_allowed: 'passkey_not_allowed',
  taken: 'passkey_taken',
  full: 'passkeys_exhausted',
} as const
