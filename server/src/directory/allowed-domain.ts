import { sql, type Expression } from 'kysely'
import { domainOfEmail } from '../platform/email.js'

/** Whether an organization allows an address to sign in. Without a list of domains, or with an empty one, every address may. */
export function isEmailDomainAllowed(allowed: readonly string[] | null, normalizedEmail: string): boolean {
  if (allowed === null || allowed.length === 0) return true
  return allowed.includes(domainOfEmail(normalizedEmail))
}

/** The same in a statement, of its row of `organizations`. */
export function isAddressAllowed(normalizedEmail: Expression<string>) {
  return sql<boolean>`(
    coalesce(cardinality(organizations.allowed_email_domains), 0) = 0
    or substring(${normalizedEmail} from '[^@]*$') = any(organizations.allowed_email_domains)
  )`
}
