import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import { issueCode, openSession } from '../../directory/sessions/complete-sign-in.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { later } from '../../platform/db/later.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import {
  isOrganizationOf,
  ofEnvironment,
  sameEnvironment,
  sameTenant,
} from '../../platform/db/tenant-predicate.js'
import { causeBy, type Tenant } from '../../platform/tenant.js'
import { accountIssuerOf, type IssuerKind } from '../../tokens/issuer.js'
import { withoutOfflineAccess } from '../../tokens/scopes.js'
import type { RequestedClaims } from '../../tokens/user-claims.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { isImpersonationPermitted } from './permission.js'
import { impersonationColumns, toImpersonation } from './record.js'

/** A handle that a browser brings with the request of its application. */
interface PresentedHandle {
  readonly accountId: string
  readonly accountDomain: string
  readonly environment: Environment
  readonly applicationId: string
  /** The organization of the request; null: any of the account. */
  readonly organizationDomain: string | null
  /** The users that the request accepts; null: any. */
  readonly expectedUserIds: readonly string[] | null
  readonly handle: string
  /** Of the flow cookie. */
  readonly browserSecret: string
}

/** What the code is bound to. */
interface CodeBinding {
  /** The issuer that was asked. */
  readonly issuer: IssuerKind
  /** Allowed by the application. */
  readonly redirectUri: string
  readonly state: string | null
  readonly nonce: string | null
  readonly codeChallenge: string | null
  /** The granted scopes, separated by spaces. */
  readonly scope: string
  readonly claims: RequestedClaims | null
  readonly requestId: string
}

/**
 * Starts an impersonation, once: opens a session that no browser has and that ends with it, and makes a code for it.
 *
 * @returns The code; undefined when the handle is not one that this browser and application can use now.
 */
export async function startImpersonation(
  deps: Deps,
  presented: PresentedHandle,
  binding: CodeBinding,
): Promise<string | undefined> {
  const { accountId, accountDomain, environment, handle, browserSecret } = presented
  const cause = causeBy(binding.requestId, 'system', 'impersonation')
  const { record } = await change(deps, cause, async (trx) => {
    const key = {
      ...presented,
      handleHash: hashSecret(handle),
      browserHash: hashSecret(browserSecret),
      at: deps.now(),
    }
    await lockParties(trx, key)
    const [row] = await consumeHandle(trx, key)
    if (row === undefined) return { record: undefined }
    const tenant = { accountId, accountDomain, environment, domain: row.domain, organizationIds: null, cause }
    return { record: await start(deps, trx, { tenant, row, binding }) }
  })
  return record
}

interface HandleKey extends Omit<PresentedHandle, 'handle' | 'browserSecret'> {
  readonly handleHash: Buffer
  readonly browserHash: Buffer
  readonly at: Date
}

/** Locks user and organization, so that what ends sessions of theirs comes before the start, or finds its session. */
const lockParties = statement((db, key: HandleKey) =>
  db
    .selectFrom('impersonations')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'impersonations')))
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'impersonations')).onRef('users.id', '=', 'impersonations.user_id'),
    )
    .where(ofEnvironment(key, 'impersonations'))
    .where('impersonations.handle_hash', '=', key.handleHash)
    .select('impersonations.id')
    .forShare('organizations')
    .forNoKeyUpdate('users'),
)

/** Consumes the handle if everything that the impersonation depends on is true at this moment. */
const consumeHandle = statement((db, key: HandleKey) =>
  db
    .updateTable('impersonations')
    .set({
      started_at: key.at,
      expires_at: later(
        sql`${key.at}::timestamptz`,
        sql`make_interval(secs => impersonations.duration_in_seconds)`,
      ),
    })
    .from(['organizations', 'users', 'applications'])
    .where(ofEnvironment(key, 'impersonations'))
    .where('impersonations.application_id', '=', key.applicationId)
    .where('impersonations.handle_hash', '=', key.handleHash)
    .where('impersonations.browser_hash', '=', key.browserHash)
    .where('impersonations.started_at', 'is', null)
    .where('impersonations.ended_at', 'is', null)
    .where('impersonations.expires_at', '>', key.at)
    .where(isOrganizationOf('organizations', 'impersonations'))
    .where(
      sql<boolean>`(${key.organizationDomain}::text is null or organizations.domain = ${key.organizationDomain})`,
    )
    .where(sameTenant('users', 'impersonations'))
    .whereRef('users.id', '=', 'impersonations.user_id')
    .where(
      sql<boolean>`(${key.expectedUserIds}::uuid[] is null or users.id = any(${key.expectedUserIds}::uuid[]))`,
    )
    .where(sameEnvironment('applications', 'impersonations'))
    .whereRef('applications.id', '=', 'impersonations.application_id')
    .where(isImpersonationPermitted())
    .returning([...impersonationColumns, 'organizations.domain', 'users.email']),
)

type StartedRow = Awaited<ReturnType<typeof consumeHandle>>[number]

interface Start {
  readonly tenant: Tenant
  readonly row: StartedRow
  readonly binding: CodeBinding
}

/** @returns The code. */
async function start(deps: Deps, trx: Transaction<DB>, { tenant, row, binding }: Start): Promise<string> {
  const { id: impersonationId, organization_id: organizationId, user_id: userId } = row
  const authenticatedAt = deps.now()
  const signIn = {
    tenant,
    organizationId,
    userId,
    applicationId: row.application_id,
    amr: ['impersonation'],
    authenticatedAt,
    act: {
      iss: accountIssuerOf(deps.config.baseUrl, tenant.accountDomain),
      sub: row.actor_id,
      impersonation: impersonationId,
    },
  }
  const impersonation = { id: impersonationId, expiresAt: row.expires_at }
  const { sessionId } = await openSession(deps, trx, { ...signIn, impersonation })
  const code = await issueCode(deps, trx, {
    ...signIn,
    ...binding,
    sessionId,
    scope: withoutOfflineAccess(binding.scope),
    via: 'page',
  })
  await emitStart(deps, trx, { tenant, row, binding })
  return code
}

/** Emits and logs the start, has the user told of it where that is wanted, and has it end at its time. */
async function emitStart(deps: Deps, trx: Transaction<DB>, { tenant, row, binding }: Start): Promise<void> {
  const { accountId, environment } = tenant
  const { id: impersonationId, organization_id: organizationId, user_id: userId } = row
  await emit(deps, trx, tenant, {
    code: 'user.impersonation.start.success',
    record: toImpersonation(row, tenant),
    organizationId,
    subjectId: userId,
  })
  await logEvent(deps, trx, {
    ...tenant,
    organizationId,
    code: 'END_USER_IMPERSONATED',
    clientId: row.application_id,
    email: row.email,
    userId,
    reason: impersonationId,
    requestId: binding.requestId,
  })
  const payload = { accountId, environment, organizationId, impersonationId }
  await enqueue(deps, trx, { name: 'end_impersonation', payload, runAt: row.expires_at, accountId })
  if (row.notify_user) await enqueue(deps, trx, { name: 'send_impersonation_notice', payload, accountId })
}
