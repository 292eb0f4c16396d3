import { AsyncLocalStorage } from 'node:async_hooks'
import { checkPrimeSync, createECDH, createHmac, createPrivateKey, createPublicKey } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import {
  replaceRandomness,
  type KeyKind,
  type KeyPair,
  type Randomness,
} from '../../platform/crypto/random.js'

/**
 * Derives the emulator's ids, secrets, colors and keys from the names of seed entries instead of drawing them at random,
 * so that they are publicly known. They exist only in databases that the emulator made for itself and removes, sealed
 * with a master key that is its own.
 */

const entries = new AsyncLocalStorage<Randomness>()

/** Prepares this process for seeding, before anything in it is made at random. */
export function openSeeding(): void {
  replaceRandomness(() => entries.getStore())
}

/** Runs work whose random values are derived from the names of an entry of the seed. */
export function withDerivedRandomness<Result>(
  names: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  return entries.run(randomnessOfEntry(names), work)
}

/** As JSON, different lists of names are different texts, whatever their characters. */
export function randomnessOfEntry(names: readonly string[]): Randomness {
  return derivedRandomness(JSON.stringify(names))
}

/** Ids carry their creation time; those of seeds all carry the beginning of 2026. */
const madeAtMs = Date.UTC(2026, 0, 1)

/** Deterministic randomness: the same name gives the same draws in the same order. */
export function derivedRandomness(name: string): Randomness {
  const bytes = bytesOf(name)
  return {
    bytes,
    text: (length, alphabet) =>
      // 16 bits for a character: the bias towards some of them does not matter in a seed.
      Array.from({ length }, () => alphabet.charAt(bytes(2).readUInt16BE() % alphabet.length)).join(''),
    id: () => uuidv7({ msecs: madeAtMs, random: bytes(16) }),
    keyPair: (kind) => keyPairOf(kind, bytes),
  }
}

type Draw = (length: number) => Buffer

/** Blocks of HMAC-SHA-256 over a counter, one draw after the other. */
function bytesOf(name: string): Draw {
  let draws = 0
  return (length) => {
    draws += 1
    const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, block) =>
      createHmac('sha256', 'portico emulator seed').update(`${name}\n${draws}\n${block}`).digest(),
    )
    return Buffer.concat(blocks).subarray(0, length)
  }
}

function keyPairOf(kind: KeyKind, draw: Draw): KeyPair {
  const privateKey = createPrivateKey({ key: kind === 'ES256' ? ecKey(draw) : rsaKey(draw), format: 'jwk' })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

function ecKey(draw: Draw) {
  const curve = createECDH('prime256v1')
  for (;;) {
    const secret = draw(32)
    try {
      curve.setPrivateKey(secret)
    } catch {
      // Zero, or not below the order of the curve: one draw in four billion.
      continue
    }
    // Uncompressed: 4, then both coordinates (SEC 1 section 2.3.3).
    const point = curve.getPublicKey()
    return {
      kty: 'EC',
      crv: 'P-256',
      d: secret.toString('base64url'),
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    }
  }
}

const publicExponent = 65_537n

/** A key of 2,048 bits (RFC 8017 section 3.2). */
function rsaKey(draw: Draw) {
  const p = primeOf(draw)
  const q = primeOf(draw)
  const d = inverse(publicExponent, (p - 1n) * (q - 1n))
  const members = {
    n: p * q,
    e: publicExponent,
    d,
    p,
    q,
    dp: d % (p - 1n),
    dq: d % (q - 1n),
    qi: inverse(q, p),
  }
  return { kty: 'RSA', ...Object.fromEntries(Object.entries(members).map(([name, x]) => [name, toText(x)])) }
}

/** A prime of 1,024 bits, with the two highest set, so that the product of two has 2,048. */
function primeOf(draw: Draw): bigint {
  const start = BigInt(`0x${draw(128).toString('hex')}`) | (3n << 1022n) | 1n
  for (let candidate = start; ; candidate += 2n) {
    if ((candidate - 1n) % publicExponent !== 0n && checkPrimeSync(candidate)) return candidate
  }
}

/** The inverse of a number modulo another one, by Euclid. */
function inverse(number: bigint, modulus: bigint): bigint {
  let [rest, next] = [modulus, number % modulus]
  let [factor, nextFactor] = [0n, 1n]
  while (next !== 0n) {
    const quotient = rest / next
    ;[rest, next] = [next, rest - quotient * next]
    ;[factor, nextFactor] = [nextFactor, factor - quotient * nextFactor]
  }
  return factor < 0n ? factor + modulus : factor
}

function toText(number: bigint): string {
  const hex = number.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url')
}
