import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { consoleAccountDomain } from '../../platform/console-account.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { isOrganizationOf, ofEnvironment, ofOrganization } from '../../platform/db/tenant-predicate.js'
import { causeBy, operatorCaller, type Cause, type Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { createApplication } from '../../directory/applications/applications.js'
import { organizationsOfStaff } from '../../directory/invitations/account-of-staff.js'
import { updateOrganizationPolicy } from '../../directory/organization-policy/organization-policy.js'
import { createOrganization } from '../../directory/organizations/organizations.js'
import { createPasswordConnection } from '../../sign-in/password/connection.js'
import { updateTotpConnection } from '../../sign-in/totp/connection.js'
import { prepareAccount, type PreparedAccount } from '../accounts/accounts.js'
import { ensureConsoleAccount } from './console-account.js'

/** Staff sign in to production, whichever environment of the account they look at. */
export const staffEnvironment = 'production'

/** The organization of the reserved account whose users are the staff of an account. */
export interface StaffOrganization {
  /** Of the customer of the service. */
  readonly accountId: string
  readonly accountDomain: string
  readonly staffAccountId: string
  readonly organizationId: string
  /** Of the organization. It is not made of the account's: a customer may have had the name before. */
  readonly domain: string
  /** The application by which the pages of the console sign in. */
  readonly applicationId: string
}

/** The same as it was read. */
interface FoundStaffOrganization extends StaffOrganization {
  /** Of the application. */
  readonly redirectUrls: readonly string[]
}

/** The address at which every sign-in to the console ends. */
export function signedInUrl(baseUrl: string): string {
  return `${baseUrl}/console/signed-in`
}

/** The tenant that has the staff as its users. */
export function staffTenant(staff: StaffOrganization, cause: Cause): Tenant {
  return {
    accountId: staff.staffAccountId,
    accountDomain: consoleAccountDomain,
    environment: staffEnvironment,
    domain: staff.domain,
    organizationIds: [staff.organizationId],
    cause,
  }
}

/**
 * The staff organization of an account, made where it is missing, with the reserved account. Its sign-ins end at the address
 * that the service has now.
 *
 * @throws Error With a sentence for the operator when it is the reserved account, or none.
 */
export async function ensureStaffOrganization(deps: Deps, accountId: string): Promise<StaffOrganization> {
  const known = await findStaffOrganization(deps, accountId)
  const staff = known ?? (await makeStaffOrganization(deps, accountId))
  await keepSignedInUrl(deps, staff)
  return staff
}

/** Undefined while the account has no staff. */
export async function findStaffOrganization(
  { db }: Pick<Deps, 'db'>,
  accountId: string,
): Promise<FoundStaffOrganization | undefined> {
  const [row] = await selectByAccount(db, { accountId })
  return row && toStaffOrganization(row)
}

/** The same of an account that an address of the console names. */
export async function findStaffOrganizationOf(
  { db }: Pick<Deps, 'db'>,
  accountDomain: string,
): Promise<FoundStaffOrganization | undefined> {
  const [row] = await selectByDomain(db, { accountDomain })
  return row && toStaffOrganization(row)
}

/** The same by the domain of the staff organization, as its issuer names it. */
export async function findConsoleOfStaff(
  { db }: Pick<Deps, 'db'>,
  domain: string,
): Promise<StaffOrganization | undefined> {
  const [row] = await selectByStaffDomain(db, { domain })
  return row && toStaffOrganization(row)
}

const selectByAccount = lookup((db, key: { readonly accountId: string }) =>
  staffOrganizations(db).where('staff.account_id', '=', key.accountId),
)

const selectByDomain = lookup((db, key: { readonly accountDomain: string }) =>
  staffOrganizations(db).where('accounts.domain', '=', key.accountDomain),
)

const selectByStaffDomain = lookup((db, key: { readonly domain: string }) =>
  staffOrganizations(db).where('organizations.domain', '=', key.domain),
)

function staffOrganizations(db: Kysely<DB>) {
  return organizationsOfStaff(db)
    .innerJoin('applications', (join) =>
      join
        .on(isOrganizationOf('organizations', 'applications'))
        .on('applications.environment', '=', staffEnvironment)
        .onRef('applications.id', '=', 'staff.staff_application_id'),
    )
    .where('organizations.deleted_at', 'is', null)
    .select([
      'staff.account_id',
      'accounts.domain as account_domain',
      'staff.staff_account_id',
      'staff.staff_organization_id',
      'organizations.domain',
      'staff.staff_application_id',
      'applications.allowed_redirect_urls',
    ])
}

function toStaffOrganization(
  row: Awaited<ReturnType<typeof selectByAccount>>[number],
): FoundStaffOrganization {
  return {
    accountId: row.account_id,
    accountDomain: row.account_domain,
    staffAccountId: row.staff_account_id,
    organizationId: row.staff_organization_id,
    domain: row.domain,
    applicationId: row.staff_application_id,
    redirectUrls: row.allowed_redirect_urls,
  }
}

async function makeStaffOrganization(deps: Deps, accountId: string): Promise<FoundStaffOrganization> {
  const prepared = await prepareAccount()
  const cause = causeBy(newId(), 'system', 'console')
  const { record } = await change(deps, cause, async (trx) => {
    const account = await lockCustomer(trx, accountId)
    const known = await findStaffOrganization({ db: trx }, accountId)
    return { record: known ?? (await insertStaffOrganization(deps, trx, { account, prepared, cause })) }
  })
  return record
}

/** Locked, so that of several who find no staff organization one makes it. */
async function lockCustomer(trx: Transaction<DB>, accountId: string) {
  const account = await trx
    .selectFrom('accounts')
    .where('id', '=', accountId)
    .where('domain', '<>', consoleAccountDomain)
    .select(['id', 'domain'])
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (account !== undefined) return account
  throw new Error(
    `The account ${consoleAccountDomain} has the staff of the other accounts, and none of its own: name one of those.`,
  )
}

interface Founding {
  readonly account: { readonly id: string; readonly domain: string }
  readonly prepared: PreparedAccount
  readonly cause: Cause
}

async function insertStaffOrganization(
  deps: Deps,
  trx: Transaction<DB>,
  { account, prepared, cause }: Founding,
): Promise<FoundStaffOrganization> {
  const within = { ...deps, db: trx }
  const staffAccountId = await ensureConsoleAccount(deps, trx, prepared, cause)
  const caller = operatorCaller({ id: staffAccountId, domain: consoleAccountDomain }, staffEnvironment, cause)
  // Its domain is made of the name.
  const { record } = await createOrganization(within, caller, { name: `${account.domain} staff` })
  const tenant = { ...caller, domain: record.domain }
  await settleSignIn(within, tenant)
  const { client_id: applicationId } = await createConsoleApplication(within, tenant)
  await trx
    .insertInto('staff_organizations')
    .values({
      account_id: account.id,
      staff_account_id: staffAccountId,
      staff_organization_id: record.id,
      staff_application_id: applicationId,
      inserted_at: deps.now(),
    })
    .execute()
  return {
    accountId: account.id,
    accountDomain: account.domain,
    staffAccountId,
    organizationId: record.id,
    domain: record.domain,
    applicationId,
    redirectUrls: [],
  }
}

/** How staff sign in. Links, which each organization has from its creation on, create nobody. */
async function settleSignIn(within: Deps, tenant: Tenant): Promise<void> {
  await createPasswordConnection(within, tenant, {
    plain_text_min_length: 12,
    plain_text_max_length: 128,
    pepper_rotation_period: 86_400,
    active: true,
  })
  await updateTotpConnection(within, tenant, { active: true }, undefined)
  const sessions = { session_lifetime_in_seconds: 8 * 60 * 60, session_idle_in_seconds: 60 * 60 }
  await updateOrganizationPolicy(within, tenant, sessions, undefined)
}

/** No code of it is exchanged: that would take an API key of the account, which has none. */
async function createConsoleApplication(within: Deps, tenant: Tenant) {
  const { record } = await createApplication(within, tenant, {
    name: 'Console',
    application_type: 'web',
    allowed_redirect_urls: [],
    allowed_origins_cors: [],
    allowed_logout_urls: [],
    organization_domain_scope: tenant.domain,
    code_exchange: 'api_key',
  })
  return record
}

/** The service's own address, which may be on this machine: none of the rules for those of customers is about it. */
export async function keepSignedInUrl(
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  { staffAccountId, organizationId, applicationId, redirectUrls }: FoundStaffOrganization,
): Promise<void> {
  const url = signedInUrl(config.baseUrl)
  // Each sign-in comes here, and the service moves once in years.
  if (redirectUrls.length === 1 && redirectUrls[0] === url) return
  await db
    .updateTable('applications')
    .set({
      allowed_redirect_urls: sql<string[]>`array[${url}]::text[]`,
      default_redirect_uri_after_login: url,
      updated_at: now(),
      version: sql`version + 1`,
    })
    .where(ofEnvironment({ accountId: staffAccountId, environment: staffEnvironment }))
    .where(ofOrganization({ accountId: staffAccountId, organizationId }))
    .where('id', '=', applicationId)
    .where(sql<boolean>`allowed_redirect_urls is distinct from array[${url}]::text[]`)
    .execute()
}
