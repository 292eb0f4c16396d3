import { randomBytes } from 'node:crypto'
import { HOTP, Secret, TOTP } from 'otpauth'
import { isSecretEqual } from '../../platform/crypto/secret.js'

/** Seconds; authenticator apps assume 30, whatever a key URI says. */
const period = 30
/** RFC 4226 section 4, R6, recommends 160 bits. */
const secretLength = 20
const form = { algorithm: 'SHA1', digits: 6 } as const

/** The secret that an app shares with the service. */
export function makeTotpSecret(): Buffer {
  return randomBytes(secretLength)
}

/** The key URI for a QR code. A colon would end the issuer, and is replaced. */
export function toKeyUri(secret: Buffer, { issuer, email }: { issuer: string; email: string }): string {
  const totp = new TOTP({
    ...form,
    period,
    issuer: issuer.replaceAll(':', ' '),
    label: email,
    secret: toSecret(secret),
  })
  return totp.toString()
}

export interface PresentedCode {
  readonly code: string
  readonly at: Date
  /** How long a code is valid; the code of the previous step always is. */
  readonly expirySeconds: number
}

/**
 * The 30-second step of a code, from the next one, for a fast clock, back through the steps that the expiry covers (RFC
 * 6238 section 5.2).
 *
 * @returns Undefined when no step has this code. The caller checks whether the step was used.
 */
export function findStep(secret: Buffer, { code, at, expirySeconds }: PresentedCode): number | undefined {
  // The library accepts digits of other scripts.
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const newest = TOTP.counter({ period, timestamp: at.getTime() }) + 1
  const oldest = newest - 1 - Math.max(1, Math.floor(expirySeconds / period))
  const shared = toSecret(secret)
  const presented = Buffer.from(code)
  let found: number | undefined
  // Compares every step, so that the time does not reveal which one matched.
  for (let step = oldest; step <= newest; step++) {
    const expected = HOTP.generate({ ...form, secret: shared, counter: step })
    if (isSecretEqual(Buffer.from(expected), presented)) found = step
  }
  return found
}

function toSecret(bytes: Buffer): Secret {
  return new Secret({ buffer: new Uint8Array(bytes).buffer })
}
