import { createPublicKey, type KeyObject } from 'node:crypto'
import { keepRecentlyUsed } from '../../platform/recently-used.js'

/** Parsing a certificate costs more than verifying by its key. */
const kept = new Map<string, KeyObject>()
/** Certificates of 2 kB, so some megabytes. */
const most = 2_000

/** The public key of a certificate in PEM, parsed once. */
export function publicKeyOf(certificate: string): KeyObject {
  return keepRecentlyUsed(kept, certificate, kept.get(certificate) ?? createPublicKey(certificate), most)
}
