import { id } from '@portico/contract/fields'
import { sql, type Selectable } from 'kysely'
import { hashSecret, isApiKeySecret, isSecretEqual } from '../../platform/crypto/secret.js'
import type { ApiKeys } from '../../platform/db/schema.js'

/** The columns of a key that decide whether a secret is valid. */
export const secretColumns = [
  'secret_hash',
  'previous_secret_hash',
  'previous_secret_expires_at',
  'expires_at',
  'revoked_at',
] as const

export type KeySecrets = Pick<Selectable<ApiKeys>, (typeof secretColumns)[number]>

const keyId = id()
const noSecret = Buffer.alloc(32)

/** Whether a text has the form of a key's id, in any case; the database raises an error for others. */
export function isApiKeyId(text: string): boolean {
  return keyId.safeParse(text.toLowerCase()).success
}

/** Whether credentials have the form of those of a key; others cost no query. */
export function areApiKeyCredentials(clientId: string, clientSecret: string): boolean {
  return isApiKeyId(clientId) && isApiKeySecret(clientSecret)
}

/**
 * Whether a secret is valid for a key: it is the current one, or the previous one during the overlap of a rotation, and the
 * key is neither revoked nor expired. The time taken reveals neither the reason nor whether the key exists.
 *
 * @param key Undefined: there is no such key, and no secret is valid.
 */
export function isSecretOf(key: KeySecrets | undefined, secret: string, at: Date): boolean {
  const given = hashSecret(secret)
  const isCurrent = isSecretEqual(given, key?.secret_hash ?? noSecret)
  const isPrevious = isSecretEqual(given, key?.previous_secret_hash ?? noSecret)
  const isOverlap = isBefore(at, key?.previous_secret_expires_at ?? null)
  const isRevoked = key === undefined || key.revoked_at !== null
  const isExpired = key === undefined || (key.expires_at !== null && !isBefore(at, key.expires_at))
  return (isCurrent || (isPrevious && isOverlap)) && !isRevoked && !isExpired
}

/** The same rule for a statement that has the columns as those of `key`, with the hash of a secret. */
export function isHashOf(secretHash: Buffer, at: Date) {
  return sql<boolean>`(
    (
      key.secret_hash = ${secretHash}
      or (key.previous_secret_hash = ${secretHash} and key.previous_secret_expires_at > ${at})
    )
    and key.revoked_at is null
    and (key.expires_at is null or key.expires_at > ${at})
  )`
}

function isBefore(at: Date, end: Date | null): boolean {
  return end !== null && at.getTime() < end.getTime()
}
