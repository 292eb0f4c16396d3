import {
  organizationColors,
  organizationOrders,
  type DeletedOrganization,
  type NewOrganization,
  type Organization,
  type OrganizationChanges,
  type OrganizationQuery,
} from '@portico/contract/organizations'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { containing } from '../../platform/db/containing.js'
import { emptyPage, orderOf, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { countRows, totalInAccount } from '../../platform/db/totals.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { isOfVersion } from '../../platform/db/versions.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { eraseStoredAnswers } from '../../delivery/events/idempotency.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { endImpersonatedSessions } from '../end-sessions.js'
import { declareDomains } from '../domains/declare.js'
import { createMagicLinkConnection } from '../new-magic-link-connection.js'
import { environments } from '@portico/contract/fields'
import { insertSigningKeys, prepareSigningKeys } from '../../tokens/signing-keys/signing-keys.js'
import { enqueueKeysOfOrganization } from '../../tokens/signing-keys/prepare.js'
import { normalizeEmail } from '../../platform/email.js'
import { mayReadUsers, type Caller, type Tenant } from '../../platform/tenant.js'
import { createPasskeyConnection } from '../new-passkey-connection.js'
import { createTotpConnection } from '../new-totp-connection.js'
import { completeAddress } from './address.js'
import { claimDomain } from './domain.js'
import { isProductionUp } from './production.js'
import { organizationColumns, toDeletedOrganization, toOrganization, type OrganizationRow } from './record.js'

/** The maximum of organizations per plan; plans that are not listed have no limit. */
const planLimits: Record<string, number> = { free: 1 }

/**
 * Creates an organization with its domain, its signing keys and its connections, in both environments.
 *
 * @throws ApiError `plan_limit_reached`
 */
export async function createOrganization(
  deps: Deps,
  caller: Caller,
  input: NewOrganization,
): Promise<Changed<Organization>> {
  const { name, autocomplete_address, color, ...members } = input
  const id = newId()
  const signingKeys = await prepareSigningKeys(caller.accountId, id)
  return change(deps, caller.cause, async (trx) => {
    await checkPlan(trx, caller.accountId)
    const at = deps.now()
    const values = {
      ...completeAddress(autocomplete_address),
      ...members,
      account_id: caller.accountId,
      id,
      domain: await claimDomain(deps, trx, name),
      name,
      color: color ?? colorOf(id),
      inserted_at: at,
      updated_at: at,
    }
    const row = await trx
      .with('created', (db) =>
        db
          .insertInto('organizations')
          .values(values)
          .returning(['organizations.account_id', ...organizationColumns]),
      )
      .selectFrom('created as organizations')
      .select([...organizationColumns, isProductionUp().as('is_production_up')])
      .executeTakeFirstOrThrow()
    await insertSigningKeys(deps, trx, signingKeys)
    for (const environment of environments) {
      const owner = { accountId: caller.accountId, environment, organizationId: id }
      await createMagicLinkConnection(deps, trx, owner)
      await createTotpConnection(deps, trx, owner)
      await createPasskeyConnection(deps, trx, owner)
      await enqueueKeysOfOrganization(deps, trx, owner)
      const place = { ...owner, domain: row.domain, cause: caller.cause }
      await declareDomains(deps, trx, place, row.allowed_email_domains ?? [])
    }
    const created = toChanged(row, caller)
    const scope = { ...caller, domain: row.domain }
    return emit(deps, trx, scope, { code: 'organization.organization.create.success', ...created })
  })
}

/**
 * The organizations of the account that the key may see. A filter that can match nothing gives an empty list.
 *
 * @throws ApiError `insufficient_scope` for a member_email that the key may not look for.
 */
export async function listOrganizations(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  query: OrganizationQuery,
): Promise<Page<Organization>> {
  const { filter, member_email: memberEmail } = query
  if (memberEmail !== undefined && !mayReadUsers(caller))
    throw new ApiError('insufficient_scope', { message: 'The API key lacks the scope read:users.' })
  const statuses = query.q?.environments_status_in
  if (filter === null || statuses === null || memberEmail === null) return emptyPage(query)
  const all = organizationsOf(readDb, caller)
  const filtered = filterOrganizations(all, filter, statuses).$if(memberEmail !== undefined, (members) =>
    members.where(hasMember(caller, memberEmail ?? '')),
  )
  const isUnfiltered = filter === undefined && statuses === undefined && memberEmail === undefined
  const isWhole = isUnfiltered && caller.organizationIds === null

  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: orderOf(query.sort, organizationOrders),
      keys: filtered,
      table: 'organizations',
      rows: organizationsOf(readDb, caller).select([
        ...organizationColumns,
        isProductionUp().as('is_production_up'),
      ]),
      total: () =>
        isWhole
          ? totalInAccount(readDb, 'organizations', { accountId: caller.accountId, environment: '' })
          : countRows(filtered),
    },
    (row) => toOrganization(row, caller.accountDomain),
  )
}

/**
 * An organization, or the remaining record of a deleted one.
 *
 * @throws ApiError `organization_not_found`
 */
export async function getOrganization(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
): Promise<Changed<Organization | DeletedOrganization>> {
  const row = await seenBy(db, tenant)
    .where('domain', '=', tenant.domain)
    .select([...organizationColumns, isProductionUp().as('is_production_up')])
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('organization_not_found')
  if (row.deleted_at !== null) return { record: toDeletedOrganization(row) }
  return toChanged(row, tenant)
}

/**
 * Changes an organization; its domain stays.
 *
 * @throws ApiError `organization_not_found`, `precondition_failed`, and `production_is_up` when a sandbox key would
 *   change who may sign in to production, as a user or for one.
 */
export function updateOrganization(
  deps: Deps,
  tenant: Tenant,
  input: OrganizationChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<Organization>> {
  const { autocomplete_address, ...members } = input
  const { allowed_email_domains: domains, impersonation } = input
  const decidesOnUsers = domains !== undefined || impersonation !== undefined
  const isGuarded = decidesOnUsers && tenant.environment === 'sandbox'
  return change(deps, tenant.cause, async (trx) => {
    const row = await trx
      .updateTable('organizations')
      .set({
        ...completeAddress(autocomplete_address),
        ...members,
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(isVisible(tenant))
      .where('deleted_at', 'is', null)
      .where('domain', '=', tenant.domain)
      .where(isOfVersion(versions))
      .$if(isGuarded, (update) => update.where(isProductionUp(), '=', false))
      .returning([...organizationColumns, isProductionUp().as('is_production_up')])
      .executeTakeFirst()
    if (row === undefined) throw await whyOrganizationUnchanged(trx, tenant, versions)
    for (const environment of environments) {
      const place = { ...tenant, environment, organizationId: row.id }
      await declareDomains(deps, trx, place, domains ?? [])
    }
    if (impersonation === 'refused')
      await endImpersonatedSessions(deps, trx, { accountId: tenant.accountId, organizationId: row.id })
    const updated = toChanged(row, tenant)
    return emit(deps, trx, tenant, { code: 'organization.organization.update.success', ...updated })
  })
}

/**
 * Deletes an organization: from this moment no statement finds anything under it. The purge erases its rows.
 *
 * @throws ApiError `organization_not_found`, `precondition_failed`, and `production_is_up` for a sandbox key.
 */
export function deleteOrganization(
  deps: Deps,
  tenant: Tenant,
  versions: readonly number[] | undefined,
): Promise<Changed<Organization>> {
  return change(deps, tenant.cause, async (trx) => {
    const row = await trx
      .updateTable('organizations')
      .set({ deleted_at: deps.now(), version: sql`version + 1` })
      .where(isVisible(tenant))
      .where('deleted_at', 'is', null)
      .where('domain', '=', tenant.domain)
      .where(isOfVersion(versions))
      .$if(tenant.environment === 'sandbox', (update) => update.where(isProductionUp(), '=', false))
      .returning([...organizationColumns, isProductionUp().as('is_production_up')])
      .executeTakeFirst()
    if (row === undefined) throw await whyOrganizationUnchanged(trx, tenant, versions)
    await eraseStoredAnswers(trx, tenant, { organizationId: row.id })
    // By a job, because there may be many; no statement finds them any more.
    await enqueue(deps, trx, {
      name: 'end_organization_sessions',
      payload: { accountId: tenant.accountId, organizationId: row.id },
      key: row.id,
      accountId: tenant.accountId,
    })
    const deleted = toChanged(row, tenant)
    return emit(deps, trx, tenant, { code: 'organization.organization.delete.success', ...deleted })
  })
}

/** The organizations that a key may see, deleted ones included: those of its account, or those it is limited to. */
function seenBy(db: Kysely<DB>, caller: Pick<Caller, 'accountId' | 'organizationIds'>) {
  return db.selectFrom('organizations').where(isVisible(caller))
}

function isVisible({ accountId, organizationIds }: Pick<Caller, 'accountId' | 'organizationIds'>) {
  return sql<boolean>`organizations.account_id = ${accountId}
    and (${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))`
}

function organizationsOf(db: Kysely<DB>, caller: Caller) {
  return seenBy(db, caller).where('organizations.deleted_at', 'is', null)
}

function filterOrganizations(
  organizations: ReturnType<typeof organizationsOf>,
  filter: string | undefined,
  statuses: readonly string[] | undefined,
) {
  const pattern = containing(filter ?? '')
  return organizations
    .$if(filter !== undefined, (query) =>
      query.where(({ or, eb }) =>
        or([eb('organizations.name', 'ilike', pattern), eb('organizations.domain', 'ilike', pattern)]),
      ),
    )
    .$if(statuses !== undefined, (query) => query.where(hasEnvironmentIn(statuses)))
}

/** By the index of addresses, so that it does not look into each organization. */
function hasMember({ accountId, environment }: Caller, email: string) {
  return sql<boolean>`organizations.id in (
    select users.organization_id from users
    where ${ofEnvironment({ accountId, environment }, 'users')}
      and users.email_normalized = ${normalizeEmail(email)}
      and users.deleted_at is null
  )`
}

/** Every organization has an environment that is up: its sandbox. */
function hasEnvironmentIn(statuses: readonly string[] = []) {
  if (statuses.includes('up')) return sql<boolean>`true`
  return statuses.includes('down') ? sql<boolean>`not ${isProductionUp()}` : sql<boolean>`false`
}

async function checkPlan(trx: Transaction<DB>, accountId: string): Promise<void> {
  // The lock makes concurrent creations of one account wait, so that the count still holds at the insert. A plan
  // without a limit locks nothing.
  const account = await trx
    .selectFrom('accounts')
    .where('id', '=', accountId)
    .where('plan', 'in', Object.keys(planLimits))
    .select('plan')
    .forNoKeyUpdate()
    .executeTakeFirst()
  const limit = account === undefined ? undefined : planLimits[account.plan]
  if (limit === undefined) return
  const count = await totalInAccount(trx, 'organizations', { accountId, environment: '' })
  if (count >= limit) throw new ApiError('plan_limit_reached')
}

function colorOf(id: string): string {
  const sum = [...id].reduce((total, character) => total + character.charCodeAt(0), 0)
  return organizationColors[sum % organizationColors.length] ?? organizationColors[0]
}

async function whyOrganizationUnchanged(
  db: Kysely<DB>,
  tenant: Tenant,
  versions: readonly number[] | undefined,
): Promise<ApiError> {
  const row = await seenBy(db, tenant)
    .where('domain', '=', tenant.domain)
    .where('deleted_at', 'is', null)
    .select('version')
    .executeTakeFirst()
  if (row === undefined) return new ApiError('organization_not_found')
  if (versions !== undefined && !versions.includes(row.version)) return new ApiError('precondition_failed')
  return new ApiError('production_is_up')
}

function toChanged(row: OrganizationRow, { accountDomain }: Pick<Caller, 'accountDomain'>) {
  return { record: toOrganization(row, accountDomain), version: row.version, organizationId: row.id }
}
