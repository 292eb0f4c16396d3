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
