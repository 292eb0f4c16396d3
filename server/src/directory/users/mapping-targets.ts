import type { AttributeMapping } from '@portico/contract/attribute-mapping'
import type { FieldError } from '@portico/contract/errors'
import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import { declaredKeysOf } from '../meta-keys/declared-keys.js'
import { claimOf, targetOfKey, type MappedClaim } from './mapped-values.js'

/**
 * The faults of the targets of rules: two with one target, a key that is not declared, a claim that may not be written. The keys stay
 * locked until the transaction ends, so that none is deleted before its rule is stored.
 */
export async function targetFaults(
  trx: Transaction<DB>,
  tenant: Pick<Tenant, 'accountId' | 'domain' | 'organizationIds'>,
  rules: readonly AttributeMapping[],
  mayWrite: (claim: MappedClaim) => boolean,
): Promise<FieldError[]> {
  if (rules.length === 0) return []
  const keys = await declaredKeysOf(trx, tenant).forKeyShare().execute()
  const declared = new Set(keys.map(({ name }) => targetOfKey(name)))
  return rules.flatMap(({ to }, index) => {
    const fault = (code: string, message: string) => [
      { path: `attribute_mapping.${index}.to`, code, message },
    ]
    if (rules.findIndex((rule) => rule.to === to) !== index)
      return fault('repeated', 'must be the target of one rule only')
    if (to.startsWith('metadata.'))
      return declared.has(to)
        ? []
        : fault('unknown_meta_key', 'must name a metadata key that the organization has declared')
    const claim = claimOf(to)
    if (claim === undefined)
      return fault('unknown_claim', 'must name a claim of the profile that may be written')
    return mayWrite(claim)
      ? []
      : fault('not_mappable', 'must not be a claim that has a SCIM attribute of its own')
  })
}
