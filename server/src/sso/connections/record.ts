import type { Environment } from '@portico/contract/fields'
import type { ProviderType, SsoAdminOnboarding } from '@portico/contract/sso-onboarding'
import {
  metadataWarnings,
  type DefaultRedirection,
  type MetadataWarning,
  type SsoCertificate,
  type SsoConnection,
  type SsoMetadata,
  type SsoOidcClient,
} from '@portico/contract/sso-records'
import type { Selectable } from 'kysely'
import type { SsoConnections, SsoDefaultRedirections, SsoOnboardings } from '../../platform/db/schema.js'

export const ssoConnectionColumns = [
  'sso_connections.organization_id',
  'sso_connections.id',
  'sso_connections.idp_id',
  'sso_connections.protocol',
  'sso_connections.provider_type',
  'sso_connections.active',
  'sso_connections.state',
  'sso_connections.seats_limit',
  'sso_connections.user_security_type',
  'sso_connections.update_user_new_connection',
  'sso_connections.email_domains',
  'sso_connections.other_domains',
  'sso_connections.idp_initiated',
  'sso_connections.allow_sha1',
  'sso_connections.allow_cbc_unsigned_response',
  'sso_connections.attribute_mapping',
  'sso_connections.role_mapping_mode',
  'sso_connections.version',
  'sso_connections.inserted_at',
  'sso_connections.updated_at',
] as const

/** A row of JSON that has the columns of a table: times are milliseconds since 1970. */
type Aggregated<Row> = {
  readonly [Column in keyof Row]: Row[Column] extends Date
    ? number
    : Row[Column] extends Date | null
      ? number | null
      : Row[Column]
}

export type OnboardingRow = Pick<
  Selectable<SsoOnboardings>,
  'id' | 'sso_admin_email' | 'provider_type' | 'state' | 'tutorial_step' | 'inserted_at' | 'updated_at'
>

export type DefaultRedirectionRow = Pick<
  Selectable<SsoDefaultRedirections>,
  'id' | 'application_id' | 'uri' | 'inserted_at'
>

/** A version of the metadata, its certificates with their PEM. */
export interface MetadataRow {
  readonly version: number
  readonly is_current: boolean
  readonly entity_id: string
  readonly sso_url: string
  readonly certificates: readonly SsoCertificate[]
  readonly valid_until: number | null
  readonly uploaded_by: SsoMetadata['uploaded_by']
  /** Whether another connection has current metadata of the same entity ID. */
  readonly is_shared: boolean
  readonly inserted_at: number
}

/** A version of the client of OpenID Connect, without its secret. */
export interface OidcClientRow {
  readonly version: number
  readonly is_current: boolean
  readonly issuer: string
  readonly client_id: string
  readonly uploaded_by: SsoOidcClient['uploaded_by']
  readonly inserted_at: number
}

export type SsoConnectionRow = Omit<
  Selectable<SsoConnections>,
  'account_id' | 'environment' | 'certificate_warned_at'
> & {
  readonly domain: string
  readonly onboarding: Aggregated<OnboardingRow> | null
  readonly default_redirection: Aggregated<DefaultRedirectionRow> | null
  /** Newest first. */
  readonly metadata: readonly MetadataRow[]
  /** Newest first. */
  readonly oidc_clients: readonly OidcClientRow[]
}

/** The parts of a connection's record that its row does not have. */
interface Surroundings {
  readonly environment: Environment
  readonly entityId: string
  readonly acsUrl: string
  readonly oidcRedirectUri: string
  readonly roleMapping: SsoConnection['role_mapping']
  readonly warningsOf: (metadata: MetadataRow) => MetadataWarning[]
}

/** A connection with its associations as records. */
export type WholeSsoConnection = SsoConnection & {
  readonly onboarding: SsoAdminOnboarding | null
  readonly default_redirection: DefaultRedirection | null
}

export function toSsoConnection(
  row: SsoConnectionRow,
  { environment, entityId, acsUrl, oidcRedirectUri, roleMapping, warningsOf }: Surroundings,
): WholeSsoConnection {
  // The columns of closed lists are only written from validated input.
  const oidcClient = row.oidc_clients.find((client) => client.is_current)
  const userPolicy = row.user_security_type as SsoConnection['user_policy']
  return {
    __type__: 'SsoConnection',
    __domain__: row.domain,
    __environment__: environment,
    id: row.idp_id,
    idp_id: row.idp_id,
    sp_id: entityId,
    acs_url: acsUrl,
    oidc_redirect_uri: oidcRedirectUri,
    protocol: row.protocol as SsoConnection['protocol'],
    provider_type: row.provider_type as SsoConnection['provider_type'],
    active: row.active,
    state: row.state as SsoConnection['state'],
    seats_limit: row.seats_limit,
    user_policy: userPolicy,
    user_security_type: userPolicy,
    update_user_new_connection: row.update_user_new_connection,
    email_domains: row.email_domains,
    other_domains: row.other_domains as SsoConnection['other_domains'],
    idp_initiated: row.idp_initiated as SsoConnection['idp_initiated'],
    allow_sha1: row.allow_sha1,
    allow_cbc_unsigned_response: row.allow_cbc_unsigned_response,
    // Written only by connections.ts, from the contract's input.
    attribute_mapping: row.attribute_mapping as unknown as SsoConnection['attribute_mapping'],
    role_mapping: roleMapping,
    metadata: row.metadata.map((version) => toMetadata(version, warningsOf(version))),
    issuer: oidcClient?.issuer ?? null,
    oidc_client_id: oidcClient?.client_id ?? null,
    oidc_clients: row.oidc_clients.map(toOidcClient),
    onboarding: row.onboarding && toOnboarding(withDates(row.onboarding)),
    default_redirection: row.default_redirection && toDefaultRedirection(withDates(row.default_redirection)),
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function toOnboarding(row: OnboardingRow): SsoAdminOnboarding {
  return {
    __type__: 'EnterpriseConnectionOnboarding',
    id: row.id,
    sso_admin_email: row.sso_admin_email,
    // The columns of closed lists are only written from validated input.
    provider_type: row.provider_type as ProviderType | null,
    state: row.state as SsoAdminOnboarding['state'],
    tutorial_step: row.tutorial_step,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function toDefaultRedirection(row: DefaultRedirectionRow): DefaultRedirection {
  return {
    __type__: 'DefaultRedirection',
    id: row.id,
    app_id: row.application_id,
    uri: row.uri,
    inserted_at: row.inserted_at.toISOString(),
  }
}

function toMetadata(row: MetadataRow, warnings: readonly MetadataWarning[]): SsoMetadata {
  return {
    __type__: 'SsoMetadata',
    version: row.version,
    current: row.is_current,
    entity_id: row.entity_id,
    sso_url: row.sso_url,
    certificates: row.certificates.map(({ fingerprint_sha256, subject, not_before, not_after }) => ({
      fingerprint_sha256,
      subject,
      not_before,
      not_after,
    })),
    valid_until: row.valid_until === null ? null : new Date(row.valid_until).toISOString(),
    warnings: warnings.map((code) => ({ code, message: metadataWarnings[code] })),
    uploaded_by: row.uploaded_by,
    inserted_at: new Date(row.inserted_at).toISOString(),
  }
}

function toOidcClient(row: OidcClientRow): SsoOidcClient {
  return {
    __type__: 'SsoOidcClient',
    version: row.version,
    current: row.is_current,
    issuer: row.issuer,
    client_id: row.client_id,
    uploaded_by: row.uploaded_by,
    inserted_at: new Date(row.inserted_at).toISOString(),
  }
}

function withDates<Row extends { readonly inserted_at: number; readonly updated_at?: number }>(row: Row) {
  return {
    ...row,
    inserted_at: new Date(row.inserted_at),
    updated_at: new Date(row.updated_at ?? row.inserted_at),
  }
}
