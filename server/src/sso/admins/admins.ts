import type { Admin, NewAdmin } from '@portico/contract/admins'
import { environments, type Environment, type PageQuery } from '@portico/contract/fields'
import type { Organization } from '@portico/contract/organizations'
import { sql, type Kysely, type Transaction } from 'kysely'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { mails } from '../../delivery/mail/mail-limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { getOrganization } from '../../directory/organizations/organizations.js'
import type { Cause, Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { adminColumns } from '../invitations/admin-moments.js'
import { eraseAdmin } from './erase-admin.js'
import { upsertInvitedAdmin } from '../invitations/invited-admin.js'
import { insertAdminLink } from '../invitations/links.js'
import { toAdmin, type AdminRow } from './record.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'

/**
 * Invites an administrator, by a mail with a link, to set up the SSO connections of an organization. An invitation from
 * production covers both environments; one from the sandbox covers only the sandbox, as any key of the sandbox can read its
 * mails. A repeated invitation ends the previous link of the same environment.
 *
 * @throws ApiError `organization_not_found`, and `rate_limited` when the address has been sent enough mails.
 */
export async function inviteAdmin(deps: Deps, tenant: Tenant, { email }: NewAdmin): Promise<Changed<Admin>> {
  const { id: organizationId } = await organizationOf(deps.db, tenant)
  const limit = await deps.limits.take(mails, { ...tenant, address: normalizeEmail(email) })
  return change(deps, tenant.cause, async (trx) => {
    const { accountId, environment } = tenant
    const adminId = await upsertInvitedAdmin(deps, trx, { accountId, organizationId, environment }, email)
    await insertAdminLink(deps, trx, { accountId, organizationId, adminId, environment, connectionId: null })
    const row = await adminsOf(trx, tenant)
      .where('sso_admins.id', '=', adminId)
      .select(adminColumns(tenant.environment))
      .executeTakeFirst()
    // The organization was deleted concurrently.
    if (row === undefined) throw new ApiError('organization_not_found')
    await logEvent(deps, trx, {
      ...tenant,
      organizationId,
      code: 'ADMIN_ONBOARDING_INVITED',
      email,
    })
    return { ...(await emitAdmin(deps, trx, tenant, 'admin.admin.invite.success', row)), limit }
  })
}

/**
 * The administrators of an organization, newest first.
 *
 * @throws ApiError `organization_not_found`
 */
export async function listAdmins(
  { readDb }: Pick<Deps, 'readDb'>,
  tenant: Tenant,
  query: PageQuery,
): Promise<Page<Admin>> {
  const organization = await organizationOf(readDb, tenant)
  return readPage(
    {
      db: readDb,
      query,
      environment: tenant.environment,
      order: newestFirst,
      keys: adminsOf(readDb, tenant),
      table: 'sso_admins',
      rows: adminsOf(readDb, tenant).select(adminColumns(tenant.environment)),
    },
    (row) => toAdmin(row, organization),
  )
}

/**
 * Removes an administrator, with their links and sessions, and erases their address elsewhere.
 *
 * @throws ApiError `organization_not_found`, `admin_not_found`, and `production_is_up` when a sandbox key would remove an
 *   administrator whom production has invited.
 */
export function deleteAdmin(deps: Deps, tenant: Tenant, email: string): Promise<Changed<Admin>> {
  return change(deps, tenant.cause, async (trx) => {
    const row = await trx
      .deleteFrom('sso_admins')
      .where(ofOrganization({ accountId: tenant.accountId, organizationId: organizationIdOf(tenant) }))
      .where('email_normalized', '=', normalizeEmail(email))
      .where(sql<boolean>`(${tenant.environment} = 'production' or not is_of_production)`)
      .returning(adminColumns(tenant.environment))
      .executeTakeFirst()
    const organization = await organizationOf(trx, tenant)
    if (row === undefined) throw await whyKept(trx, tenant, email)
    // The parameters of the request contain the address that is erased.
    const unnamed = { ...tenant, cause: { ...tenant.cause, params: () => ({}) } }
    await eraseAdmin(deps, trx, {
      ...unnamed,
      organizationId: organization.id,
      adminId: row.id,
      email: normalizeEmail(row.email),
      environments: tenant.environment === 'production' ? environments : [tenant.environment],
    })
    await emit(deps, trx, unnamed, {
      code: 'admin.admin.delete.success',
      record: { __type__: 'Admin', __domain__: organization.domain, id: row.id, deleted: true },
      organizationId: organization.id,
    })
    return { record: toAdmin(row, organization), organizationId: organization.id }
  })
}

async function whyKept(trx: Transaction<DB>, tenant: Tenant, email: string): Promise<ApiError> {
  const row = await adminsOf(trx, tenant)
    .where('email_normalized', '=', normalizeEmail(email))
    .select('id')
    .executeTakeFirst()
  if (row === undefined) return new ApiError('admin_not_found')
  return new ApiError('production_is_up', {
    message: 'The administrator was invited from production and cannot be removed with a sandbox key.',
  })
}

/** Every read of administrators starts here, so that no query can forget its tenant. */
function adminsOf(db: Kysely<DB>, tenant: Tenant) {
  return db
    .selectFrom('sso_admins')
    .where(
      ofOrganization({ accountId: tenant.accountId, organizationId: organizationIdOf(tenant) }, 'sso_admins'),
    )
}

/** @throws ApiError `organization_not_found` also for one that is deleted. */
async function organizationOf(db: Kysely<DB>, tenant: Tenant): Promise<Organization> {
  const { record } = await getOrganization({ db }, tenant)
  if ('deleted' in record) throw new ApiError('organization_not_found')
  return record
}

/** An administrator who uses the onboarding pages. */
interface AdminAtPages {
  readonly accountId: string
  readonly environment: Environment
  /** Of the organization. */
  readonly domain: string
  readonly adminId: string
}

/** Emits the event of an administrator who accepts or declines, in the same transaction. */
export async function emitAdminUpdate(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { adminId, ...organization }: AdminAtPages,
  cause: Cause,
): Promise<void> {
  const { domain: accountDomain } = await trx
    .selectFrom('accounts')
    .where('id', '=', organization.accountId)
    .select('domain')
    .executeTakeFirstOrThrow()
  const tenant = { ...organization, accountDomain, organizationIds: null, cause }
  const row = await adminsOf(trx, tenant)
    .where('sso_admins.id', '=', adminId)
    .select(adminColumns(tenant.environment))
    .executeTakeFirstOrThrow()
  await emitAdmin(deps, trx, tenant, 'admin.admin.update.success', row)
}

/** Emits an event with the administrator as the change leaves them. */
async function emitAdmin(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  code: `admin.admin.${'invite' | 'update'}.success`,
  row: AdminRow,
): Promise<Changed<Admin>> {
  const organization = await organizationOf(trx, tenant)
  const emission = {
    code,
    record: toAdmin(row, organization),
    organizationId: organization.id,
    email: row.email,
  }
  return { ...(await emit(deps, trx, tenant, emission)), subjectId: row.id }
}
