import { fullNameOf } from '@portico/contract/profile'
import { staffRoles, type StaffRole } from '@portico/contract/staff'
import { sql } from 'kysely'
import type { Deps } from '../delivery/deps.js'
import { liveBrowserSessions, noteUse } from '../directory/sessions/browser-session.js'
import { rolesOfUser } from '../directory/users/roles-of-user.js'
import { staffEnvironment, type StaffOrganization } from '../operations/staff/staff-organization.js'
import { listSessionSecrets } from '../pages/frame/session-cookie.js'
import { hashSecret } from '../platform/crypto/secret.js'
import { lookup } from '../platform/db/statement.js'
import { isOrganizationOf } from '../platform/db/tenant-predicate.js'

/** Somebody who is signed in to the console of an account. */
export interface Staff {
  /** Of the customer of the service, with the organization that has its staff. */
  readonly organization: StaffOrganization
  readonly user: {
    readonly id: string
    readonly email: string
    readonly name: string | null
    /** BCP 47. */
    readonly locale: string | null
    readonly zoneinfo: string | null
  }
  /** As they are now. Empty: a user whose roles were taken. */
  readonly roles: readonly StaffRole[]
  readonly session: {
    readonly id: string
    readonly amr: readonly string[]
    readonly authenticatedAt: Date
  }
}

/** A browser at an address of the console. */
interface Arrival {
  readonly accountDomain: string
  /** The header. */
  readonly cookie: string | undefined
}

/** Of so many accounts in one browser; more are not read, so that a header cannot have a statement compare thousands. */
const maxSessions = 50

/** How often a session that goes on is written. */
const noteEveryMs = 60_000

/**
 * The member of staff who is signed in to the console of an account in this browser. Where others reach the service, only a
 * sign-in with a second factor counts.
 */
export async function findStaff(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  { accountDomain, cookie }: Arrival,
): Promise<Staff | undefined> {
  const { config, db } = deps
  const secrets = listSessionSecrets(cookie, config.isHttps).slice(0, maxSessions)
  if (secrets.length === 0) return undefined
  const at = deps.now()
  const hashes = secrets.map((secret) => hashSecret(secret))
  const [row] = await selectStaff(db, { accountDomain, hashes, at })
  if (row === undefined) return undefined
  if (config.isProduction && !row.amr.includes('mfa')) return undefined
  await noteVisit(deps, row, at)
  return toStaff(row)
}

const selectStaff = lookup(
  (db, key: { readonly accountDomain: string; readonly hashes: readonly Buffer[]; readonly at: Date }) =>
    liveBrowserSessions(db, key.at)
      .innerJoin('staff_organizations as staff', (join) =>
        join
          .onRef('staff.staff_account_id', '=', 'sessions.account_id')
          .onRef('staff.staff_organization_id', '=', 'sessions.organization_id'),
      )
      .innerJoin('accounts', 'accounts.id', 'staff.account_id')
      .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sessions')))
      .where('accounts.domain', '=', key.accountDomain)
      .where('sessions.environment', '=', staffEnvironment)
      .where('organizations.deleted_at', 'is', null)
      .where(sql<boolean>`sessions.secret_hash = any(${key.hashes}::bytea[])`)
      .select([
        'staff.account_id',
        'accounts.domain as account_domain',
        'staff.staff_account_id',
        'staff.staff_organization_id',
        'staff.staff_application_id',
        'organizations.domain',
        'sessions.id',
        'sessions.amr',
        'sessions.authenticated_at',
        'sessions.browser_used_at',
        'users.id as user_id',
        'users.email',
        profileMember('given_name'),
        profileMember('family_name'),
        profileMember('locale'),
        profileMember('zoneinfo'),
        rolesOfUser().as('roles'),
      ]),
)

function profileMember(name: 'given_name' | 'family_name' | 'locale' | 'zoneinfo') {
  return sql<string | null>`users.profile->>${sql.lit(name)}`.as(name)
}

type StaffRow = Awaited<ReturnType<typeof selectStaff>>[number]

/** A session that is used stays open: the policy ends one that was idle for an hour. */
async function noteVisit({ db }: Pick<Deps, 'db'>, row: StaffRow, at: Date): Promise<void> {
  const before = new Date(at.getTime() - noteEveryMs)
  if (row.browser_used_at !== null && row.browser_used_at > before) return
  await noteUse(db, {
    accountId: row.staff_account_id,
    environment: staffEnvironment,
    organizationId: row.staff_organization_id,
    sessionId: row.id,
    at,
  })
}

function toStaff(row: StaffRow): Staff {
  return {
    organization: {
      accountId: row.account_id,
      accountDomain: row.account_domain,
      staffAccountId: row.staff_account_id,
      organizationId: row.staff_organization_id,
      domain: row.domain,
      applicationId: row.staff_application_id,
    },
    user: {
      id: row.user_id,
      email: row.email,
      name: fullNameOf(row),
      locale: row.locale,
      zoneinfo: row.zoneinfo,
    },
    roles: staffRoles.filter((role) => row.roles.some(({ name }) => name === role)),
    session: { id: row.id, amr: row.amr, authenticatedAt: row.authenticated_at },
  }
}
