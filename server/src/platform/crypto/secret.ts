import { createHash, timingSafeEqual } from 'node:crypto'
import { alphabet } from 'oslo/crypto'
import { randomBytes, randomText } from './random.js'

const base62 = alphabet('0-9', 'A-Z', 'a-z')
const base32 = alphabet('a-z') + '234567'

/** 43 base 62 characters carry 256 bits, as much as 32 random bytes. */
const randomLength = 43
const checksumLength = 6
const apiKeyForm = scannableForm('key')
const directoryForm = scannableForm('scim')
const applicationForm = scannableForm('app')

/** Makes a secret of 32 random bytes in base64url: 43 characters, safe in a URL, a header and a form. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Hashes a secret for storage (SHA-256, 32 bytes for a bytea column).
 *
 * A plain hash is enough because the secrets made here cannot be guessed. Passwords and short codes can, and need a
 * slow or a keyed hash instead.
 */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest()
}

/** Compares two secrets, or their hashes, in constant time. */
export function isSecretEqual(a: Buffer, b: Buffer): boolean {
  // Hashing first gives both sides one length, which timingSafeEqual demands and which hides a wrong length.
  return timingSafeEqual(sha256(a), sha256(b))
}

/**
 * Makes the secret of an API key: `keysandbox_` or `keyproduction_`, 43 random characters of base 62 (256 bits) and
 * a checksum of 6.
 *
 * The prefix lets a leak scanner find the key in any text; the checksum lets it drop look-alikes without asking the
 * service. Base 62 has no `-`, so that the whole key is one word for a scanner, and for a double click.
 */
export function makeApiKeySecret(environment: 'sandbox' | 'production'): string {
  return scannableSecret('key', environment)
}

/** Says whether a text has the form and the checksum of an API key secret; not whether such a key exists. */
export function isApiKeySecret(text: string): boolean {
  return apiKeyForm.test(text) && hasChecksum(text)
}

/** Makes the secret of a directory, of the form of an API key's, after `scimsandbox_` or `scimproduction_`. */
export function makeDirectorySecret(environment: 'sandbox' | 'production'): string {
  return scannableSecret('scim', environment)
}

/** Says whether a text has the form and the checksum of a directory's secret; not whether such a directory exists. */
export function isDirectorySecret(text: string): boolean {
  return directoryForm.test(text) && hasChecksum(text)
}

/** Makes the secret of an application, of the form of an API key's, after `appsandbox_` or `appproduction_`. */
export function makeApplicationSecret(environment: 'sandbox' | 'production'): string {
  return scannableSecret('app', environment)
}

/** Says whether a text has the form and the checksum of an application's secret; not whether there is such a secret. */
export function isApplicationSecret(text: string): boolean {
  return applicationForm.test(text) && hasChecksum(text)
}

/** Makes a random text of lower-case base 32 (RFC 4648 section 6, without padding): 5 bits a character. */
export function randomBase32(length: number): string {
  return randomText(length, base32)
}

/** Makes a random text of base 62: almost 6 bits a character. */
export function randomBase62(length: number): string {
  return randomText(length, base62)
}

function scannableForm(prefix: string): RegExp {
  return new RegExp(`^${prefix}(?:sandbox|production)_[0-9A-Za-z]{${randomLength + checksumLength}}$`)
}

function scannableSecret(prefix: string, environment: 'sandbox' | 'production'): string {
  const unsigned = `${prefix}${environment}_${randomText(randomLength, base62)}`
  return unsigned + checksum(unsigned)
}

function hasChecksum(text: string): boolean {
  // Not a comparison of secrets: anyone can compute the checksum of the text they sent.
  return text.slice(-checksumLength) === checksum(text.slice(0, -checksumLength))
}

/** The first 48 bits of the SHA-256 as 6 digits of base 62: 1 look-alike in 57 billion passes. */
function checksum(text: string): string {
  let rest = hashSecret(text).readUIntBE(0, 6)
  let digits = ''
  for (let i = 0; i < checksumLength; i += 1) {
    digits = base62.charAt(rest % base62.length) + digits
    rest = Math.floor(rest / base62.length)
  }
  return digits
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
