import { id } from '@portico/contract/fields'
import { hashSecret, isApiKeySecret, isSecretEqual } from '../../platform/crypto/secret.js'

/** What decides whether a secret opens a key. */
export interface KeySecrets {
  readonly secret_hash: Buffer
  readonly previous_secret_hash: Buffer | null
  readonly previous_secret_expires_at: Date | null
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

const keyId = id()
const noSecret = Buffer.alloc(32)

/** Whether a text is the id of a key by its form, in any case; the database fails on others. */
export function isApiKeyId(text: string): boolean {
  return keyId.safeParse(text.toLowerCase()).success
}

/** Whether credentials have the form of those of a key, so that it is worth asking the database for the key. */
export function areApiKeyCredentials(clientId: string, clientSecret: string): boolean {
  return isApiKeyId(clientId) && isApiKeySecret(clientSecret)
}

/**
 * Whether a secret opens a key at a moment: it is the key's secret, or the one before while the overlap of a rotation
 * lasts, and the key is neither revoked nor expired. The time it takes tells neither which of this is not so, nor
 * whether there is a key.
 *
 * @param key Undefined: there is none, and nothing opens it.
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

function isBefore(at: Date, end: Date | null): boolean {
  return end !== null && at.getTime() < end.getTime()
}
