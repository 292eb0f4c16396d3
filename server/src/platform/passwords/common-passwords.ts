import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { packageRoot } from '../package-root.js'

const digestLength = 4

/**
 * The digest of a password in the list of common ones: the first 32 bits of the SHA-256 of its folded form. One in
 * 43,000 other passwords collides with the list and is refused needlessly; that costs its owner a second try.
 */
export function digestOf(plainText: string): number {
  const folded = plainText.normalize('NFKC').toLowerCase()
  return createHash('sha256').update(folded, 'utf8').digest().readUInt32BE(0)
}

/** Opens the list of the most common passwords: 400 kB of sorted digests, read when the first password is checked. */
export function openCommonPasswords(): (plainText: string) => boolean {
  let digests: Buffer | undefined
  return (plainText) => {
    // The same path from src and from dist.
    digests ??= readFileSync(new URL('src/platform/passwords/common-passwords.bin', packageRoot))
    return isListed(digests, digestOf(plainText))
  }
}

function isListed(digests: Buffer, digest: number): boolean {
  let low = 0
  let high = digests.length / digestLength
  while (low < high) {
    const middle = (low + high) >>> 1
    const found = digests.readUInt32BE(middle * digestLength)
    if (found === digest) return true
    if (found < digest) low = middle + 1
    else high = middle
  }
  return false
}
