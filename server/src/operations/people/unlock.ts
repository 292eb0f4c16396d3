import type { LimitKind, Unlock, Unlocked } from '@portico/contract/limits'
import type { PhoneNumber } from '@portico/contract/profile'
import { sql } from 'kysely'
import { writeAudit } from '../../delivery/audit/audit.js'
import type { Deps } from '../../delivery/deps.js'
import { mails } from '../../delivery/mail/mail-limits.js'
import { forgetSms } from '../../delivery/sms/sms-limits.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { findOrganizationId } from '../../platform/db/organization-id.js'
import { normalizeEmail } from '../../platform/email.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { forgetAttempts, lookAtAttempts } from '../../sign-in/flows/attempts.js'
import { challengeAddress } from '../../sso/sign-in/challenge.js'

type LimitDeps = Pick<Deps, 'db' | 'limits' | 'now'>

/** An address in the organization of its counts. */
type Counted = Tenant & { readonly address: string }

/**
 * Forgets what was counted of an address in an organization: an address that is locked may try again at once. What others share,
 * the limits of the organization and of networks, stays.
 *
 * @returns What was counted just before; what comes at the same moment may be missing.
 * @throws ApiError `organization_not_found`
 */
export async function unlockPerson(
  deps: LimitDeps,
  caller: Caller,
  { email, org_domain: domain, kinds }: Unlock,
): Promise<Unlocked> {
  const tenant = { ...caller, domain }
  const organizationId = await findOrganizationId(deps.db, tenant)
  if (organizationId === null) throw new ApiError('organization_not_found')
  const { audit, requestId } = caller.cause
  // No change of a record, which would write its own entry. First, so that nothing is forgotten without one.
  if (audit !== undefined)
    await writeAudit(deps, deps.db, { requestId, audit }, { outcome: 'done', email, organizationId })
  const counted = { ...tenant, address: normalizeEmail(email) }
  const forgotten = [...new Set(kinds)].map(async (kind) => ({
    kind,
    count: await forget[kind](deps, counted),
  }))
  return { __type__: 'Unlocked', forgotten: await Promise.all(forgotten) }
}

/** Forgets one kind, and gives its count. */
const forget: Readonly<Record<LimitKind, (deps: LimitDeps, counted: Counted) => Promise<number>>> = {
  async sign_in(deps, counted) {
    const keys = [counted, { ...counted, address: challengeAddress(counted.address) }]
    const found = await Promise.all(keys.map((key) => lookAtAttempts(deps, key)))
    await Promise.all(keys.map((key) => forgetAttempts(deps, key)))
    return found.reduce((sum, { attempts }) => sum + attempts, 0)
  },
  async mail({ limits }, counted) {
    const { count } = await limits.look(mails, counted)
    await limits.forget(mails, counted)
    return count
  },
  async sms(deps, counted) {
    const user = await usersOf(deps.db, counted)
      .where('users.email_normalized', '=', counted.address)
      // Written only from validated input.
      .select(['users.id', sql<PhoneNumber[]>`users.phone_numbers`.as('phone_numbers')])
      .executeTakeFirst()
    if (user === undefined) return 0
    const { accountId, environment, domain } = counted
    const phoneNumbers = user.phone_numbers.map(({ value }) => value)
    return forgetSms(deps, { accountId, environment, domain, userId: user.id, phoneNumbers })
  },
}
