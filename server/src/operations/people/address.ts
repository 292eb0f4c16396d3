import type { Environment } from '@portico/contract/fields'
import { selfAndParentsOf } from '../../directory/domains/authority.js'
import { domainOfEmail, normalizeEmail } from '../../platform/email.js'
import type { Caller } from '../../platform/tenant.js'

/** An address that a caller looks up, in their account and environment. */
export interface LookedUp {
  readonly accountId: string
  readonly environment: Environment
  /** The organizations that the caller may see; null: all. */
  readonly organizationIds: readonly string[] | null
  /** Normalized. */
  readonly email: string
  readonly emailDomain: string
  /** It, and those above it. */
  readonly emailDomains: readonly string[]
}

export function toLookedUp(
  { accountId, environment, organizationIds }: Pick<Caller, 'accountId' | 'environment' | 'organizationIds'>,
  typedEmail: string,
): LookedUp {
  const email = normalizeEmail(typedEmail)
  const emailDomain = domainOfEmail(email)
  const emailDomains = selfAndParentsOf(emailDomain)
  return { accountId, environment, organizationIds, email, emailDomain, emailDomains }
}
