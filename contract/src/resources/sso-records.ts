import { z } from 'zod/v4'
import { environment, id, personal, secret, slug, timestamp } from '../core/fields.js'
import { exampleOf, record } from '../core/record.js'
import { AttributeMapping } from './attribute-mapping.js'
import { RoleMapping } from './role-mapping.js'
import { menders, ssoCheckNames } from './sso-checks.js'
import { protocols, providerTypes, SsoAdminOnboarding } from './sso-onboarding.js'

const idpId = 'awesome_company_5fGh2KqPzX81mTnRw4YdJb'

export const connectionStates = [
  'it_admin_invitation_pending',
  'it_admin_onboarding',
  'configured',
  'tested',
] as const
export type SsoConnectionState = (typeof connectionStates)[number]

export const userPolicies = ['none', 'user_registered', 'user_provisionned'] as const
export type UserPolicy = (typeof userPolicies)[number]

export const otherDomainsRules = ['refuse', 'create', 'any_address'] as const
export type OtherDomains = (typeof otherDomainsRules)[number]

export const idpInitiatedModes = ['bounce', 'accept', 'reject'] as const
export type IdpInitiated = (typeof idpInitiatedModes)[number]

export const metadataWarnings = {
  metadata_expired: 'validUntil of the metadata has passed.',
  certificate_expired:
    'A signing certificate has expired; its key is still accepted, because the metadata list it.',
  certificate_expires_soon: 'A signing certificate expires within 30 days.',
  entity_id_shared: 'Another connection has metadata with the same entity ID.',
} as const
export type MetadataWarning = keyof typeof metadataWarnings

export const SsoCertificate = record(
  'SsoCertificate',
  {
    fingerprint_sha256: z.string().describe('64 hexadecimal digits'),
    subject: z.string(),
    not_before: timestamp(),
    not_after: timestamp(),
  },
  {
    fingerprint_sha256: '5d3f9a0b7c1e2d4f6a8b0c9d1e3f5a7b9c0d2e4f6a8b1c3d5e7f90a1b2c3d4e5',
    subject: 'CN=okta.example',
    not_before: '2025-01-01T00:00:00.000Z',
    not_after: '2035-01-01T00:00:00.000Z',
  },
)
export type SsoCertificate = z.output<typeof SsoCertificate>

/** The content of a version of the metadata; no answer contains the document itself. */
export const SsoMetadata = record(
  'SsoMetadata',
  {
    __type__: z.literal('SsoMetadata'),
    version: z.int().describe('From 1'),
    current: z.boolean().describe('Sign-ins are validated against this version'),
    entity_id: z.string(),
    sso_url: z.string().describe('URL of the identity provider that users are redirected to'),
    certificates: z.array(SsoCertificate).describe('Up to ten; a signature by any of them is accepted'),
    valid_until: timestamp().nullable(),
    warnings: z.array(
      z.object({
        // z.enum() requires a tuple, which the keys of the table are not to the compiler.
        code: z.enum(Object.keys(metadataWarnings) as [MetadataWarning, ...MetadataWarning[]]),
        message: z.string(),
      }),
    ),
    uploaded_by: z.enum(['api_key', 'sso_admin', 'service']),
    inserted_at: timestamp(),
  },
  {
    __type__: 'SsoMetadata',
    version: 1,
    current: true,
    entity_id: 'http://www.okta.example/exk1fcia6d6EMsf331d8',
    sso_url: 'https://awesome.okta.example/app/exk1fcia6d6EMsf331d8/sso/saml',
    certificates: [exampleOf(SsoCertificate)],
    valid_until: null,
    warnings: [],
    uploaded_by: 'sso_admin',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type SsoMetadata = z.output<typeof SsoMetadata>

/** The client registered at an OpenID provider, versioned like SAML metadata; no answer contains the secret. */
export const SsoOidcClient = record(
  'SsoOidcClient',
  {
    __type__: z.literal('SsoOidcClient'),
    version: z.int().describe('From 1'),
    current: z.boolean().describe('Sign-ins use this version'),
    issuer: z.string().describe('Exactly as in the discovery document and the ID tokens of the provider'),
    client_id: z.string(),
    uploaded_by: z.enum(['api_key', 'sso_admin']),
    inserted_at: timestamp(),
  },
  {
    __type__: 'SsoOidcClient',
    version: 1,
    current: true,
    issuer: 'https://login.microsoftonline.com/5d3f9a0b-7c1e-4d4f-8a8b-0c9d1e3f5a7b/v2.0',
    client_id: '8f14e45f-ceea-467f-9d2e-1a2b3c4d5e6f',
    uploaded_by: 'api_key',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type SsoOidcClient = z.output<typeof SsoOidcClient>

export const DefaultRedirection = record(
  'DefaultRedirection',
  {
    __type__: z.literal('DefaultRedirection'),
    id: id(),
    app_id: id(),
    uri: z.string().describe('Redirect URL of IdP-initiated sign-ins'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'DefaultRedirection',
    id: '0190ca11-3c4d-7e5f-9061-728394051627',
    app_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    uri: 'https://store.example/callback',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type DefaultRedirection = z.output<typeof DefaultRedirection>

export const SsoConnection = record(
  'SsoConnection',
  {
    __type__: z.literal('SsoConnection'),
    __domain__: slug(),
    __environment__: environment(),
    id: z.string().describe('The same as idp_id'),
    idp_id: z.string().describe('Immutable'),
    sp_id: z
      .string()
      .describe('Entity ID of the service for this connection, which is also the URL of its SAML metadata'),
    acs_url: z
      .string()
      .describe('Assertion consumer service URL, to which the identity provider posts its responses'),
    oidc_redirect_uri: z.string().describe('Redirect URI to which an OpenID provider returns users'),
    protocol: z.enum(protocols),
    provider_type: z.enum(['unset', ...providerTypes]),
    active: z
      .boolean()
      .describe(
        'An inactive connection refuses sign-ins. A new connection is active, so the first metadata take effect immediately, even if an invited administrator uploads them: disable it first to review them before anybody can sign in',
      ),
    state: z
      .enum(connectionStates)
      .describe(
        'configured: metadata or an OpenID Connect client is stored; tested: a user has signed in, or a test sign-in has succeeded',
      ),
    seats_limit: z
      .int()
      .describe(
        'Maximum number of users of the organization up to which sign-ins create new ones; 0: no limit',
      ),
    user_policy: z.enum(userPolicies).describe('The same as user_security_type'),
    user_security_type: z
      .enum(userPolicies)
      .describe(
        'none: unknown users are created; user_registered: the user must already exist; user_provisionned: the user must also come from directory sync',
      ),
    update_user_new_connection: z.boolean().describe('The profile is updated at each sign-in'),
    email_domains: z
      .array(z.string())
      .describe(
        'Domains whose addresses sign in with this connection, which is authoritative for those that are verified or declared; empty: allowed_email_domains of the organization that no connection names',
      ),
    other_domains: z
      .enum(otherDomainsRules)
      .nullable()
      .describe(
        'Handling of users with addresses of other domains, which another connection does not name: refuse: they are neither created nor linked; create: unknown ones are created, with an unverified address, and nobody is linked; any_address: whoever controls the identity provider can sign in as any user of the organization; null: refuse where the connection or the organization names a domain, otherwise create. Users who have signed in with the connection before still do',
      ),
    idp_initiated: z
      .enum(idpInitiatedModes)
      .describe(
        'Handling of unsolicited responses: bounce: the service starts a sign-in of its own; accept: the user is signed in; reject: the response is refused',
      ),
    allow_sha1: z.boolean().describe('Accepts RSA-SHA1 signatures, which can be forged'),
    allow_cbc_unsigned_response: z
      .boolean()
      .describe('Accepts assertions encrypted with AES-CBC in responses that are not signed themselves'),
    attribute_mapping: z
      .array(AttributeMapping)
      .describe(
        'Values of the identity provider that are written into metadata and profile of users who are created, and with update_user_new_connection at each sign-in. Metadata that a directory maps are its own',
      ),
    role_mapping: RoleMapping.describe(
      'Roles of users by what their identity provider says of them; written at each sign-in',
    ),
    metadata: z.array(SsoMetadata).describe('Stored versions, newest first'),
    issuer: z.string().nullable().describe('Issuer of the OpenID provider; null without one'),
    oidc_client_id: z.string().nullable(),
    oidc_clients: z.array(SsoOidcClient).describe('Stored versions, newest first'),
    onboarding: z
      .union([SsoAdminOnboarding, id()])
      .nullable()
      .describe('Id; the record if preload_associations contains enterprise_connection_onboarding'),
    default_redirection: z
      .union([DefaultRedirection, id()])
      .nullable()
      .describe('Id; the record if preload_associations contains default_redirection'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'SsoConnection',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: idpId,
    idp_id: idpId,
    sp_id: `https://auth.example/saml/${idpId}/metadata`,
    acs_url: `https://auth.example/saml/${idpId}/acs`,
    oidc_redirect_uri: `https://auth.example/oidc/${idpId}/callback`,
    protocol: 'saml',
    provider_type: 'okta',
    active: true,
    state: 'tested',
    seats_limit: 0,
    user_policy: 'none',
    user_security_type: 'none',
    update_user_new_connection: false,
    email_domains: ['awesome.example'],
    other_domains: null,
    idp_initiated: 'bounce',
    allow_sha1: false,
    allow_cbc_unsigned_response: false,
    attribute_mapping: [],
    role_mapping: { mode: 'add', rules: [] },
    metadata: [exampleOf(SsoMetadata)],
    issuer: null,
    oidc_client_id: null,
    oidc_clients: [],
    onboarding: exampleOf(SsoAdminOnboarding),
    default_redirection: exampleOf(DefaultRedirection),
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type SsoConnection = z.output<typeof SsoConnection>

export const SsoLoginTrace = record(
  'SsoLoginTrace',
  {
    __type__: z.literal('SsoLoginTrace'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    idp_id: z.string(),
    kind: z
      .enum(['sign_in', 'idp_initiated', 'test'])
      .describe(
        'idp_initiated: the response was unsolicited; test: by the administrator, creates no session',
      ),
    outcome: z
      .enum(['arrived', 'success', 'failed'])
      .describe('arrived: the response is valid, but the browser has not returned with it yet'),
    failed_check: z.enum(ssoCheckNames).nullable(),
    mender: z.enum(menders).nullable().describe('Party that can fix the cause; null if no check failed'),
    remedy: z.string().nullable(),
    checks: z
      .array(
        z.object({
          name: z.enum(ssoCheckNames),
          passed: z.boolean(),
          expected: z.string().nullable(),
          received: personal(z.string().nullable()),
        }),
      )
      .describe('In order of execution, up to the first failed check'),
    name_id: personal(z.string().nullable()).describe('NameID of a response with a valid signature'),
    email: personal(z.string().nullable()),
    attributes: personal(z.record(z.string(), z.array(z.string())).nullable()).describe(
      'Signed attributes by name',
    ),
    user_id: id().nullable(),
    request_id: z.string().describe('Reference shown to the user on the page'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'SsoLoginTrace',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190ca12-4d5e-7f60-a172-839405162738',
    idp_id: idpId,
    kind: 'sign_in',
    outcome: 'failed',
    failed_check: 'audience',
    mender: 'identity_provider',
    remedy: 'Enter the entity ID of this connection exactly as shown, as audience or SP entity ID.',
    checks: [
      { name: 'signature', passed: true, expected: null, received: null },
      {
        name: 'audience',
        passed: false,
        expected: `https://auth.example/saml/${idpId}/metadata`,
        received: 'https://auth.example',
      },
    ],
    name_id: 'ada@awesome.example',
    email: 'ada@awesome.example',
    attributes: { email: ['ada@awesome.example'] },
    user_id: null,
    request_id: '5b1d6a1e-7d0b-4f0f-8a52-0b7b7d7f2a11',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type SsoLoginTrace = z.output<typeof SsoLoginTrace>

export const SsoSamlChallenge = record(
  'SsoSamlChallenge',
  {
    __type__: z.literal('SsoSamlChallenge'),
    __domain__: slug(),
    __environment__: environment(),
    idp_id: z.string().describe('Connection that the user signs in with'),
    authorization_url: secret(z.string()).describe(
      'Redirect the browser of the user to this URL; valid once, for ten minutes',
    ),
    request_id: id(),
    expired_at: timestamp(),
  },
  {
    __type__: 'SsoSamlChallenge',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    idp_id: idpId,
    authorization_url: 'https://auth.example/t/awesome-company/sso/q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9',
    request_id: '0190ca13-5e6f-7071-8283-940516273849',
    expired_at: '2026-03-14T09:36:53.589Z',
  },
)
export type SsoSamlChallenge = z.output<typeof SsoSamlChallenge>

export const SsoOauthChallenge = record(
  'SsoOauthChallenge',
  { ...SsoSamlChallenge.shape, __type__: z.literal('SsoOauthChallenge') },
  { ...exampleOf(SsoSamlChallenge), __type__: 'SsoOauthChallenge' },
)
export type SsoOauthChallenge = z.output<typeof SsoOauthChallenge>
