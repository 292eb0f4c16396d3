import type { ProviderType } from '@portico/contract/sso-onboarding'
import type { Deps } from '../../delivery/deps.js'
import { invalid } from '../../platform/errors.js'
import { ProviderFault } from '../../platform/openid/provider.js'
import type { OidcClientSettings } from './oidc-clients.js'

/** The members of a client of OpenID Connect that a caller sends. */
export interface SentClient {
  readonly issuer?: string | undefined
  readonly oidc_client_id?: string | undefined
  readonly oidc_client_secret?: string | undefined
}

/** Whether any member of a client was sent. */
export function isClientSent({
  issuer,
  oidc_client_id: id,
  oidc_client_secret: secret,
}: SentClient): boolean {
  return [issuer, id, secret].some((member) => member !== undefined)
}

/**
 * The sent client, with omitted members from the current one. A secret is kept only for the issuer that it was entered for.
 *
 * @param current The client in use; undefined without one.
 * @throws ApiError `invalid_parameters` naming what is missing.
 */
export function toClientSettings(
  { issuer, oidc_client_id: clientId, oidc_client_secret: clientSecret }: SentClient,
  current: OidcClientSettings | undefined,
): OidcClientSettings {
  const isSame =
    (issuer ?? current?.issuer) === current?.issuer && (clientId ?? current?.clientId) === current?.clientId
  return {
    issuer: needed('issuer', issuer ?? current?.issuer),
    clientId: needed('oidc_client_id', clientId ?? current?.clientId),
    clientSecret: needed('oidc_client_secret', clientSecret ?? (isSame ? current?.clientSecret : undefined)),
  }
}

function needed(name: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw invalid(name, 'required', 'is required with a client of OpenID Connect, and with a new issuer or id')
}

/** Entra's issuers for all tenants: anybody can create a tenant, and assert any user by them. */
const sharedByTenants = [
  'common',
  'organizations',
  'consumers',
  // The tenant of personal accounts.
  '9188040d-6c67-4c5b-b112-36a304b66dad',
]
const googleIssuer = 'https://accounts.google.com'

/**
 * Checks that an issuer belongs to its kind of identity provider.
 *
 * @throws ApiError `invalid_parameters`
 */
export function checkIssuer(providerType: ProviderType | 'unset', issuer: string): void {
  const fault = issuerFaultOf(providerType, issuer)
  if (fault !== undefined) throw invalid('issuer', fault.code, fault.message)
}

/** Why an issuer does not belong to its kind of identity provider; undefined where it does. */
export function issuerFaultOf(
  providerType: ProviderType | 'unset',
  issuer: string,
): { readonly code: 'issuer_invalid' | 'issuer_shared'; readonly message: string } | undefined {
  if (providerType === 'google_workspace' && issuer !== googleIssuer)
    return { code: 'issuer_invalid', message: `must be ${googleIssuer} for google_workspace` }
  if (!URL.canParse(issuer)) return undefined
  const { hostname, pathname } = new URL(issuer)
  const [tenant = ''] = pathname.split('/').filter((part) => part !== '')
  const isEntra = providerType === 'entra_id' || /(^|\.)(login\.microsoftonline|windows)\./.test(hostname)
  if (isEntra && sharedByTenants.includes(tenant.toLowerCase()))
    return {
      code: 'issuer_shared',
      message: `must name one tenant of Entra: ${tenant} is shared by all of them, and anybody can make another`,
    }
  return undefined
}

/**
 * Reads the discovery document of an issuer that was sent.
 *
 * @throws ApiError `invalid_parameters` with what was found.
 */
export async function checkDiscovery(
  { openIdProviders }: Pick<Deps, 'openIdProviders'>,
  issuer: string,
): Promise<void> {
  try {
    await openIdProviders.read(issuer)
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    throw invalid('issuer', error.code, error.message)
  }
}
