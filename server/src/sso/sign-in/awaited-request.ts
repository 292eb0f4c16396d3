import { sql, type RawBuilder } from 'kysely'

/**
 * Whether a statement's row of saml_requests waits for the answer to a request. A sign-in that has asked twice, as by a
 * double click, may be answered either time, and once: both are one row.
 */
export function isAwaited(request: { readonly id: string | null; readonly at: Date }): RawBuilder<boolean> {
  return sql<boolean>`(
    (saml_requests.id = ${request.id} and saml_requests.expires_at > ${request.at})
    or (saml_requests.previous_id = ${request.id} and saml_requests.previous_expires_at > ${request.at})
  )`
}
