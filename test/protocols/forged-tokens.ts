import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from 'node:crypto'
import type { Service } from '../given/harness.js'
import { claimsOf } from '../given/claims.js'

/** Header members and claims that differ from those of a valid token. */
interface Differences {
  readonly header?: Record<string, unknown>
  readonly claims?: Record<string, unknown>
}

/**
 * Tokens that differ from a valid one in their signature (RFC 8725 section 2.1), by name. No endpoint may accept
 * any of them.
 */
export async function forgeriesOf(service: Service, token: string): Promise<Record<string, string>> {
  const { kid } = headerOf(token)
  const [row] = await service.query<{ public_jwk: Record<string, string> }>(
    'select public_jwk from signing_keys where kid = $1',
    [kid],
  )
  if (row === undefined) throw new Error('the token was signed by no key of the service')
  const publicKey = createPublicKey({ key: row.public_jwk, format: 'jwk' })
  const secrets = {
    'the public key as PEM': publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    'the public key as a JWK': JSON.stringify(row.public_jwk),
    'the empty text': '',
  }
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const [header = '', claims = '', signature = ''] = token.split('.')
  return {
    'without a signature': `${header}.${claims}.`,
    'with another claim under the same signature': [
      header,
      partOf({ ...claimsOf(token), sub: 'x' }),
      signature,
    ].join('.'),
    'with alg none': withParts(token, { header: { alg: 'none' } }, () => ''),
    'with alg none and a signature': withParts(token, { header: { alg: 'none' } }, () => signature),
    ...Object.fromEntries(
      Object.entries(secrets).map(([what, secret]) => [
        `HS256 with ${what} as the secret`,
        withParts(token, { header: { alg: 'HS256' } }, (input) =>
          createHmac('sha256', secret).update(input).digest('base64url'),
        ),
      ]),
    ),
    'by a key of the forger’s own': withParts(token, {}, signer(ec)),
    'RS256 under the kid of an ES256 key': withParts(token, { header: { alg: 'RS256' } }, signer(rsa)),
    'by a key in its own header': withParts(
      token,
      { header: { jwk: createPublicKey(ec).export({ format: 'jwk' }) } },
      signer(ec),
    ),
    'with crit': withParts(token, { header: { crit: ['exp'] } }, signer(ec)),
  }
}

/** A token with changed parts, signed with a key of the service. */
export async function resigned(service: Service, token: string, differences: Differences): Promise<string> {
  const { kid } = headerOf(token)
  const key = [...service.deps.keys.privateKeys].find(([known]) => known === kid)?.[1]
  if (key === undefined) throw new Error('the service has not opened this key')
  return withParts(token, differences, signer(key))
}

function withParts(
  token: string,
  { header, claims }: Differences,
  signed: (input: string) => string,
): string {
  const input = `${partOf({ ...headerOf(token), ...header })}.${partOf({ ...claimsOf(token), ...claims })}`
  return `${input}.${signed(input)}`
}

function signer(key: KeyObject): (input: string) => string {
  return (input) =>
    sign('sha256', Buffer.from(input), {
      key: createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })),
      dsaEncoding: 'ieee-p1363',
    }).toString('base64url')
}

function headerOf(token: string): Record<string, unknown> {
  const header: Record<string, unknown> = JSON.parse(
    Buffer.from(token.split('.')[0] ?? '', 'base64url').toString(),
  )
  return header
}

function partOf(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
