import type { KeySet } from '@portico/contract/oidc'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { listPublishedKeys } from '../../tokens/signing-keys/published-keys.js'

/**
 * The public keys of an organization, for both environments, which share one issuer.
 *
 * @throws ApiError `organization_not_found`
 */
export async function getKeySet(deps: Pick<Deps, 'db' | 'now'>, domain: string): Promise<KeySet> {
  const organization = await getIssuingOrganization(deps, domain)
  return { keys: await listPublishedKeys(deps.db, organization, deps.now()) }
}

/**
 * The organization behind an issuer.
 *
 * @throws ApiError `organization_not_found`
 */
export async function getIssuingOrganization(
  deps: Pick<Deps, 'db'>,
  domain: string,
): Promise<PublicOrganization> {
  const organization = await findOrganizationByDomain(deps, domain)
  if (organization === undefined)
    throw new ApiError('organization_not_found', { message: 'No organization has this domain.' })
  return organization
}
