import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { KeyPair } from './random.js'

const modulusBits = 2048

/** Makes an RSA key pair of 2,048 bits in the thread pool, in a tenth to half of a second. */
export function newRsaKeyPair(): Promise<KeyPair> {
  return promisify(generateKeyPair)('rsa', { modulusLength: modulusBits })
}
