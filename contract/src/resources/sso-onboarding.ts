import { z } from 'zod/v4'
import { email, id, personal, timestamp } from '../core/fields.js'
import { record } from '../core/record.js'

/** Types of identity providers. They differ in their consoles, which the tutorials explain. */
export const providerTypes = [
  'okta',
  'entra_id',
  'google_workspace',
  'onelogin',
  'ping_one',
  'ping_federate',
  'adfs',
  'auth0',
  'jumpcloud',
  'keycloak',
  'custom_saml',
  'custom_oidc',
  'test',
] as const
export type ProviderType = (typeof providerTypes)[number]

/** The protocols of identity providers. */
export const protocols = ['saml', 'oidc'] as const
export type Protocol = (typeof protocols)[number]

/** The types that support OpenID Connect. All except custom_oidc support SAML. */
export const oidcProviderTypes = [
  'entra_id',
  'google_workspace',
  'custom_oidc',
] as const satisfies ProviderType[]
export type OidcProviderType = (typeof oidcProviderTypes)[number]

const otherNames: Readonly<Record<string, ProviderType>> = {
  azure_ad: 'entra_id',
  google: 'google_workspace',
}

/** A type of identity provider, also by its earlier name. */
export function providerType() {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? (otherNames[value] ?? value) : value),
      z.enum(providerTypes),
    )
    .describe('test, the built-in identity provider, exists only in the sandbox')
}

export const onboardingStates = ['not_initialized', 'provider_type_chosen', 'xml_provided'] as const
export type OnboardingState = (typeof onboardingStates)[number]

export const SsoAdminOnboarding = record(
  'SsoAdminOnboarding',
  {
    __type__: z.literal('EnterpriseConnectionOnboarding'),
    id: id(),
    sso_admin_email: personal(z.string().nullable()).describe('Recipient of the invitations of invite-admin'),
    provider_type: z.enum(providerTypes).nullable(),
    state: z
      .enum(onboardingStates)
      .describe(
        'provider_type_chosen: the tutorial is in progress; xml_provided: the metadata or an OpenID Connect client is stored',
      ),
    tutorial_step: z.int().describe('From 0'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'EnterpriseConnectionOnboarding',
    id: '0190ca10-2b3c-7d4e-8f50-617283940516',
    sso_admin_email: 'grace@awesome.example',
    provider_type: 'okta',
    state: 'provider_type_chosen',
    tutorial_step: 2,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type SsoAdminOnboarding = z.output<typeof SsoAdminOnboarding>

export const NewSsoAdminOnboarding = z.strictObject({
  sso_admin_email: personal(email()),
  provider_type: providerType().optional(),
})
export type NewSsoAdminOnboarding = z.output<typeof NewSsoAdminOnboarding>

export const SsoAdminOnboardingChanges = z.strictObject({
  sso_admin_email: personal(email()).optional(),
  provider_type: providerType().optional().describe('A different value restarts the tutorial'),
})
export type SsoAdminOnboardingChanges = z.output<typeof SsoAdminOnboardingChanges>
