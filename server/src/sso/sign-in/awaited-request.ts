import { sql, type RawBuilder } from 'kysely'

/**
 * Whether a statement's row of saml_requests awaits the answer to a request. After a double click either of the two
 * requests may be answered, once: both are one row.
 */
export function isAwaited(request: { readonly id: string | null; readonly at: Date }): RawBuilder<boolean> {
  return sql<boolean>`(
    (saml_requests.id = ${request.id} and saml_requests.expires_at > ${request.at})
    or (saml_requests.previous_id = ${request.id} and saml_requests.previous_expires_at > ${request.at})
  )`
}

/** A request of ours that was answered, made for a flow or for an administrator's test. */
export type AnsweredRequest =
  | { readonly kind: 'sign_in'; readonly flowId: string }
  | { readonly kind: 'test'; readonly adminSessionId: string }

/** The purpose of a request of either protocol; its table demands one of the two. */
interface PurposeRow {
  readonly flow_id: string | null
  readonly admin_session_id: string | null
}

export function toAnsweredRequest(row: PurposeRow): AnsweredRequest {
  const { flow_id: flowId, admin_session_id: adminSessionId } = row
  return adminSessionId === null
    ? { kind: 'sign_in', flowId: flowId ?? '' }
    : { kind: 'test', adminSessionId }
}
