import { base64urlOf } from './base64url.js'

const algorithms = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  RS256: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
}

/** A key that signs tokens. */
export interface SigningKey {
  readonly kid: string
  readonly alg: keyof typeof algorithms
  readonly pair: CryptoKeyPair
}

/** Makes a key. */
export async function newKey(kid: string, alg: SigningKey['alg'] = 'ES256'): Promise<SigningKey> {
  const pair = await crypto.subtle.generateKey(algorithms[alg], true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('expected a pair of keys')
  return { kid, alg, pair }
}

/** The member of a key set for a key. */
export async function publicPartOf({ kid, alg, pair }: SigningKey): Promise<object> {
  const { kty, crv, x, y, n, e } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  return { kid, alg, use: 'sig', kty, crv, x, y, n, e }
}

/** Signs claims, by default as an access token. */
export async function sign(key: SigningKey, claims: object, header: object = {}): Promise<string> {
  const signed = [{ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header }, claims].map(encode).join('.')
  const data = new TextEncoder().encode(signed)
  const signature = await crypto.subtle.sign(algorithms[key.alg], key.pair.privateKey, data)
  return `${signed}.${base64urlOf(new Uint8Array(signature))}`
}

/** A part of a token. */
export function encode(part: object): string {
  return base64urlOf(new TextEncoder().encode(JSON.stringify(part)))
}
