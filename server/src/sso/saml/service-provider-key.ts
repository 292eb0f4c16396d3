import type { KeyPair } from '../../platform/crypto/random.js'
import { newRsaKeyPair } from '../../platform/crypto/rsa-key-pair.js'
import { selfSignedCertificate } from './self-signed-certificate.js'

/** A key with which we sign requests and open assertions, and its self-signed certificate; both PEM. */
export interface ServiceProviderKey {
  readonly privateKey: string
  readonly certificate: string
}

/**
 * Makes an RSA key of 2,048 bits with a certificate for ten years. Takes up to half a second, off the main thread.
 *
 * @param commonName 1 to 64 characters.
 */
export async function makeServiceProviderKey(
  commonName: string,
  at: Date,
  makeKeyPair: () => Promise<KeyPair> = newRsaKeyPair,
): Promise<ServiceProviderKey> {
  const { privateKey, publicKey } = await makeKeyPair()
  const notAfter = new Date(at)
  notAfter.setUTCFullYear(at.getUTCFullYear() + lifetimeYears)
  // Tolerates an identity provider whose clock is behind.
  const notBefore = new Date(at.getTime() - dayMs)
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSignedCertificate({ commonName, notBefore, notAfter, publicKey, privateKey }),
  }
}

const lifetimeYears = 10
const dayMs = 24 * 60 * 60_000
