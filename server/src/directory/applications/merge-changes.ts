import type { Application, ApplicationChanges } from '@portico/contract/applications'
import { settleClientSettings } from './client-settings.js'
import { toClientSettings, type ApplicationRow } from './record.js'
import { settleDefaults } from './redirects.js'

/** The members of an application after a change. */
export function mergeChanges(row: ApplicationRow, input: ApplicationChanges) {
  const members = {
    name: row.name,
    description: row.description,
    // Columns of closed lists are written only from validated input.
    application_type: row.application_type as Application['application_type'],
    allowed_redirect_urls: row.allowed_redirect_urls,
    allowed_origins_cors: row.allowed_origins_cors,
    allowed_logout_urls: row.allowed_logout_urls,
    allowed_web_origins: row.allowed_web_origins,
    organization_domain_scope: row.organization_domain_scope,
    access_token_lifetime_in_seconds: row.access_token_lifetime_in_seconds,
    token_signing_alg: row.token_signing_alg,
    code_exchange: row.code_exchange as Application['code_exchange'],
    initiate_login_uri: row.initiate_login_uri,
    backchannel_logout_uri: row.backchannel_logout_uri,
    backchannel_logout_session_required: row.backchannel_logout_session_required,
    ...input,
  }
  return {
    ...members,
    ...settleDefaults(members, input, row),
    ...settleClientSettings(input, toClientSettings(row)),
  }
}
