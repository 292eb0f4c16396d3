import type { KeySet } from '@portico/contract/oidc'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { findAccountByDomain } from '../../directory/organizations/find-account.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import type { NamedIssuer } from '../../tokens/issuer.js'
import { accountKeyMaker } from '../../tokens/signing-keys/account-keys.js'
import { listPublishedKeys } from '../../tokens/signing-keys/published-keys.js'
import type { KeyOwner } from '../../tokens/signing-keys/signing-keys.js'

/** The owner of an issuer's keys, which both environments share. */
type IssuingOwner = Pick<KeyOwner, 'accountId' | 'organizationId'>

/** Makes the function that finds the owner behind an issuer, and throws ApiError `organization_not_found` or `account_not_found`. */
export function issuingOwners(deps: Pick<Deps, 'db' | 'keys' | 'now'>) {
  const makeAccountKeys = accountKeyMaker(deps)
  return async function getIssuingOwner({ kind, domain }: NamedIssuer): Promise<IssuingOwner> {
    if (kind === 'organization') return getIssuingOrganization(deps, domain)
    const account = await findAccountByDomain(deps, domain)
    if (account === undefined)
      throw new ApiError('account_not_found', { message: 'No account has this domain.' })
    // Before anything is published, so that verifiers have the keys of every algorithm that an application may choose.
    await makeAccountKeys(account.accountId)
    return { accountId: account.accountId, organizationId: account.accountId }
  }
}

/** Whether an error says that there is no such issuer. */
export function isIssuerMissing(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.code === 'organization_not_found' || error.code === 'account_not_found')
  )
}

/** The public keys of an issuer, for both environments, which share it. */
export async function getKeySet({ db, now }: Pick<Deps, 'db' | 'now'>, owner: IssuingOwner): Promise<KeySet> {
  return { keys: await listPublishedKeys(db, owner, now()) }
}

async function getIssuingOrganization(deps: Pick<Deps, 'db'>, domain: string): Promise<IssuingOwner> {
  const organization = await findOrganizationByDomain(deps, domain)
  if (organization === undefined)
    throw new ApiError('organization_not_found', { message: 'No organization has this domain.' })
  return organization
}
