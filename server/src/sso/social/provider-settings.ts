import type { Environment } from '@portico/contract/fields'
import type {
  NewSocialProvider,
  SocialProviderChanges,
  SocialProviderType,
} from '@portico/contract/social-providers'
import type { Deps } from '../../delivery/deps.js'
import { invalid } from '../../platform/errors.js'
import { microsoftIssuerOf } from '../../platform/openid/microsoft.js'
import { checkDiscovery, checkIssuer } from '../connections/oidc-settings.js'
import { isAppleKey } from './apple.js'
import { providerTypes, testIssuerOf } from './provider-types.js'

/**
 * The columns of a new provider.
 *
 * @throws ApiError `invalid_parameters` for a member that its type does not have.
 */
export function toSettings(
  { name, ...input }: NewSocialProvider,
  at: { readonly environment: Environment; readonly baseUrl: string; readonly id: string },
) {
  const provider = typeOf(name)
  checkChanges(provider, input)
  if (provider === 'test' && at.environment === 'production')
    throw invalid('name', 'sandbox_only', 'must not be test in production: it asserts any user')
  if (reservedNames.includes(name))
    throw invalid('name', 'reserved', 'must not be the name of another way to sign in')
  const tenant = provider === 'microsoft' ? (input.tenant ?? 'common') : null
  const issuers = {
    google: providerTypes.google.issuer,
    github: providerTypes.github.issuer,
    apple: providerTypes.apple.issuer,
    microsoft: microsoftIssuerOf(tenant ?? ''),
    custom_oidc: input.issuer ?? null,
    test: testIssuerOf(at.baseUrl, at.id),
  }
  return {
    id: at.id,
    provider,
    name,
    display_name: input.display_name ?? providerTypes[provider].displayName ?? name,
    client_id: input.client_id ?? null,
    tenant,
    team_id: input.team_id ?? null,
    key_id: input.key_id ?? null,
    issuer: issuers[provider],
    secret_expires_at: input.secret_expires_at == null ? null : new Date(input.secret_expires_at),
    active: input.active ?? true,
  }
}

/** The type of a provider by its name. */
function typeOf(name: string): SocialProviderType {
  return namedTypes.find((type) => type === name) ?? 'custom_oidc'
}

const namedTypes = ['google', 'microsoft', 'github', 'apple', 'test'] as const
const reservedNames = ['passkey', 'password']

/**
 * The columns that change.
 *
 * @throws ApiError `invalid_parameters` for a member that its type does not have.
 */
export function toChangedSettings(provider: string, input: SocialProviderChanges) {
  checkChanges(provider, input)
  const { tenant, client_secret: secret, private_key: key, secret_expires_at: end, ...members } = input
  const isOtherSecret = (secret ?? key) !== undefined
  const columns = {
    ...members,
    ...((isOtherSecret || end !== undefined) && {
      secret_expires_at: end == null ? null : new Date(end),
      // Of this end nobody was told.
      secret_warned_at: null,
    }),
  }
  if (provider !== 'microsoft' || tenant === undefined) return columns
  const chosen = tenant ?? 'common'
  return { ...columns, tenant: chosen, issuer: microsoftIssuerOf(chosen) }
}

function checkChanges(provider: string, input: SocialProviderChanges): void {
  if (provider !== 'microsoft' && input.tenant != null)
    throw invalid('tenant', 'not_allowed', 'must be left out, but of microsoft')
  if (provider !== 'custom_oidc' && input.issuer !== undefined)
    throw invalid('issuer', 'not_allowed', 'must be left out: this provider has its own')
  if (provider === 'apple') return checkApple(input)
  for (const member of ['team_id', 'key_id', 'private_key'] as const)
    if (input[member] !== undefined) throw invalid(member, 'not_allowed', 'must be left out, but of apple')
  if (provider !== 'test') return
  for (const member of ['client_id', 'client_secret'] as const)
    if (input[member] !== undefined)
      throw invalid(member, 'not_allowed', 'must be left out of test, which has its own')
}

function checkApple({ client_secret: secret, private_key: pem }: SocialProviderChanges): void {
  if (secret !== undefined)
    throw invalid('client_secret', 'not_allowed', 'must be left out of apple: it is made of private_key')
  if (pem !== undefined && !isAppleKey(pem))
    throw invalid('private_key', 'invalid_key', 'must be a private key of P-256, as PKCS #8 in PEM')
}

/**
 * Checks the issuer of a custom provider, whose users the whole account trusts: none that tenants share. Its discovery document is
 * read, so that a wrong one is refused before a user meets it.
 *
 * @throws ApiError `invalid_parameters`
 */
export async function checkCustomIssuer(
  deps: Pick<Deps, 'openIdProviders'>,
  issuer: string | undefined,
): Promise<void> {
  if (issuer === undefined) return
  checkIssuer('custom_oidc', issuer)
  await checkDiscovery(deps, issuer)
}
