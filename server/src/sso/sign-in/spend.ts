import { sql, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { Assertion } from '../saml/assertion.js'
import { isOfConnection, type ConnectionKey } from '../connections/connection-key.js'
import { isAwaited } from './awaited-request.js'

/** What an assertion has found when it had its one use. */
export interface Spent {
  /** It was not used before. */
  readonly isFirstUse: boolean
  /** Version of the metadata in use; null where there are none. */
  readonly currentVersion: number | null
  /** The request that it answers; undefined where none waits for it. */
  readonly request: SpentRequest | undefined
}

/** A request that was made by a version of the metadata: of a flow, or of an administrator's test. */
export interface SpentRequest {
  readonly flowId: string | null
  readonly adminSessionId: string | null
  readonly metadataVersion: number
}

/**
 * Notes that an assertion has had its one use, for as long as it could be sent again, and with it spends the request that
 * it answers. Of all who have the same assertion, one statement lets one pass.
 */
export async function spendAssertion(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { id, inResponseTo, usableUntil }: Pick<Assertion, 'id' | 'inResponseTo' | 'usableUntil'>,
): Promise<Spent> {
  const [spent] = await spend(trx, {
    ...key,
    assertionHash: hashSecret(id),
    id: inResponseTo,
    usableUntil,
    at: now(),
  })
  if (spent === undefined) throw new Error('a statement of one row has none')
  const {
    is_first_use: isFirstUse,
    current_version: currentVersion,
    metadata_version: metadataVersion,
  } = spent
  const request =
    metadataVersion === null ? undefined : toSpentRequest({ ...spent, metadata_version: metadataVersion })
  return { isFirstUse, currentVersion, request }
}

interface RequestRow {
  readonly flow_id: string | null
  readonly admin_session_id: string | null
  readonly metadata_version: number
}

function toSpentRequest(row: RequestRow): SpentRequest {
  return { flowId: row.flow_id, adminSessionId: row.admin_session_id, metadataVersion: row.metadata_version }
}

type Spending = ConnectionKey & {
  readonly assertionHash: Buffer
  /** Of the request. */
  readonly id: string | null
  readonly usableUntil: Date
  readonly at: Date
}

/** A row of no request has null for its columns. */
interface SpentRow extends Omit<RequestRow, 'metadata_version'> {
  readonly is_first_use: boolean
  readonly current_version: number | null
  readonly metadata_version: number | null
}

const spend = sqlStatement(
  (spending: Spending) => sql<SpentRow>`
    with used as (
      insert into saml_seen_assertions (
        account_id, environment, organization_id, connection_id, assertion_hash, expires_at
      ) values (
        ${spending.accountId}, ${spending.environment}, ${spending.organizationId}, ${spending.connectionId},
        ${spending.assertionHash}, ${spending.usableUntil}
      )
      on conflict do nothing
      returning assertion_hash
    ), request as (
      delete from saml_requests
      where ${isOfConnection('saml_requests', spending)}
        and ${isAwaited(spending)}
        and exists (select from used)
      returning flow_id, admin_session_id, metadata_version
    )
    select exists (select from used) as is_first_use, (
        select version from sso_metadata_versions
        where ${isOfConnection('sso_metadata_versions', spending)} and is_current
      ) as current_version, request.flow_id, request.admin_session_id, request.metadata_version
    from (values (1)) as one (row)
    left join request on true`,
)
