import type { Kysely, RawBuilder } from 'kysely'
import { insertWhere } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'
import type { ApplicationRow } from './record.js'

/** An organization and environment, without the caller. */
export type Place = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** The parameters of a statement that inserts an application. */
export type ApplicationInsertion = Place &
  Omit<ApplicationRow, 'organization_id' | 'version' | 'inserted_at' | 'updated_at' | 'deleted_at'> & {
    readonly at: Date
  }

/** Inserts an application into an organization, or for the whole account, if a condition holds. */
export function insertApplicationIf(
  db: Kysely<DB>,
  application: ApplicationInsertion,
  organizationId: RawBuilder<string>,
  condition: RawBuilder<boolean>,
) {
  const row = {
    ...knownColumns(application),
    account_id: application.accountId,
    organization_id: organizationId,
  }
  return insertWhere(db, 'applications', row, condition).returning('applications.organization_id')
}

/** The columns of a new application that the parameters know, for the statement and for the record alike. */
export function knownColumns(application: ApplicationInsertion) {
  return {
    environment: application.environment,
    id: application.id,
    name: application.name,
    description: application.description,
    application_type: application.application_type,
    allowed_redirect_urls: application.allowed_redirect_urls,
    allowed_origins_cors: application.allowed_origins_cors,
    allowed_logout_urls: application.allowed_logout_urls,
    allowed_web_origins: application.allowed_web_origins,
    default_redirect_uri_after_login: application.default_redirect_uri_after_login,
    default_redirect_uri_after_logout: application.default_redirect_uri_after_logout,
    default_web_origin: application.default_web_origin,
    default_origin_cors: application.default_origin_cors,
    default_logout_url: application.default_logout_url,
    access_token_lifetime_in_seconds: application.access_token_lifetime_in_seconds,
    token_signing_alg: application.token_signing_alg,
    code_exchange: application.code_exchange,
    client_authentication: application.client_authentication,
    pkce: application.pkce,
    jwks: application.jwks,
    jwks_uri: application.jwks_uri,
    permission_prefixes: application.permission_prefixes,
    initiate_login_uri: application.initiate_login_uri,
    passkey_rp_id: application.passkey_rp_id,
    backchannel_logout_uri: application.backchannel_logout_uri,
    backchannel_logout_session_required: application.backchannel_logout_session_required,
    version: 1,
    inserted_at: application.at,
    updated_at: application.at,
  }
}
