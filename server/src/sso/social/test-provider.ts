import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import { isSecretEqual } from '../../platform/crypto/secret.js'
import { open, seal, SealError, type SealContext } from '../../platform/crypto/seal.js'
import type { OutboundAnswer } from '../../platform/outbound/post.js'
import type { Deps } from '../../delivery/deps.js'
import type { ProviderClient } from './open-providers.js'

/** The faults of an answer of the built-in provider, for tests of an application's users. */
export const testProviderFaults = [
  'none',
  'denied',
  'no_email',
  'private_relay',
  'other_subject_same_email',
  'wrong_state',
  'wrong_nonce',
  'wrong_audience',
  'wrong_issuer',
  'expired',
  'unsigned',
  'invalid_client',
  'token_endpoint_down',
] as const
export type TestProviderFault = (typeof testProviderFaults)[number]

/** What the visitor of the built-in provider has chosen, and what the request has asked for. */
export interface TestGrant {
  readonly subject: string
  readonly email: string
  readonly isEmailVerified: boolean
  readonly fault: TestProviderFault
  readonly nonce: string
  readonly codeChallenge: string
}

/** The endpoints of the built-in provider. Only the first is an address: the others are answered in this process. */
export function testEndpointsOf(issuer: string) {
  return { authorizationEndpoint: issuer, tokenEndpoint: `${issuer}/token`, jwksUri: `${issuer}/keys` }
}

const codeLifetimeMs = 60_000

type Owner = Pick<ProviderClient, 'accountId' | 'environment' | 'providerId'>

/** The code of a grant, which has the grant in it, sealed. */
export function toTestCode(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  provider: Owner,
  grant: TestGrant,
): string {
  const kept = { ...grant, until: now().getTime() + codeLifetimeMs }
  return seal(keys.master, codeContext(provider), JSON.stringify(kept)).toString('base64url')
}

function codeContext({ accountId, environment, providerId }: Owner): SealContext {
  return { purpose: 'social_test_code', scope: accountId, aad: `${environment}:${providerId}` }
}

/** Outbound connections of which those to the built-in provider are answered here, through the same code as all others. */
export function testOutbound(
  deps: Pick<Deps, 'keys' | 'now' | 'outbound'>,
  provider: ProviderClient,
): Deps['outbound'] {
  const { tokenEndpoint, jwksUri } = testEndpointsOf(provider.issuer)
  const signer = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    ...deps.outbound,
    post: (request) =>
      request.url === tokenEndpoint
        ? Promise.resolve(exchange(deps, provider, signer.privateKey, String(request.body)))
        : deps.outbound.post(request),
    get: (request) =>
      request.url === jwksUri
        ? Promise.resolve(
            answer(200, {
              keys: [{ ...signer.publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }],
            }),
          )
        : deps.outbound.get(request),
  }
}

function exchange(
  deps: Pick<Deps, 'keys' | 'now'>,
  provider: ProviderClient,
  key: KeyObject,
  body: string,
): OutboundAnswer {
  const sent = new URLSearchParams(body)
  const grant = openCode(deps, provider, sent.get('code') ?? '')
  if (grant?.fault === 'token_endpoint_down') return { outcome: 'unreachable' }
  if (grant?.fault === 'invalid_client') return answer(401, { error: 'invalid_client' })
  const challenge = createHash('sha256')
    .update(sent.get('code_verifier') ?? '')
    .digest('base64url')
  if (grant === undefined || !isSecretEqual(Buffer.from(challenge), Buffer.from(grant.codeChallenge)))
    return answer(400, { error: 'invalid_grant' })
  return answer(200, {
    access_token: randomUUID(),
    token_type: 'Bearer',
    id_token: toIdToken(toClaims(provider, grant, deps.now()), key, grant.fault),
  })
}

function openCode(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  provider: Owner,
  code: string,
): TestGrant | undefined {
  try {
    const opened = open(keys.master, codeContext(provider), Buffer.from(code, 'base64url'))
    // Sealed by toTestCode() only.
    const { until, ...grant } = JSON.parse(opened.toString()) as TestGrant & { readonly until: number }
    return until > now().getTime() ? grant : undefined
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

function toClaims({ issuer, clientId }: ProviderClient, grant: TestGrant, at: Date) {
  const seconds = Math.floor(at.getTime() / 1000)
  const issuedAt = grant.fault === 'expired' ? seconds - 3600 : seconds
  return {
    iss: grant.fault === 'wrong_issuer' ? `${issuer}/other` : issuer,
    aud: grant.fault === 'wrong_audience' ? 'another-client' : clientId,
    sub: grant.fault === 'other_subject_same_email' ? `${grant.subject}-other` : grant.subject,
    iat: issuedAt,
    exp: issuedAt + 300,
    nonce: grant.fault === 'wrong_nonce' ? 'another-nonce' : grant.nonce,
    ...toAddressClaims(grant),
  }
}

function toAddressClaims({ fault, subject, email, isEmailVerified }: TestGrant) {
  if (fault === 'no_email') return {}
  if (fault !== 'private_relay') return { email, email_verified: isEmailVerified }
  // As at Apple, the same address each time for a subject.
  const name = createHash('sha256').update(subject).digest('hex').slice(0, 10)
  return { email: `${name}@${relayDomain}`, email_verified: true, is_private_email: true }
}

/** Of addresses that hide another one; a domain that no mail leaves to (RFC 6761 section 6.5). */
const relayDomain = 'privaterelay.example'

function toIdToken(claims: object, key: KeyObject, fault: TestProviderFault): string {
  const isUnsigned = fault === 'unsigned'
  const parts = [{ alg: isUnsigned ? 'none' : 'ES256', typ: 'JWT' }, claims]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  if (isUnsigned) return `${text}.`
  // The form of ES256 (RFC 7518 section 3.4).
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

function answer(status: number, body: object): OutboundAnswer {
  return {
    outcome: 'answered',
    status,
    headers: { contentType: 'application/json' },
    body: JSON.stringify(body),
    isWhole: true,
  }
}
