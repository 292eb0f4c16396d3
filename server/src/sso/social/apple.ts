import { createPrivateKey } from 'node:crypto'
import { signJwt, toPrivateKey } from '../../platform/crypto/jwt.js'

/** Our client at Apple, whose secret is made of a key of the team of its developers. */
export interface AppleClient {
  readonly issuer: string
  readonly clientId: string
  readonly teamId: string
  readonly keyId: string
  readonly privateKey: string
}

/** Apple allows six months; a secret is made for each exchange, so that one that is seen is soon worth nothing. */
const secretLifetimeSeconds = 5 * 60

/** The secret of our client at Apple, as a token (Sign in with Apple, Creating a client secret). */
export function toAppleSecret(
  { issuer, clientId, teamId, keyId, privateKey }: AppleClient,
  at: Date,
): string {
  const issuedAt = Math.floor(at.getTime() / 1000)
  return signJwt(
    { kid: keyId, algorithm: 'ES256', privateKey: toPrivateKey(privateKey), typ: 'JWT' },
    { iss: teamId, iat: issuedAt, exp: issuedAt + secretLifetimeSeconds, aud: issuer, sub: clientId },
  )
}

/** Whether a text is a private key as Apple gives them out: of P-256, as PKCS #8 in PEM. */
export function isAppleKey(pem: string): boolean {
  if (!/^\s*-----BEGIN PRIVATE KEY-----\s/.test(pem)) return false
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}
