import type { Application, DeletedApplication, NewApplication } from '@portico/contract/applications'
import { clientAuthenticationMembers } from '@portico/contract/client-authentication'
import type { Selectable } from 'kysely'
import type { Applications } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

export const applicationColumns = [
  'applications.id',
  'applications.environment',
  'applications.organization_id',
  'applications.name',
  'applications.description',
  'applications.application_type',
  'applications.allowed_redirect_urls',
  'applications.allowed_origins_cors',
  'applications.allowed_logout_urls',
  'applications.allowed_web_origins',
  'applications.default_redirect_uri_after_login',
  'applications.default_redirect_uri_after_logout',
  'applications.default_web_origin',
  'applications.default_origin_cors',
  'applications.default_logout_url',
  'applications.access_token_lifetime_in_seconds',
  'applications.token_signing_alg',
  'applications.code_exchange',
  'applications.client_authentication',
  'applications.pkce',
  'applications.jwks',
  'applications.jwks_uri',
  'applications.permission_prefixes',
  'applications.initiate_login_uri',
  'applications.passkey_rp_id',
  'applications.backchannel_logout_uri',
  'applications.backchannel_logout_session_required',
  'applications.version',
  'applications.inserted_at',
  'applications.updated_at',
  'applications.deleted_at',
] as const

export type ApplicationRow = Omit<Selectable<Applications>, 'account_id'> & {
  /** Domain of the organization it is restricted to. */
  organization_domain_scope: string | null
}

export function toApplication(
  row: Omit<ApplicationRow, 'organization_id' | 'deleted_at'>,
  { accountDomain }: Pick<Tenant, 'accountDomain'>,
): Application {
  const scope = row.organization_domain_scope
  // Written only from validated input.
  const environment = row.environment as Application['__environment__']
  return {
    __type__: 'Application',
    __domain__: scope ?? accountDomain,
    __database__: environment,
    __environment__: environment,
    __managed_by__: accountDomain,
    __access__: scope === null ? `all_organizations_of:${accountDomain}` : `limited_to:${scope}`,
    id: row.id,
    client_id: row.id,
    ...toMembers(row),
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** The members that a caller may set. Columns of closed lists are written only from validated input. */
export function toMembers(row: Pick<ApplicationRow, keyof NewApplication>) {
  return {
    name: row.name,
    description: row.description,
    application_type: row.application_type as Application['application_type'],
    allowed_redirect_urls: row.allowed_redirect_urls,
    allowed_origins_cors: row.allowed_origins_cors,
    allowed_logout_urls: row.allowed_logout_urls,
    allowed_web_origins: row.allowed_web_origins,
    default_redirect_uri_after_login: row.default_redirect_uri_after_login,
    default_redirect_uri_after_logout: row.default_redirect_uri_after_logout,
    default_web_origin: row.default_web_origin,
    default_origin_cors: row.default_origin_cors,
    default_logout_url: row.default_logout_url,
    organization_domain_scope: row.organization_domain_scope,
    access_token_lifetime_in_seconds: row.access_token_lifetime_in_seconds,
    token_signing_alg: row.token_signing_alg as Application['token_signing_alg'],
    code_exchange: row.code_exchange as Application['code_exchange'],
    ...toClientSettings(row),
    permission_prefixes: row.permission_prefixes,
    initiate_login_uri: row.initiate_login_uri,
    passkey_rp_id: row.passkey_rp_id,
    backchannel_logout_uri: row.backchannel_logout_uri,
    backchannel_logout_session_required: row.backchannel_logout_session_required,
  }
}

/** The settings of a row about the authentication of its client, written only from validated input. */
export function toClientSettings(
  row: Pick<ApplicationRow, 'client_authentication' | 'pkce' | 'jwks' | 'jwks_uri'>,
): Pick<Application, 'client_authentication' | 'pkce' | 'jwks' | 'jwks_uri'> {
  return {
    client_authentication: row.client_authentication as Application['client_authentication'],
    pkce: row.pkce as Application['pkce'],
    // The database keeps no order of members, which a comparison of configurations needs.
    jwks: clientAuthenticationMembers.jwks.parse(row.jwks),
    jwks_uri: row.jwks_uri,
  }
}

export function toDeletedApplication(row: ApplicationRow): DeletedApplication {
  return { __type__: 'Application', id: row.id, name: row.name, deleted: true }
}
