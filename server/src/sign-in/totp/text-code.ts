import { randomInt } from 'node:crypto'
import { isSecretEqual } from '../../platform/crypto/secret.js'

/** A code for a text message: six digits, each as likely as any other. */
export function makeTextCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

/** Whether a code is the one that was sent. */
export function isTextCode(sent: Buffer, code: string): boolean {
  return isSecretEqual(sent, Buffer.from(code))
}
