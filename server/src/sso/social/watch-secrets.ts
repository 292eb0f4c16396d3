import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { causeBy, operatorCaller } from '../../platform/tenant.js'
import { emitExpiry } from './providers.js'

const dayMs = 24 * 60 * 60 * 1000
/** How long before its end a secret is reported. */
const warningDays = 30
const batchSize = 100

/** Whether a secret ends soon, or has ended. */
export function isEndNear(end: Date, at: Date): boolean {
  return end.getTime() - at.getTime() <= warningDays * dayMs
}

/** Reports active providers whose secret ends within 30 days or has ended, once for each secret. */
export async function watchSocialSecrets(deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>): Promise<void> {
  const cause = causeBy(newId(), 'system', 'secret_watch')
  const at = deps.now()
  for (;;) {
    const due = await findDue(deps.db, at)
    for (const { accountId, accountDomain, environment, id } of due) {
      const caller = operatorCaller({ id: accountId, domain: accountDomain }, environment, cause)
      await change(deps, cause, async (trx) => {
        // Of two concurrent processes one reports it.
        const reported = await trx
          .updateTable('social_providers')
          .set({ secret_warned_at: at })
          .where(ofEnvironment(caller))
          .where('id', '=', id)
          .where('secret_warned_at', 'is', null)
          .where('secret_expires_at', '<=', soon(at))
          .returning('id')
          .executeTakeFirst()
        return reported === undefined ? { record: undefined } : emitExpiry(deps, trx, caller, id)
      })
    }
    if (due.length < batchSize) return
  }
}

function soon(at: Date): Date {
  return new Date(at.getTime() + warningDays * dayMs)
}

function findDue(db: Kysely<DB>, at: Date) {
  // eslint-disable-next-line portico/tenant -- a worker looks at the providers of every account
  return db
    .selectFrom('social_providers')
    .innerJoin('accounts', 'accounts.id', 'social_providers.account_id')
    .where('social_providers.active', '=', true)
    .where('social_providers.secret_warned_at', 'is', null)
    .where('social_providers.secret_expires_at', '<=', soon(at))
    .select([
      'social_providers.account_id as accountId',
      'accounts.domain as accountDomain',
      // The check constraint of the column allows nothing else.
      sql<Environment>`social_providers.environment`.as('environment'),
      'social_providers.id',
    ])
    .orderBy('social_providers.id')
    .limit(batchSize)
    .execute()
}
