import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'
import { invalid } from '../errors.js'

// Not by oslo, whose Argon2id and Bcrypt fold compatibility characters (NFKC) before they hash: other products hash a
// password as typed, and one with ② or ﬁ in it would never match again.

/** Prefix of stored foreign hashes: one with our parameters could not be recognized by its text. */
const mark = 'imported:'

/** Compares a password with the hash; the cost is that of the hash. */
type Verify = (plainText: string) => Promise<boolean>

interface Form {
  readonly pattern: RegExp
  /** @throws ApiError `invalid_parameters` when a verification would cost too much. */
  readonly toVerify: (part: (name: string) => string, hash: string) => Verify
}

/** 128 MiB for each hash under way. */
const maxMemoryKib = 131_072
/** Memory times passes: about a second of a core. */
const maxKibPasses = 1_048_576
/** Memory times lanes of scrypt, which runs lanes one after the other: about a second of a core. */
const maxKibLanes = 393_216
/** 2^14 rounds of bcrypt take about a second of a core. */
const maxBcryptCost = 14
/** Of PBKDF2, about a second of a core with SHA-512. */
const maxIterations = 2_000_000
const maxLanes = 16

// 8 to 64 bytes of salt, and 16 to 64 of derived key: a shorter one could match by chance.
// passlib writes . for +; others pad with =.
const salt = String.raw`(?<salt>[A-Za-z0-9+/.]{11,86}={0,2})`
const key = String.raw`(?<key>[A-Za-z0-9+/.]{22,86}={0,2})`
const saltText = String.raw`(?<salt>[^$\s]{1,128})`
const digest = String.raw`(?<digest>sha1|sha256|sha512)`

const forms: readonly Form[] = [
  {
    pattern: new RegExp(
      String.raw`^\$argon2(?:id|i|d)(?:\$v=(?:16|19))?\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,5}),p=(?<lanes>\d{1,3})` +
        String.raw`\$(?<salt>[A-Za-z0-9+/]{11,64})\$(?<key>[A-Za-z0-9+/]{22,86})$`,
    ),
    toVerify(part, hash) {
      fromBase64(part('salt'))
      fromBase64(part('key'))
      const [memoryKib, passes, lanes] = [
        Number(part('memory')),
        Number(part('passes')),
        Number(part('lanes')),
      ]
      checkCost(lanes > 0 && passes > 0 && memoryKib >= 8 * lanes)
      checkCost(lanes <= maxLanes && memoryKib <= maxMemoryKib && memoryKib * passes <= maxKibPasses)
      return (plainText) => verifyArgon2(hash, plainText)
    },
  },
  {
    // Not $2x$, which marks hashes of a faulty implementation. Salt and hash end in bits that are zero.
    pattern: /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/,
    toVerify(part, hash) {
      const cost = Number(part('cost'))
      checkCost(cost >= 4 && cost <= maxBcryptCost)
      return (plainText) => verifyBcrypt(plainText, hash)
    },
  },
  {
    // The PHC string format, and passlib.
    pattern: new RegExp(
      String.raw`^\$scrypt\$ln=(?<log>\d{1,2}),r=(?<block>\d{1,4}),p=(?<lanes>\d{1,3})\$${salt}\$${key}$`,
    ),
    toVerify: (part) =>
      scryptVerify(2 ** Number(part('log')), part, fromBase64(part('salt')), fromBase64(part('key'))),
  },
  {
    // Django.
    pattern: new RegExp(
      String.raw`^scrypt\$(?<cost>\d{1,7})\$${saltText}\$(?<block>\d{1,4})\$(?<lanes>\d{1,3})\$${key}$`,
    ),
    toVerify: (part) =>
      scryptVerify(Number(part('cost')), part, Buffer.from(part('salt')), fromBase64(part('key'))),
  },
  {
    // Werkzeug, and so Flask.
    pattern: new RegExp(
      String.raw`^scrypt:(?<cost>\d{1,7}):(?<block>\d{1,4}):(?<lanes>\d{1,3})\$${saltText}\$(?<key>(?:[0-9a-f]{2}){16,64})$`,
    ),
    toVerify: (part) =>
      scryptVerify(Number(part('cost')), part, Buffer.from(part('salt')), Buffer.from(part('key'), 'hex')),
  },
  {
    // passlib, whose name for SHA-1 is none; with i= and l= the PHC string format.
    pattern: new RegExp(
      String.raw`^\$pbkdf2(?:-${digest})?\$(?:i=)?(?<iterations>\d{1,8})(?:,l=\d{2,3})?\$${salt}\$${key}$`,
    ),
    toVerify: (part) => pbkdf2Verify(part, fromBase64(part('salt')), fromBase64(part('key'))),
  },
  {
    // Django.
    pattern: new RegExp(String.raw`^pbkdf2_${digest}\$(?<iterations>\d{1,8})\$${saltText}\$${key}$`),
    toVerify: (part) => pbkdf2Verify(part, Buffer.from(part('salt')), fromBase64(part('key'))),
  },
  {
    // Werkzeug.
    pattern: new RegExp(
      String.raw`^pbkdf2:${digest}:(?<iterations>\d{1,8})\$${saltText}\$(?<key>(?:[0-9a-f]{2}){16,64})$`,
    ),
    toVerify: (part) => pbkdf2Verify(part, Buffer.from(part('salt')), Buffer.from(part('key'), 'hex')),
  },
]

/**
 * The stored form of another product's hash: bcrypt, scrypt, PBKDF2 or Argon2 in one of their textual forms.
 *
 * @throws ApiError `invalid_parameters` when it has none of the forms, or costs more than a sign-in may.
 */
export function toStoredForeignHash(hash: string): string {
  toVerify(hash)
  return `${mark}${hash}`
}

/** Whether a stored hash is another product's. */
export function isForeignHash(stored: string): boolean {
  return stored.startsWith(mark)
}

/** Compares a password, as it was typed, with a hash that toStoredForeignHash() returned. */
export function verifyForeignHash(stored: string, plainText: string): Promise<boolean> {
  return toVerify(stored.slice(mark.length))(plainText)
}

function toVerify(hash: string): Verify {
  // Django prefixes the text of Argon2 with a name of its own.
  const text = hash.replace(/^argon2(?=\$argon2)/, '')
  for (const form of forms) {
    const groups = form.pattern.exec(text)?.groups
    if (groups !== undefined) return form.toVerify((name) => groups[name] ?? '', text)
  }
  throw unknownForm()
}

function unknownForm() {
  return invalid(
    'password_hash',
    'unknown_form',
    'must be a hash of bcrypt, scrypt, PBKDF2 or Argon2 in one of the forms that the guide to importing lists',
  )
}

/** A user with a costlier hash could keep the service busy. */
function checkCost(isBearable: boolean): void {
  if (!isBearable)
    throw invalid(
      'password_hash',
      'too_costly',
      'has parameters that no sign-in may cost; the guide to importing lists the bounds',
    )
}

const derivedByScrypt = promisify<string, Buffer, number, object, Buffer>(scrypt)
const derivedByPbkdf2 = promisify(pbkdf2)

function scryptVerify(cost: number, part: (name: string) => string, salt: Buffer, key: Buffer): Verify {
  const [blockSize, lanes] = [Number(part('block')), Number(part('lanes'))]
  const memoryKib = (cost * blockSize) / 8
  // The limits of scrypt itself (RFC 7914 section 6).
  checkCost(cost > 1 && Number.isInteger(Math.log2(cost)) && Math.log2(cost) < 16 * blockSize && lanes > 0)
  checkCost(lanes <= maxLanes && memoryKib <= maxMemoryKib && memoryKib * lanes <= maxKibLanes)
  const options = { N: cost, r: blockSize, p: lanes, maxmem: 2 * maxMemoryKib * 1024 }
  return async (plainText) =>
    timingSafeEqual(await derivedByScrypt(plainText, salt, key.length, options), key)
}

const digestLengths: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 }

function pbkdf2Verify(part: (name: string) => string, salt: Buffer, key: Buffer): Verify {
  const digest = part('digest') || 'sha1'
  const iterations = Number(part('iterations'))
  checkCost(iterations > 0 && iterations <= maxIterations)
  // Each length of the digest is computed separately (RFC 8018 section 5.2), and the first is as hard to guess as all.
  const first = key.subarray(0, digestLengths[digest])
  return async (plainText) =>
    timingSafeEqual(await derivedByPbkdf2(plainText, salt, iterations, first.length, digest), first)
}

/** @throws ApiError `invalid_parameters` for text that is not canonical base64, such as a truncated hash. */
function fromBase64(text: string): Buffer {
  const standard = text.replaceAll('.', '+').replace(/=+$/, '')
  const bytes = Buffer.from(standard, 'base64')
  if (bytes.toString('base64').replace(/=+$/, '') !== standard) throw unknownForm()
  return bytes
}
