import {
  createCipheriv,
  createHmac,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { keepRecentlyUsed } from '../recently-used.js'

/** The operator's master keys: the current one seals, and all of them open. */
export interface MasterKeys {
  readonly currentVersion: string
  readonly byVersion: ReadonlyMap<string, KeyObject>
  /** Recently derived keys, least recently used first. */
  readonly derived: Map<string, KeyObject>
}

/** Purpose, owner and place of a sealed value; it opens only under the same three. */
export interface SealContext {
  /** The kind of value, for example `totp_secret`. */
  purpose: string
  /** The organization's id, or the account's where there is no organization. */
  scope: string
  /** The row and the column, for example `totp_enrollments.key:7f3f6e0e-…`. */
  aad: string
}

/** A sealed value that cannot be opened; the message never carries key material, nor the value. */
export class SealError extends Error {
  override readonly name = 'SealError'

  /** @param reason `malformed`: not a sealed value; `unknown_key`: sealed by another master key; `rejected`: altered or moved. */
  constructor(
    readonly reason: 'malformed' | 'unknown_key' | 'rejected',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

// A sealed value: 1 byte format, 2 bytes number of the master key, 12 bytes nonce, 16 bytes tag, ciphertext.
const format = 1
const nonceAt = 3
const tagAt = 15
const ciphertextAt = 31
const tagLength = 16
const masterKeyLength = 32

/** Derived keys kept in memory; deriving one again takes some microseconds. */
const derivedLimit = 1000

/**
 * Reads the operator's master keys, for example `v2:<base64 of 32 bytes>,v1:<base64 of 32 bytes>`; the first is current.
 *
 * Versions are v1 to v65535. A retired key stays in the list until everything it sealed is sealed anew.
 *
 * @throws Error with a sentence that names the entry at fault, without its content.
 */
export function parseMasterKeys(text: string): MasterKeys {
  const entries = text.split(',').map((entry, index) => parseMasterKey(entry.trim(), index + 1))
  const byVersion = new Map<string, KeyObject>()
  for (const { version, key } of entries) {
    if (byVersion.has(version))
      throw new Error(`Two master keys are called ${version}; give each its own version.`)
    for (const [other, otherKey] of byVersion) {
      if (otherKey.equals(key))
        throw new Error(`Master keys ${other} and ${version} are the same key; make a new one.`)
    }
    byVersion.set(version, key)
  }
  const [current] = entries
  if (!current) throw new Error('There is no master key.')
  return { currentVersion: current.version, byVersion, derived: new Map() }
}

/** Encrypts a value under the current master key (AES-256-GCM), bound to its context; text is taken as UTF-8. */
export function seal(keys: MasterKeys, context: SealContext, plain: Buffer | string): Buffer {
  const version = keys.currentVersion
  const head = Buffer.alloc(nonceAt)
  head.writeUInt8(format, 0)
  head.writeUInt16BE(Number(version.slice(1)), 1)
  // Random nonces are safe for 2^32 values under one key (NIST SP 800-38D section 8.3); each scope has its own key.
  const nonce = randomBytes(tagAt - nonceAt)
  const cipher = createCipheriv('aes-256-gcm', derivedKey(keys, version, context), nonce, {
    authTagLength: tagLength,
  })
  cipher.setAAD(additionalData(context, version))
  const ciphertext = Buffer.concat([cipher.update(toBytes(plain)), cipher.final()])
  return Buffer.concat([head, nonce, cipher.getAuthTag(), ciphertext])
}

/**
 * Decrypts a sealed value with the master key that it names.
 *
 * @throws SealError when it is no sealed value, its master key is not configured, or it was altered or belongs to
 *   another context.
 */
export function open(keys: MasterKeys, context: SealContext, sealed: Buffer): Buffer {
  const version = sealedVersion(sealed)
  const decipher = createDecipheriv(
    'aes-256-gcm',
    derivedKey(keys, version, context),
    sealed.subarray(nonceAt, tagAt),
    { authTagLength: tagLength },
  )
  decipher.setAAD(additionalData(context, version))
  decipher.setAuthTag(sealed.subarray(tagAt, ciphertextAt))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(ciphertextAt)), decipher.final()])
  } catch (cause) {
    throw new SealError(
      'rejected',
      `A value sealed with master key ${version} does not open: it was altered, it belongs to another record, or ${version} is not the key that sealed it.`,
      { cause },
    )
  }
}

/**
 * Says which master key a value was sealed with, for example `v2`.
 *
 * @throws SealError when it is no sealed value.
 */
export function sealedVersion(sealed: Buffer): string {
  if (sealed.length < ciphertextAt || sealed.readUInt8(0) !== format) {
    throw new SealError('malformed', 'The stored value is not a sealed value of a known format.')
  }
  return `v${sealed.readUInt16BE(1)}`
}

/**
 * Seals a value anew under the current master key; returns it unchanged when that key sealed it.
 *
 * @throws SealError as `open` does.
 */
export function reseal(keys: MasterKeys, context: SealContext, sealed: Buffer): Buffer {
  if (sealedVersion(sealed) === keys.currentVersion) return sealed
  return seal(keys, context, open(keys, context, sealed))
}

/**
 * Digests of a text under each master key (HMAC-SHA-256), the current key's first: a stored digest matches one of them
 * also while master keys are rotated.
 */
export function fingerprints(keys: MasterKeys, context: SealContext, text: string): [Buffer, ...Buffer[]] {
  const digest = (version: string) =>
    createHmac('sha256', derivedKey(keys, version, context))
      .update(additionalData(context, version))
      .update(text)
      .digest()
  const earlier = [...keys.byVersion.keys()].filter((version) => version !== keys.currentVersion)
  return [digest(keys.currentVersion), ...earlier.map(digest)]
}

function parseMasterKey(entry: string, position: number): { version: string; key: KeyObject } {
  // The entry itself is never quoted: where the colon is missing, it may be a bare key.
  const { version, encoded } = /^(?<version>v[1-9]\d{0,4}):(?<encoded>.*)$/.exec(entry)?.groups ?? {}
  if (version === undefined || encoded === undefined || Number(version.slice(1)) > 0xffff) {
    throw new Error(
      `Master key number ${position} does not begin with a version, v1: to v65535:, before its base64.`,
    )
  }
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) {
    throw new Error(`Master key ${version} is not standard base64 with padding.`)
  }
  if (bytes.length !== masterKeyLength) {
    throw new Error(`Master key ${version} has ${bytes.length} bytes; it must have ${masterKeyLength}.`)
  }
  return { version, key: createSecretKey(bytes) }
}

/** One key for each purpose and scope, so that no key's leak or overuse reaches beyond them (RFC 5869). */
function derivedKey(keys: MasterKeys, version: string, { purpose, scope }: SealContext): KeyObject {
  const master = keys.byVersion.get(version)
  if (!master) {
    throw new SealError(
      'unknown_key',
      `The stored value is sealed with master key ${version}, which is not configured.`,
    )
  }
  const info = unambiguous(purpose, scope)
  const id = `${version}:${info.toString('latin1')}`
  const known = keys.derived.get(id)
  const key = known ?? createSecretKey(Buffer.from(hkdfSync('sha256', master, '', info, masterKeyLength)))
  return keepRecentlyUsed(keys.derived, id, key, derivedLimit)
}

function additionalData({ purpose, scope, aad }: SealContext, version: string): Buffer {
  return unambiguous(String(format), version, purpose, scope, aad)
}

/** Each part after its length, so that two lists of parts never give the same bytes. */
function unambiguous(...parts: string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part, 'utf8')
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}

function toBytes(plain: Buffer | string): Buffer {
  return typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain
}
