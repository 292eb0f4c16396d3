import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { enqueue, type NewJob } from '../../delivery/jobs/enqueue.js'
import type { JobName } from '../../delivery/jobs/job-names.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'
import type { DomainPlace } from '../../directory/domains/rows.js'
import { momentColumn } from '../invitations/admin-moments.js'

/** More than an organization has. */
const maxAdmins = 100

/** The part of a payload that names the administrator of a mail. */
interface Addressed {
  readonly adminId: string
  /** Identical for every attempt. */
  readonly messageId: string
}

/**
 * Enqueues a mail to each administrator of an organization, in the transaction of the change that it tells of. About production
 * only those get one whom production has invited: a sandbox key could have invited anybody.
 */
export async function enqueueForAdmins<Name extends JobName>(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { accountId, environment, organizationId }: Omit<DomainPlace, 'domain'>,
  toJob: (addressed: Addressed) => NewJob<Name>,
): Promise<void> {
  const admins = await trx
    .selectFrom('sso_admins')
    .where(ofOrganization({ accountId, organizationId }))
    .where(momentColumn(environment, 'declined_to_be_in_charge_at'), 'is', null)
    .$if(environment === 'production', (query) => query.where('is_of_production', '=', true))
    .select('id')
    .orderBy('inserted_at')
    .limit(maxAdmins)
    .execute()
  for (const { id: adminId } of admins) {
    // One job for each, so that an address that fails does not repeat the mails to others.
    await enqueue(deps, trx, toJob({ adminId, messageId: newId() }))
  }
}
