import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { newKeyPair, type KeyKind } from './random.js'

/** The signature algorithms of our tokens, one for each kind of key. */
export type Algorithm = KeyKind

/** A public key as the key set publishes it (RFC 7517 section 4); its `kid` is its thumbprint. */
export type PublicJwk = (EcPublicMembers | RsaPublicMembers) & { kid: string; alg: Algorithm; use: 'sig' }

interface EcPublicMembers {
  kty: 'EC'
  crv: string
  x: string
  y: string
}

interface RsaPublicMembers {
  kty: 'RSA'
  n: string
  e: string
}

/** A private key with its header members. Keep the KeyObject: reading it from PEM costs more than signing. */
export interface Signer {
  kid: string
  algorithm: Algorithm
  privateKey: KeyObject
  /** The header's `typ`, for example `JWT` or `at+jwt`. */
  typ: string
}

/** The header of a token, untrusted until the signature is checked. */
type JwtHeader = Readonly<Record<string, unknown>> & { alg: string; kid?: string; typ?: string }

/** The claims of a token, untrusted until the signature is checked. */
export type JwtClaims = Readonly<Record<string, unknown>>

/** A token taken apart, not verified. */
interface DecodedJwt {
  header: JwtHeader
  claims: JwtClaims
  /** What the signature signs: the first two parts, as received. */
  signingInput: string
  signature: Buffer
}

/** Longest token that is read, in characters; half of the 16 kB that all headers of a request may have. */
const maximumLength = 8 * 1024

/** The length of r and s together (RFC 7518 section 3.4); a DER signature has another one. */
const es256SignatureLength = 64

const rsaModulusBits = 2048

/** Makes a key to sign tokens with; RS256 takes about a tenth of a second, ES256 next to nothing. */
export async function generateSigningKey(
  algorithm: Algorithm,
): Promise<{ privateKeyPem: string; publicJwk: PublicJwk }> {
  const { privateKey, publicKey } = await newKeyPair(algorithm)
  return {
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicJwk: toPublicJwk(algorithm, publicKey),
  }
}

/** Reads a private key from PEM, once, to be kept and used for many signatures. */
export function toPrivateKey(privateKeyPem: string): KeyObject {
  return createPrivateKey(privateKeyPem)
}

/** Reads a public key, once, to be kept and used for many verifications. */
export function toPublicKey(publicJwk: PublicJwk): KeyObject {
  return createPublicKey({ key: { ...publicJwk }, format: 'jwk' })
}

/** The thumbprint of a public key, which is its `kid`: SHA-256, base64url (RFC 7638 section 3). */
export function toThumbprint(key: EcPublicMembers | RsaPublicMembers): string {
  // Exactly the required members, in lexical order, without blanks: the bytes are what is hashed.
  const canonical =
    key.kty === 'EC'
      ? { crv: key.crv, kty: key.kty, x: key.x, y: key.y }
      : { e: key.e, kty: key.kty, n: key.n }
  return createHash('sha256').update(JSON.stringify(canonical)).digest('base64url')
}

/**
 * Signs claims as a compact JWT (RFC 7515 section 3.1).
 *
 * @throws Error when the key is not one for the algorithm.
 */
export function signJwt({ kid, algorithm, privateKey, typ }: Signer, claims: JwtClaims): string {
  if (privateKey.type !== 'private' || !isKeyFor(algorithm, privateKey)) {
    throw new Error(`The key ${kid} is not a private key for ${algorithm}.`)
  }
  const signingInput = `${toPart({ alg: algorithm, typ, kid })}.${toPart(claims)}`
  const signature = sign('sha256', Buffer.from(signingInput), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${signingInput}.${signature.toString('base64url')}`
}

/**
 * Takes a compact JWT apart without verifying it; undefined when it is not one, or longer than 8,192 characters.
 *
 * Strict, so that no two readers can see different tokens in one text: canonical base64url, UTF-8, JSON objects, no
 * header member twice, and no `crit`, because no extension is understood (RFC 7515 section 4.1.11).
 */
export function decodeJwt(token: string): DecodedJwt | undefined {
  if (token.length > maximumLength) return undefined
  const parts = token.split('.', 4)
  const [headerPart, claimsPart, signaturePart] = parts
  if (parts.length !== 3 || !headerPart || !claimsPart || !signaturePart) return undefined
  const headerText = fromBase64urlText(headerPart)
  const claimsText = fromBase64urlText(claimsPart)
  const signature = fromBase64url(signaturePart)
  if (headerText === undefined || claimsText === undefined || !signature) return undefined
  const header = parseObject(headerText)
  const claims = parseObject(claimsText)
  if (!header || !claims || !isHeader(header) || hasDuplicateMember(headerText)) return undefined
  return { header, claims, signingInput: `${headerPart}.${claimsPart}`, signature }
}

/**
 * Says whether a token was signed with a key, under the algorithm that the key's own record names.
 *
 * The header's `alg` must agree but never decides: a token cannot choose `none`, nor turn a public key into an HMAC
 * secret (RFC 8725 section 3.1).
 */
export function isJwtSignatureValid(
  decoded: DecodedJwt,
  algorithm: Algorithm,
  publicKey: KeyObject,
): boolean {
  if (decoded.header.alg !== algorithm) return false
  if (publicKey.type !== 'public' || !isKeyFor(algorithm, publicKey)) return false
  if (algorithm === 'ES256' && decoded.signature.length !== es256SignatureLength) return false
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const }
  return verify('sha256', Buffer.from(decoded.signingInput), key, decoded.signature)
}

/**
 * Finds what is wrong with a token's times, if anything (RFC 7519 sections 4.1.4 and 4.1.5).
 *
 * @param clock The present in seconds since 1970, and how many seconds another machine's clock may be off.
 * @returns `malformed` also when there is no `exp`: every token of ours ends.
 */
export function findTimeFault(
  claims: JwtClaims,
  clock: { nowSeconds: number; leewaySeconds: number },
): 'malformed' | 'expired' | 'not_yet_valid' | undefined {
  const { exp, nbf } = claims
  if (!isNumericDate(exp) || (nbf !== undefined && !isNumericDate(nbf))) return 'malformed'
  if (clock.nowSeconds >= exp + clock.leewaySeconds) return 'expired'
  if (nbf !== undefined && clock.nowSeconds < nbf - clock.leewaySeconds) return 'not_yet_valid'
  return undefined
}

function toPublicJwk(algorithm: Algorithm, publicKey: KeyObject): PublicJwk {
  const { kty, crv, x, y, n, e } = publicKey.export({ format: 'jwk' })
  if (kty === 'EC' && crv !== undefined && x !== undefined && y !== undefined) {
    const members = { kty: 'EC' as const, crv, x, y }
    return { ...members, kid: toThumbprint(members), alg: algorithm, use: 'sig' }
  }
  if (kty === 'RSA' && n !== undefined && e !== undefined) {
    const members = { kty: 'RSA' as const, n, e }
    return { ...members, kid: toThumbprint(members), alg: algorithm, use: 'sig' }
  }
  throw new Error(`A key of type ${kty} has no form in our key sets.`)
}

/** Whether a key is one for an algorithm, and strong enough. */
export function isKeyFor(algorithm: Algorithm, key: KeyObject): boolean {
  const details = key.asymmetricKeyDetails
  // OpenSSL's name of P-256.
  if (algorithm === 'ES256') return key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1'
  return key.asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= rsaModulusBits
}

function toPart(value: JwtClaims): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function fromBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  // Node skips invalid characters. Only canonical text survives the round trip, so that a token has one spelling.
  return bytes.toString('base64url') === text ? bytes : undefined
}

function fromBase64urlText(text: string): string | undefined {
  const bytes = fromBase64url(text)
  if (!bytes) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isHeader(header: Record<string, unknown>): header is JwtHeader {
  const { alg, kid, typ } = header
  if (Object.hasOwn(header, 'crit')) return false
  return typeof alg === 'string' && isTextOrMissing(kid) && isTextOrMissing(typ)
}

function isTextOrMissing(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

/** Whether the outermost object of a valid JSON text names a member twice (RFC 7515 section 4); JSON.parse keeps the last. */
function hasDuplicateMember(json: string): boolean {
  const names = new Set<unknown>()
  let depth = 0
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && token.endsWith(':')) {
      const name: unknown = JSON.parse(token.slice(0, -1))
      if (names.has(name)) return true
      names.add(name)
    }
  }
  return false
}

function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
