import { constants, createDecipheriv, privateDecrypt } from 'node:crypto'
import { readEncryption } from './encryption-form.js'
import { algorithms } from './saml-names.js'
import type { XmlElement } from './xml-tree.js'

/**
 * Decrypts an encrypted assertion. There is no other decryptor: this text is verified and read afterwards.
 *
 * @param assertion The EncryptedAssertion, of a form that was checked.
 * @throws Error of any kind, for any key, tag or padding that is wrong.
 */
export function decryptAssertion(assertion: XmlElement, privateKey: string): Buffer {
  const { cipher, wrappedKey, content } = readEncryption(assertion)
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const wrapped = Buffer.from(wrappedKey, 'base64')
  const key = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha1' }, wrapped)
  const bytes = Buffer.from(content, 'base64')
  switch (cipher) {
    case algorithms.aes128Gcm:
      return openGcm('aes-128-gcm', key, bytes)
    case algorithms.aes256Gcm:
      return openGcm('aes-256-gcm', key, bytes)
    case algorithms.aes128Cbc:
      return openCbc('aes-128-cbc', key, bytes)
    case algorithms.aes256Cbc:
      return openCbc('aes-256-cbc', key, bytes)
    default:
      throw new Error('an encrypted assertion of another form than was checked')
  }
}

/** A nonce of 12 bytes, the cipher text, and a tag of 16 (XML Encryption section 5.2.4). */
function openGcm(cipher: 'aes-128-gcm' | 'aes-256-gcm', key: Buffer, content: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, content.subarray(0, 12), { authTagLength: 16 })
  decipher.setAuthTag(content.subarray(-16))
  return Buffer.concat([decipher.update(content.subarray(12, -16)), decipher.final()])
}

/** A vector of 16 bytes and the cipher text; only the last byte of the padding counts (XML Encryption section 5.2). */
function openCbc(cipher: 'aes-128-cbc' | 'aes-256-cbc', key: Buffer, content: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, content.subarray(0, 16))
  decipher.setAutoPadding(false)
  const padded = Buffer.concat([decipher.update(content.subarray(16)), decipher.final()])
  // Wrong padding gives an unreadable document, and fails there like any other wrong byte.
  return padded.subarray(0, -(padded.at(-1) ?? 0))
}
