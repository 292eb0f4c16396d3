import { base64urlOf } from '../base64url.js'

/** A random text of 256 bits, as state, nonce, verifier and key. */
export function randomText(): string {
  return base64urlOf(crypto.getRandomValues(new Uint8Array(32)))
}

/** The SHA-256 digest of a text, as base64url. */
export async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return base64urlOf(new Uint8Array(digest))
}
