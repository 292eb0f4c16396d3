import type { SocialProviderType } from '@portico/contract/social-providers'
import { personalTenant } from '../../platform/openid/microsoft.js'

/** What is the same for each social provider of a type. */
interface TypeOfProvider {
  /** Null where the account chooses it. */
  readonly displayName: string | null
  /** Null where the account, or our own address, decides. */
  readonly issuer: string | null
}

/** What is known of each type. */
export const providerTypes: Readonly<Record<SocialProviderType, TypeOfProvider>> = {
  google: { displayName: 'Google', issuer: 'https://accounts.google.com' },
  microsoft: { displayName: 'Microsoft', issuer: null },
  github: { displayName: 'GitHub', issuer: 'https://github.com' },
  apple: { displayName: 'Apple', issuer: 'https://appleid.apple.com' },
  custom_oidc: { displayName: null, issuer: null },
  test: { displayName: 'Test provider', issuer: null },
}

/** Whether users of a tenant of Microsoft are let in; their issuer names it. */
export function isTenantAllowed(setting: string, tenant: unknown): boolean {
  if (typeof tenant !== 'string') return false
  if (setting === 'common') return true
  if (setting === 'organizations') return tenant !== personalTenant
  return tenant === (setting === 'consumers' ? personalTenant : setting)
}

/** Where GitHub authorizes (GitHub Docs, Authorizing OAuth apps). It has no keys: nothing that it says is signed. */
export const githubEndpoints = {
  authorizationEndpoint: 'https://github.com/login/oauth/authorize',
  tokenEndpoint: 'https://github.com/login/oauth/access_token',
  jwksUri: '',
}

/** Where Apple answers (Sign in with Apple REST API). */
export const appleEndpoints = {
  authorizationEndpoint: 'https://appleid.apple.com/auth/authorize',
  tokenEndpoint: 'https://appleid.apple.com/auth/token',
  jwksUri: 'https://appleid.apple.com/auth/keys',
}

/** The issuer of the built-in provider for tests. */
export function testIssuerOf(baseUrl: string, providerId: string): string {
  return `${baseUrl}/social/${providerId}/test`
}

/** Where a provider sends browsers back to: an address of its own, so that no answer can be taken for that of another one. */
export function callbackOf(baseUrl: string, providerId: string): string {
  return `${baseUrl}/social/${providerId}/callback`
}
