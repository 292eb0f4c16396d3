import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { ruleKey } from '../../directory/roles/rule-key.js'
import { keyOf, type ScimCaller } from './scim-caller.js'

/** Tells the account's log of rules of roles whose group was the last of its name, and is renamed or deleted. */
export async function noteUnmatched(
  deps: Pick<Deps, 'now' | 'metrics'>,
  trx: Transaction<DB>,
  caller: ScimCaller,
  formerName: string,
): Promise<void> {
  const unmatched = await trx
    .selectFrom('role_mapping_rules as rule')
    .where(ofOwner(keyOf(caller), 'rule'))
    .where('rule.source_id', '=', caller.directoryId)
    .where('rule.rule_key', '=', ruleKey(null, formerName))
    .where(
      sql<boolean>`not exists (
        select from directory_groups named
        where ${sameTenant('named', 'rule')} and named.directory_id = rule.source_id
          and named.display_name_normalized = ${normalizeEmail(formerName)}
      )`,
    )
    .select('rule.value')
    .limit(1)
    .executeTakeFirst()
  if (unmatched === undefined) return
  const { tenant, organizationId } = caller
  await logEvent(deps, trx, {
    ...tenant,
    organizationId,
    code: 'ROLE_MAPPING_UNMATCHED',
    reason: unmatched.value,
  })
}
