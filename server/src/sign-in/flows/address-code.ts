import { randomInt } from 'node:crypto'
import { open, seal, type MasterKeys, type SealContext } from '../../platform/crypto/seal.js'
import { isSecretEqual } from '../../platform/crypto/secret.js'

/** How long the code that proves an address can be typed, ample for its delivery. */
export const addressCodeLifetimeMs = 15 * 60 * 1000

/** Five guesses of a million codes; the next five need another mail. */
export const maxAddressCodeFailures = 5

/** A code with the address that it proves. */
export interface AddressCode {
  readonly code: string
  /** Normalized. */
  readonly email: string
}

/** Six digits. */
export function newAddressCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

export function sealAddressCode(master: MasterKeys, context: SealContext, code: AddressCode): Buffer {
  return seal(master, context, JSON.stringify(code))
}

export function openAddressCode(master: MasterKeys, context: SealContext, sealed: Buffer): AddressCode {
  // Written only by sealAddressCode().
  return JSON.parse(open(master, context, sealed).toString()) as AddressCode
}

/** Whether the code that was mailed to an address was typed. */
export function isTypedCode(shown: AddressCode, { code, email }: AddressCode): boolean {
  return (
    shown.email === email && isSecretEqual(Buffer.from(shown.code), Buffer.from(code.replace(/[\s-]/g, '')))
  )
}

/** The whole minutes until the end of a code, as its mail has them. */
export function minutesUntil(end: Date, at: Date): number {
  return Math.max(1, Math.round((end.getTime() - at.getTime()) / 60_000))
}
