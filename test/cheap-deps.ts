import { newRsaKeyPair } from './ready-made-keys.js'

/** What a service or command of the tests has in place of what takes long: RSA keys and password hashes. */
export const cheapDeps = {
  newRsaKeyPair,
  /** The least that Argon2id may take (RFC 9106 section 3.1). */
  passwordCost: { memorySize: 8, iterations: 1 },
}
