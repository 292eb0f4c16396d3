import { joinRequestDays, type JoinRequest } from '@portico/contract/join-requests'
import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { insertFound } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import { tenantColumns } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { toJoinRequest } from './record.js'
import { emitJoinRequest, endJoinRequest, joinRequestsOf, wholeJoinRequest } from './rows.js'

const dayMs = 24 * 60 * 60 * 1000

/** Colleagues who ask within ten minutes are one mail to the administrators. */
const noticeDelayMs = 10 * 60 * 1000

/** Somebody who has proved their address, and asks to join. */
interface Asking {
  readonly email: string
  /** Language tag of the page on which they ask. */
  readonly locale: string
}

/**
 * Inserts a request, and has the organization's administrators told of it. Of one address one is pending: a second one changes nothing.
 *
 * @returns Whether there is a new one.
 */
export async function insertJoinRequest(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, locale }: Asking,
): Promise<boolean> {
  const at = deps.now()
  const id = newId()
  const emailNormalized = normalizeEmail(email)
  await expireEarlier(deps, trx, tenant, emailNormalized, at)
  const row = {
    ...tenantColumns(tenant),
    ...{ id, email, email_normalized: emailNormalized, locale, state: 'pending' },
    expires_at: new Date(at.getTime() + joinRequestDays * dayMs),
    ...{ version: 1, inserted_at: at, updated_at: at },
  }
  const inserted = await insertFound(trx, 'join_requests', row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('organization_id')
    .executeTakeFirst()
  if (inserted === undefined) return false
  await emitJoinRequest(deps, trx, tenant, { id, code: 'invitation.join_request.create.success', at })
  const { accountId, environment } = tenant
  const { organization_id: organizationId } = inserted
  await enqueue(deps, trx, {
    name: 'tell_admins_of_join_requests',
    payload: { accountId, environment, organizationId },
    key: `${organizationId} ${environment}`,
    runAt: new Date(at.getTime() + noticeDelayMs),
    accountId,
  })
  return true
}

/** Turns the request of before, whose time is over, so that it does not stand in the way. */
async function expireEarlier(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  emailNormalized: string,
  at: Date,
): Promise<void> {
  const earlier = await joinRequestsOf(trx, tenant)
    .where('join_requests.email_normalized', '=', emailNormalized)
    .where('join_requests.state', '=', 'pending')
    .where('join_requests.expires_at', '<=', at)
    .select('join_requests.id')
    .executeTakeFirst()
  if (earlier !== undefined)
    await endJoinRequest(deps, trx, tenant, { id: earlier.id, end: { state: 'expired' }, at })
}

/** The newest request of an address; undefined where its owner has never asked. */
export async function findLatestRequest(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  email: string,
): Promise<JoinRequest | undefined> {
  const row = await joinRequestsOf(db, tenant)
    .where('join_requests.email_normalized', '=', normalizeEmail(email))
    .select(wholeJoinRequest())
    .orderBy('join_requests.inserted_at', 'desc')
    .orderBy('join_requests.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toJoinRequest(row, tenant, now())
}
