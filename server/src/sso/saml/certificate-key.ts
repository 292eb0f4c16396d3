import { createPublicKey, type KeyObject } from 'node:crypto'

/** Keys that are kept, the least recently used first. Parsing a certificate costs more than verifying by its key. */
const kept = new Map<string, KeyObject>()
/** Certificates of 2 kB, so some megabytes. */
const most = 2_000

/** The public key of a certificate in PEM, parsed once. */
export function publicKeyOf(certificate: string): KeyObject {
  const key = kept.get(certificate) ?? createPublicKey(certificate)
  // A Map keeps the order of insertion: deleting and setting makes this entry the most recently used.
  kept.delete(certificate)
  kept.set(certificate, key)
  if (kept.size > most) {
    const [oldest] = kept.keys()
    if (oldest !== undefined) kept.delete(oldest)
  }
  return key
}
