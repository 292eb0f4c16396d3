import { randomBytes } from 'node:crypto'
import { hashSecret, isSecretEqual, randomBase32 } from '../../platform/crypto/secret.js'

/** The specification's number for an enrolment. */
const count = 5
/** 50 bits, behind a lock after five wrong ones. */
const length = 10

/** New recovery codes, to be shown once. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => randomBase32(length))
}

/** The stored form of recovery codes: salted digests, to be sealed. */
export function toRecoveryDigests(codes: readonly string[]): Buffer {
  const salt = randomBytes(16).toString('base64url')
  return toBytes({ salt, digests: codes.map((code) => digestOf(salt, code)) })
}

/**
 * The stored codes without the one that was typed, in any case, with spaces and dashes.
 *
 * @returns Undefined when the code is not among them.
 */
export function withoutRecoveryCode(kept: Buffer, typed: string): Buffer | undefined {
  const code = typed.toLowerCase().replace(/[\s-]/g, '')
  if (!new RegExp(`^[a-z2-7]{${length}}$`).test(code)) return undefined
  // Written only by toRecoveryDigests().
  const { salt, digests } = JSON.parse(kept.toString('utf8')) as Kept
  const used = Buffer.from(digestOf(salt, code))
  const left = digests.filter((digest) => !isSecretEqual(Buffer.from(digest), used))
  return left.length === digests.length ? undefined : toBytes({ salt, digests: left })
}

/** How many of the stored codes are left. */
export function countRecoveryCodes(kept: Buffer): number {
  // Written only by toRecoveryDigests().
  const { digests } = JSON.parse(kept.toString('utf8')) as Kept
  return digests.length
}

interface Kept {
  readonly salt: string
  readonly digests: readonly string[]
}

function digestOf(salt: string, code: string): string {
  return hashSecret(salt + code).toString('base64url')
}

function toBytes(kept: Kept): Buffer {
  return Buffer.from(JSON.stringify(kept))
}
