import { generateKeyPair, randomBytes as systemBytes, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { generateRandomString } from 'oslo/crypto'
import { inTurn } from '../in-turn.js'
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid'

/** The kinds of keys that sign tokens (RFC 7518 sections 3.3 and 3.4). */
export type KeyKind = 'ES256' | 'RS256'

export interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** Replaces randomness while an emulator is seeded, so that the same seed gives the same data. */
export interface Randomness {
  bytes(length: number): Buffer
  text(length: number, alphabet: string): string
  id(): string
  keyPair(kind: KeyKind): KeyPair
}

const rsaModulusBits = 2048

let isUsed = false
let findReplacement: (() => Randomness | undefined) | undefined

/**
 * Replaces randomness wherever the function returns a replacement. Only the emulator calls this, first thing in its
 * process.
 *
 * @throws Error in a process that has drawn random values already: a serving process must not become a derived one.
 */
export function replaceRandomness(find: () => Randomness | undefined): void {
  if (isUsed)
    throw new Error('This process has made keys or ids at random already, and makes none in another way.')
  findReplacement = find
}

function replacement(): Randomness | undefined {
  isUsed = true
  return findReplacement?.()
}

/** Makes the id of a row: version 7, so that ids made later are greater (RFC 9562 section 5.7). */
export function newId(): string {
  return replacement()?.id() ?? uuidv7()
}

/** Makes an id that does not reveal its creation time: version 4. */
export function newTimelessId(): string {
  return replacement()?.id() ?? uuidv4()
}

export function randomBytes(length: number): Buffer {
  return replacement()?.bytes(length) ?? systemBytes(length)
}

/** Makes a text of an alphabet's characters, each equally likely. */
export function randomText(length: number, alphabet: string): string {
  return replacement()?.text(length, alphabet) ?? generateRandomString(length, alphabet)
}

/** Makes a key pair in the thread pool; RS256 takes about a tenth of a second there, ES256 next to nothing. */
export async function newKeyPair(kind: KeyKind): Promise<KeyPair> {
  const found = replacement()?.keyPair(kind)
  if (found !== undefined) return found
  return kind === 'ES256' ? promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }) : generateRsaKeyPair()
}

/** One at a time: many would take the threads of Node that also look up names and hash passwords. */
const generateRsaKeyPair = inTurn(() => promisify(generateKeyPair)('rsa', { modulusLength: rsaModulusBits }))
