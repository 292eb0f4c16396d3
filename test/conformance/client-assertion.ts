import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Json } from './json.js'
import type { Issuer, RegisteredClient } from './provider.js'

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** What differs from a valid assertion. */
export interface AssertionChanges {
  readonly claims?: Json
  /** Signs with another key, under the same id. */
  readonly key?: CryptoKey
}

/** The parameters with which a client authenticates by a JWT (RFC 7523 section 2.2). */
export async function clientAssertion(
  at: Issuer,
  { clientId, authentication, alg }: RegisteredClient,
  { claims = {}, key }: AssertionChanges = {},
) {
  assert.ok(authentication.method === 'private_key_jwt', 'the client has no key')
  const seconds = Math.floor(at.now().getTime() / 1000)
  const all = {
    iss: clientId,
    sub: clientId,
    aud: at.issuer,
    iat: seconds,
    exp: seconds + 60,
    jti: randomUUID(),
  }
  const assertion = await new SignJWT({ ...all, ...claims })
    .setProtectedHeader({ alg, kid: authentication.kid })
    .sign(key ?? authentication.key)
  return { client_assertion_type: assertionType, client_assertion: assertion }
}
