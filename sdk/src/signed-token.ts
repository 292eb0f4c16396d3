import { bytesOf } from './base64url.js'
import { isObject } from './exchange.js'
import { TokenError } from './token-error.js'

/** A parsed token, not verified yet. */
export interface SignedToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly signature: Uint8Array<ArrayBuffer>
  /** The JWS signing input (RFC 7515 section 5.2). */
  readonly signedBytes: Uint8Array<ArrayBuffer>
}

const maxTokenLength = 16_384

/** Parses a compact JWS. Critical extensions are refused, because none is supported (RFC 7515 section 4.1.11). */
export function parseToken(token: string): SignedToken {
  const parts = token.length > maxTokenLength ? [] : token.split('.')
  const [headerPart = '', claimsPart = '', signaturePart = ''] = parts
  const header = objectOf(headerPart)
  const claims = objectOf(claimsPart)
  const signature = bytesOf(signaturePart)
  if (parts.length !== 3 || !header || !claims || !signature || 'crit' in header)
    throw new TokenError('token_malformed', 'the token is not a signed JWT')
  return { header, claims, signature, signedBytes: new TextEncoder().encode(`${headerPart}.${claimsPart}`) }
}

function objectOf(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = bytesOf(part)
  try {
    const value: unknown = bytes && JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
