import { email as emailField } from '@portico/contract/fields'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { isCovered } from '../../directory/domains/authority.js'
import { domainOfEmail, normalizeEmail } from '../../platform/email.js'
import type { ScimCaller } from './scim-caller.js'
import { ScimError } from './scim-error.js'
import { coreOf, preferredElement } from './user-record.js'
import { invalidValue, isList, type ScimResource } from './values.js'

const Email = emailField()

/**
 * The e-mail address of a user resource: the primary one, else that for work, else the first, else a userName that is an
 * address.
 *
 * @throws ScimError 400 `invalidValue`
 */
export function emailOf(resource: ScimResource): string {
  const { emails, userName } = coreOf(resource)
  const list = isList(emails) ? emails : []
  const candidates = [preferredElement(emails), ...list].map((element) => element?.['value'])
  const sent = candidates.find((value) => typeof value === 'string' && value.trim() !== '')
  const email = typeof sent === 'string' ? sent.trim() : userName
  if (typeof email !== 'string' || !Email.safeParse(email).success)
    throw sent === undefined
      ? invalidValue('emails', 'must have an address, since userName is none')
      : invalidValue('emails', 'must have an address such as ada@example.com as its primary or first value')
  return email
}

/**
 * Refuses addresses that the organization does not allow.
 *
 * @throws ScimError 400 `invalidValue`
 */
export function checkEmailDomain({ allowedEmailDomains }: ScimCaller, email: string): void {
  if (isEmailDomainAllowed(allowedEmailDomains, normalizeEmail(email))) return
  throw invalidValue('emails', `must be of the domains ${(allowedEmailDomains ?? []).join(', ')}`)
}

/** Whether the directory's assertion verifies an address: its domain is one of the organization that counts. */
export function isEmailDomainTrusted({ trustedEmailDomains }: ScimCaller, email: string): boolean {
  return isCovered(trustedEmailDomains, domainOfEmail(normalizeEmail(email)))
}

/** @returns A 409 for a value of another user, with a clause about that user. */
export function uniquenessError(name: string, who = ''): ScimError {
  return new ScimError({ status: 409, scimType: 'uniqueness' }, `${name} belongs to another user${who}`)
}
