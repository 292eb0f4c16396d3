import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Application, NewApplication } from '@portico/contract/applications'
import type { ClientKey, GivenClientKey } from '@portico/contract/client-authentication'
import type { FieldError } from '@portico/contract/errors'
import { isKeyFor, type Algorithm } from '../../platform/crypto/jwt.js'
import { ApiError } from '../../platform/errors.js'
import { isTargetAllowed, targetRefusal, type OutboundRules } from '../../platform/outbound/target.js'

/** The settings of an application about the authentication of its client. */
type ClientSettings = Pick<Application, 'client_authentication' | 'pkce' | 'jwks' | 'jwks_uri'>

type GivenSettings = Partial<
  Pick<NewApplication, 'client_authentication' | 'pkce' | 'jwks' | 'jwks_uri' | 'token_signing_alg'>
>

/** Types of applications that run at their users, where nothing can be kept secret (RFC 6749 section 2.1). */
const publicTypes: ReadonlySet<Application['application_type']> = new Set([
  'android',
  'angular',
  'ios',
  'mobile',
  'react',
  'spa',
  'vue',
  'webflow',
])

/** Whether an application of this type can keep a secret. */
export function isConfidentialType(type: Application['application_type']): boolean {
  return !publicTypes.has(type)
}

/**
 * The settings of an application: what is given, else what is stored. A policy of PKCE that was not given is the default of the
 * authentication; a key set takes the place of an address, and the reverse.
 */
export function settleClientSettings(given: GivenSettings, stored?: ClientSettings): ClientSettings {
  const client_authentication = given.client_authentication ?? stored?.client_authentication ?? 'none'
  const isConfidential = client_authentication !== 'none'
  const wasConfidential = (stored?.client_authentication ?? 'none') !== 'none'
  const kept = isConfidential === wasConfidential ? stored?.pkce : undefined
  const { jwks, jwks_uri } = given
  return {
    client_authentication,
    pkce: given.pkce ?? kept ?? (isConfidential ? 'or_nonce' : 'required'),
    jwks: jwks === undefined ? (jwks_uri == null ? (stored?.jwks ?? null) : null) : toPublicKeys(jwks),
    jwks_uri: jwks_uri === undefined ? (jwks == null ? (stored?.jwks_uri ?? null) : null) : jwks_uri,
  }
}

/** The algorithm of a new application's tokens: common libraries of confidential clients expect RS256. */
export function initialAlgorithmOf({ token_signing_alg, client_authentication }: GivenSettings): Algorithm {
  return token_signing_alg ?? ((client_authentication ?? 'none') === 'none' ? 'ES256' : 'RS256')
}

/**
 * Checks the settings of an application as a whole.
 *
 * @throws ApiError `invalid_parameters` naming every fault.
 */
export function checkClientSettings(
  application: ClientSettings & Pick<Application, 'application_type' | 'code_exchange'>,
  given: GivenSettings,
  rules: OutboundRules,
): void {
  const fields = [
    ...authenticationFaults(application),
    ...keyFaults(given.jwks?.keys ?? []),
    ...addressFaults(application, given, rules),
  ]
  if (fields.length > 0) throw new ApiError('invalid_parameters', { fields })
}

function authenticationFaults(
  application: ClientSettings & Pick<Application, 'application_type' | 'code_exchange'>,
): FieldError[] {
  const { client_authentication: authentication, pkce, jwks, jwks_uri } = application
  if (authentication === 'none') {
    if (pkce === 'required') return []
    const message = 'must be required, unless client_authentication is secret or private_key_jwt'
    return [{ path: 'pkce', code: 'needs_client_authentication', message }]
  }
  const faults: FieldError[] = []
  const path = 'client_authentication'
  if (!isConfidentialType(application.application_type)) {
    const message = 'must be none for a type of application that runs at its users and can keep no secret'
    faults.push({ path, code: 'public_application', message })
  }
  if (application.code_exchange === 'api_key') {
    const message =
      'must be none where code_exchange is api_key: the key authenticates in the place of the application'
    faults.push({ path, code: 'client_authentication_conflict', message })
  }
  if (authentication === 'private_key_jwt' && jwks === null && jwks_uri === null) {
    const message = 'is required for private_key_jwt, or jwks_uri: the public keys of the application'
    faults.push({ path: 'jwks', code: 'required', message })
  }
  return faults
}

function keyFaults(keys: readonly GivenClientKey[]): FieldError[] {
  const kids = keys.map(({ kid }) => kid)
  return keys.flatMap((key, index) => {
    const path = `jwks.keys.${index}`
    if (isPrivate(key))
      return [{ path, code: 'private_key_sent', message: 'must be the public key alone: replace this pair' }]
    if (readClientKey(toPublicMembers(key)) === undefined)
      return [
        { path, code: 'invalid_key', message: 'must be a key of P-256, or an RSA key of 2048 to 4096 bits' },
      ]
    if (keys.length > 1 && (key.kid === undefined || kids.indexOf(key.kid) !== index))
      return [{ path, code: 'kid_not_unique', message: 'must have a kid that no other key of the set has' }]
    return []
  })
}

function addressFaults(
  application: ClientSettings,
  given: GivenSettings,
  rules: OutboundRules,
): FieldError[] {
  const { jwks_uri: address } = given
  if (address == null) return []
  if (application.jwks !== null)
    return [{ path: 'jwks_uri', code: 'jwks_given', message: 'must not be given beside jwks' }]
  return isTargetAllowed(address, rules)
    ? []
    : [{ path: 'jwks_uri', code: 'not_allowed', message: targetRefusal(rules) }]
}

/** The algorithm of the kind of a key. */
export function algorithmOf({ kty }: ClientKey): Algorithm {
  return kty === 'EC' ? 'ES256' : 'RS256'
}

/** A public key to verify with; undefined where it is no key, a weak one, or one for another algorithm than it says. */
export function readClientKey(key: ClientKey): KeyObject | undefined {
  const algorithm = algorithmOf(key)
  if (key.alg !== undefined && key.alg !== algorithm) return undefined
  try {
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' })
    return isKeyFor(algorithm, publicKey) && isQuick(publicKey) ? publicKey : undefined
  } catch {
    return undefined
  }
}

/** The longest modulus and exponent: with longer ones a signature takes a hundred times as long to verify. */
const maxModulusBits = 4096
const maxExponent = 2n ** 32n

/** Whether to verify with a key takes as long as with those that are usual. */
function isQuick({ asymmetricKeyDetails: details }: KeyObject): boolean {
  return (details?.modulusLength ?? 0) <= maxModulusBits && (details?.publicExponent ?? 0n) <= maxExponent
}

function isPrivate({ d, p, q, dp, dq, qi, k }: GivenClientKey): boolean {
  return [d, p, q, dp, dq, qi, k].some((member) => member !== undefined)
}

function toPublicKeys(jwks: GivenSettings['jwks']): ClientSettings['jwks'] {
  return jwks == null ? null : { keys: jwks.keys.map((key) => toPublicMembers(key)) }
}

function toPublicMembers({ d, p, q, dp, dq, qi, k, ...key }: GivenClientKey): ClientKey {
  return key
}
