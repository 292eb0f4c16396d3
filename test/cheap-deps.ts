import { newRsaKeyPair } from './ready-made-keys.js'

/** Fast replacements of slow dependencies for services and commands in tests: RSA keys and password hashes. */
export const cheapDeps = {
  newRsaKeyPair,
  /** The minimum parameters of Argon2id (RFC 9106 section 3.1). */
  passwordCost: { memorySize: 8, iterations: 1 },
}
