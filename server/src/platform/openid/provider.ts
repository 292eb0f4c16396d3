import { isTargetAllowed, type OutboundRules } from '../outbound/target.js'

/** The metadata of an OpenID provider that a sign-in needs. */
export interface OpenIdProvider {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly jwksUri: string
  /** Null where it has none. */
  readonly userinfoEndpoint: string | null
  /** Of ID tokens; only asymmetric ones. */
  readonly signingAlgorithms: readonly string[]
  /** Whether our secret is sent in the body; else in a header, which every provider accepts. */
  readonly isSecretPosted: boolean
  /** Whether each of its answers has `iss` (RFC 9207). */
  readonly isIssuerSent: boolean
}

/** Why a discovery document cannot be used. The message says what was found. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault'

  constructor(
    readonly code: 'issuer_invalid' | 'issuer_unreachable' | 'issuer_mismatch' | 'discovery_invalid',
    message: string,
  ) {
    super(message)
  }
}

/** Only the provider has the private key: with a shared secret, or `none`, others could sign, too. */
const asymmetric = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'Ed25519',
  'EdDSA',
]

/**
 * Where the discovery document of an issuer is (OpenID Connect Discovery section 4.1).
 *
 * @throws ProviderFault
 */
export function discoveryUrlOf(issuer: string, rules: OutboundRules): string {
  if (!isTargetAllowed(issuer, rules) || issuer.includes('?'))
    throw new ProviderFault(
      'issuer_invalid',
      'must be an https address of a public host, on port 443 or above 1023, without user name, password, query or fragment',
    )
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/**
 * Reads the discovery document of an issuer.
 *
 * @throws ProviderFault
 */
export function readDiscovery(issuer: string, text: string): OpenIdProvider {
  const document = parse(text)
  if (document['issuer'] !== issuer) {
    const found = typeof document['issuer'] === 'string' ? document['issuer'].slice(0, 200) : 'no issuer'
    const message = `must be the issuer of its discovery document, to the letter, which has ${found}`
    throw new ProviderFault('issuer_mismatch', message)
  }
  const algorithms = textsOf(document['id_token_signing_alg_values_supported']) ?? ['RS256']
  const signingAlgorithms = asymmetric.filter((name) => algorithms.includes(name))
  if (signingAlgorithms.length === 0)
    throw unusable('signs ID tokens by no asymmetric algorithm: id_token_signing_alg_values_supported')
  // Both are the default where the document says nothing (OpenID Connect Discovery section 3).
  if (textsOf(document['response_types_supported'])?.includes('code') === false)
    throw unusable('does not give codes: response_types_supported')
  const pkce = textsOf(document['code_challenge_methods_supported'])
  if (pkce !== undefined && !pkce.includes('S256'))
    throw unusable('does not take S256: code_challenge_methods_supported')
  const endpoint = (name: string) => endpointOf(document, name, issuer)
  return {
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    jwksUri: endpoint('jwks_uri'),
    userinfoEndpoint: document['userinfo_endpoint'] === undefined ? null : endpoint('userinfo_endpoint'),
    signingAlgorithms,
    isSecretPosted:
      textsOf(document['token_endpoint_auth_methods_supported'])?.includes('client_secret_post') ?? false,
    isIssuerSent: document['authorization_response_iss_parameter_supported'] === true,
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Reported below, like everything that is not an object.
  }
  throw new ProviderFault('discovery_invalid', 'has a discovery document that is no JSON object')
}

/** Longer addresses exceed what proxies and browsers accept once parameters are added. */
const maxAddressLength = 2_000

/** An address for browsers or for our requests; http only where the issuer itself uses it. */
function endpointOf(document: Readonly<Record<string, unknown>>, name: string, issuer: string): string {
  const value = document[name]
  if (typeof value !== 'string' || value.length > maxAddressLength || !URL.canParse(value))
    throw unusable(`has no ${name} that is an address`)
  const { protocol, username, password, hash } = new URL(value)
  const isProtocol = protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'))
  if (!isProtocol || username !== '' || password !== '' || hash !== '')
    throw unusable(`has an address that is not https, or has a user name, password or fragment: ${name}`)
  return value
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined
}

function unusable(found: string): ProviderFault {
  return new ProviderFault('discovery_invalid', `has a discovery document that cannot be used: it ${found}`)
}
