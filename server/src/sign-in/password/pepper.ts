import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { open, seal, type MasterKeys } from '../../platform/crypto/seal.js'

/** The organization and environment whose hashes a pepper wraps. */
export interface PepperOwner {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
}

/** The user whose hash is wrapped; the hash opens only in that row. */
export interface PasswordOwner extends PepperOwner {
  readonly userId: string
}

/** One of the keys that wrap the password hashes of an organization in an environment. */
export interface Pepper {
  readonly version: number
  readonly keySealed: Buffer
}

const keyLength = 32
const nonceLength = 12
const tagLength = 16

/** A new key, sealed with the master key; without that, the wrapped hashes are useless. */
export function makePepperKey(master: MasterKeys, owner: PepperOwner, version: number): Buffer {
  return seal(master, pepperContext(owner, version), randomBytes(keyLength))
}

/** The context under which the key of a pepper is sealed; the re-sealing command uses it too. */
export function pepperContext(owner: PepperOwner, version: number) {
  return {
    purpose: 'password_pepper',
    scope: owner.organizationId,
    aad: `password_peppers.key_sealed:${owner.accountId}:${owner.environment}:${version}`,
  }
}

/** Encrypts a hash under a pepper (AES-256-GCM), for the row of its owner. */
export function wrapHash(master: MasterKeys, pepper: Pepper, owner: PasswordOwner, hash: string): Buffer {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', keyOf(master, pepper, owner), nonce, {
    authTagLength: tagLength,
  })
  cipher.setAAD(additionalData(owner, pepper))
  const ciphertext = Buffer.concat([cipher.update(hash, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
}

/**
 * Decrypts a wrapped hash.
 *
 * @throws Error when it was altered, or comes from another row.
 */
export function unwrapHash(
  master: MasterKeys,
  pepper: Pepper,
  owner: PasswordOwner,
  wrapped: Buffer,
): string {
  const tagEnd = nonceLength + tagLength
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keyOf(master, pepper, owner),
    wrapped.subarray(0, nonceLength),
    { authTagLength: tagLength },
  )
  decipher.setAAD(additionalData(owner, pepper))
  decipher.setAuthTag(wrapped.subarray(nonceLength, tagEnd))
  return Buffer.concat([decipher.update(wrapped.subarray(tagEnd)), decipher.final()]).toString('utf8')
}

function keyOf(master: MasterKeys, pepper: Pepper, owner: PasswordOwner): Buffer {
  return open(master, pepperContext(owner, pepper.version), pepper.keySealed)
}

/** Ids and a number, without a colon in any part. */
function additionalData(owner: PasswordOwner, { version }: Pepper): Buffer {
  const { accountId, environment, organizationId, userId } = owner
  return Buffer.from(
    `passwords.hash_wrapped:${accountId}:${environment}:${organizationId}:${userId}:${version}`,
  )
}
