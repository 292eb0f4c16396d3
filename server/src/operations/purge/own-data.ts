import type { Environment } from '@portico/contract/fields'
import type { User } from '@portico/contract/users'
import type { Deps } from '../../delivery/deps.js'
import { getKeptUser } from '../../directory/users/users.js'
import type { DB } from '../../platform/db/schema.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { Tenant } from '../../platform/tenant.js'
import { asOfOneMoment, gatherRecords } from './export-user.js'

/** What users download about themselves: UserExport without whatever names others. */
export interface OwnData {
  readonly __type__: 'OwnData'
  readonly made_at: string
  readonly environment: Environment
  readonly organization: string
  readonly user: User
  readonly records: Readonly<Record<string, readonly object[]>>
}

/**
 * Tables whose rows tell of their user alone, but for the members below. Requests of a directory, login attempts, mails, deliveries
 * and the audit of the staff quote others, or are the work of others.
 */
const ownTables: readonly (keyof DB)[] = [
  'deletion_requests',
  'directory_group_members',
  'directory_users',
  'domain_exemptions',
  'email_changes',
  'events',
  'impersonations',
  'invitations',
  'join_requests',
  'log_events',
  'passkey_recoveries',
  'passkey_recovery_codes',
  'passkeys',
  'passwords',
  'refresh_token_families',
  'role_assignments',
  'session_clients',
  'sessions',
  'totp_enrollments',
  'user_identities',
  'user_metadata',
]

/** The actor, the inviter, the decider, and their reasons; the manager that a directory or an identity provider names. */
const ofOthers = /^((act|actor|inviter|decider)(_\w+)?|message|params|reason)$|manager/i

/** All that is stored of one user, as of one moment; undefined where there is no such user. */
export function exportOwnData(
  deps: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  userId: string,
): Promise<OwnData | undefined> {
  return asOfOneMoment(deps, async (trx) => {
    const found = await usersOf(trx, tenant)
      .where('users.id', '=', userId)
      .select('users.organization_id')
      .executeTakeFirst()
    if (found === undefined) return undefined
    const { accountId, environment, domain } = tenant
    const { organization_id } = found
    const { user } = await getKeptUser(trx, { ...tenant, organizationId: organization_id }, userId)
    const persons = { account_id: accountId, environment, organization_id, ids: [userId] }
    const records = await gatherRecords(trx, persons, () => undefined)
    const own = Object.entries(records).filter(([table]) => ownTables.some((name) => name === table))
    return {
      __type__: 'OwnData',
      made_at: deps.now().toISOString(),
      environment,
      organization: domain,
      user,
      records: withoutOthers(Object.fromEntries(own)),
    }
  })
}

/** Leaves out members at any depth, also inside of what a directory has sent. */
function withoutOthers<Value>(value: Value): Value {
  const text = JSON.stringify(value, (name, member: unknown) => (ofOthers.test(name) ? undefined : member))
  // Equal but for the members that are left out, all of which may be missing.
  return JSON.parse(text) as Value
}
