import { randomBytes } from 'node:crypto'
import { HOTP, Secret, TOTP } from 'otpauth'
import { isSecretEqual } from '../../platform/crypto/secret.js'

/** Seconds; what authenticator apps take for granted, whatever a key URI says. */
const period = 30
/** RFC 4226 section 4, R6, recommends 160 bits. */
const secretLength = 20
const form = { algorithm: 'SHA1', digits: 6 } as const

/** The secret that an app shares with the service. */
export function makeTotpSecret(): Buffer {
  return randomBytes(secretLength)
}

/** What an app is told by a QR code: whose secret it is, and of whom. Its issuer has no colon, which ends it there. */
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
  /** How long a code is good for; at least the one before is. */
  readonly expirySeconds: number
}

/**
 * The step of 30 seconds that a code belongs to, from the one after the present, for a clock that is fast, back through
 * what the expiry covers (RFC 6238 section 5.2).
 *
 * @returns Undefined when none of them has this code. Whether the step was used already is the caller's to know.
 */
export function findStep(secret: Buffer, { code, at, expirySeconds }: PresentedCode): number | undefined {
  // The library takes digits of other scripts for digits.
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const newest = TOTP.counter({ period, timestamp: at.getTime() }) + 1
  const oldest = newest - 1 - Math.max(1, Math.floor(expirySeconds / period))
  const shared = toSecret(secret)
  const presented = Buffer.from(code)
  let found: number | undefined
  // All of them, so that the time does not tell which it was.
  for (let step = oldest; step <= newest; step++) {
    const expected = HOTP.generate({ ...form, secret: shared, counter: step })
    if (isSecretEqual(Buffer.from(expected), presented)) found = step
  }
  return found
}

function toSecret(bytes: Buffer): Secret {
  return new Secret({ buffer: new Uint8Array(bytes).buffer })
}
