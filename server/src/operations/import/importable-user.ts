import type { FieldError } from '@portico/contract/errors'
import type { PhoneNumber } from '@portico/contract/profile'
import { ImportedUser } from '@portico/contract/user-input'
import { ApiError, invalid } from '../../platform/errors.js'
import { toFieldErrors } from '../../platform/field-errors.js'
import { toStoredForeignHash } from '../../platform/passwords/foreign-hash.js'
import type { Tenant } from '../../platform/tenant.js'
import { changedPhoneNumbers } from '../../platform/phone.js'
import { checkDomain } from '../../directory/users/users.js'
import { checkWellFormed } from '../../platform/well-formed.js'

/** A user of a file, valid as far as can be checked without the database. */
export interface ImportableUser {
  readonly line: number
  readonly input: ImportedUser
  readonly phoneNumbers: readonly PhoneNumber[]
  /** As it is to be stored; undefined for a user without a password. */
  readonly hash: string | undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The user that a line describes.
 *
 * @throws ApiError with the fault of the line, without the line's content.
 */
export function toImportableUser(tenant: Tenant, line: number, bytes: Buffer): ImportableUser {
  const parsed = parseJson(bytes)
  checkWellFormed(parsed)
  const { data: input, error } = ImportedUser.safeParse(parsed)
  if (input === undefined) throw new ApiError('invalid_parameters', { fields: toFieldErrors(error.issues) })
  checkDomain(tenant, input.domain)
  if ((input.environment ?? tenant.environment).toLowerCase() !== tenant.environment)
    throw invalid('environment', 'contradictory', `must be ${tenant.environment}`)
  const hash = input.password_hash === undefined ? undefined : toStoredForeignHash(input.password_hash)
  return { line, input, phoneNumbers: changedPhoneNumbers([], input), hash }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    // The parser's message quotes the line.
    throw new ApiError('malformed_request', { message: 'It is not a JSON object in UTF-8.' })
  }
}

/** The fault of a line, in a sentence. */
export function toFaultSentence({ message, fields }: ApiError): string {
  return fields === undefined ? message : `${fields.map(sentenceOf).join('; ')}.`
}

/** Names of members are content, too: only text in the form of a name is repeated. */
function sentenceOf({ path, code, message }: FieldError): string {
  const member = /^[a-z][\w.]{0,60}$/i.test(path) ? path : path === '' ? 'The line' : 'A member'
  return `${member} ${code === 'unrecognized_keys' ? 'is not a member of a user' : message}`
}
