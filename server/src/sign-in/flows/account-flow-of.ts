import { sql } from 'kysely'
import { companion } from '../../platform/db/statement.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'

/** The browser's e-mail session of a statement's flow, where the organization was chosen in an account flow. */
export function provedByBrowser() {
  return sql<string | null>`(
    select account_flows.email_session_id from account_flows
    where ${sameEnvironment('account_flows', 'flow')} and account_flows.id = flow.account_flow_id
  )`
}

/** The address of that session, normalized; null where the organization was entered without a proof. */
export function addressProvedByBrowser() {
  return sql<string | null>`(
    select proof.email_normalized from account_flows
    join email_sessions as proof on ${sameEnvironment('proof', 'account_flows')}
      and proof.id = account_flows.email_session_id
    where ${sameEnvironment('account_flows', 'flow')} and account_flows.id = flow.account_flow_id
  )`
}

/**
 * Whether the account flow in which a statement's flow was entered has not gone back, which may have come before the flow began,
 * and its proof has not been ended; others have none.
 */
export function isEntryStillOpen() {
  return sql<boolean>`not exists (
    select from account_flows
    left join email_sessions as proof on ${sameEnvironment('proof', 'account_flows')}
      and proof.id = account_flows.email_session_id
    where ${sameEnvironment('account_flows', 'flow')} and account_flows.id = flow.account_flow_id
      and (account_flows.step <> 'entered' or proof.ended_at is not null)
  )`
}

/** Ends the account flow in which the organization was chosen. */
export const endAccountFlowOf = companion(
  (db, flow: { accountId: string; environment: string; accountFlowId: string; at: Date }) =>
    db
      .updateTable('account_flows')
      .set({ used_at: flow.at })
      .where(ofEnvironment(flow))
      .where('id', '=', flow.accountFlowId)
      .where('used_at', 'is', null),
)
