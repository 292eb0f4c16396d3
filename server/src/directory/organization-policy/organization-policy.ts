import {
  secondFactorGraceDays,
  sessionIdleSeconds,
  sessionLifetimeSeconds,
  type OrganizationPolicy,
  type OrganizationPolicyChanges,
  type SecondFactorRule,
} from '@portico/contract/organization-policy'
import type { Scope } from '@portico/contract/access'
import { sql, type Transaction, type Updateable } from 'kysely'
import type { DB, OrganizationPolicies } from '../../platform/db/schema.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import { lookup } from '../../platform/db/statement.js'
import {
  isOrganizationOf,
  ofTenant,
  sameEnvironment,
  tenantColumns,
} from '../../platform/db/tenant-predicate.js'
import { isOfVersion } from '../../platform/db/versions.js'
import { organizationExists, organizationIdOf } from '../../platform/db/organization-id.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { isCheckViolation } from '../../platform/db/violations.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { checkMayChange, getRoleIds } from '../role-ids.js'
import { toOrganizationPolicy, type PolicyRow } from './record.js'

type PolicyKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** The policy of an organization that has never changed it: nothing is demanded. */
const defaults = {
  seats_limit: 0,
  join_by_domain: 'off',
  second_factor: 'optional',
  second_factor_grace_days: secondFactorGraceDays.default,
  session_lifetime_in_seconds: sessionLifetimeSeconds.default,
  session_idle_in_seconds: sessionIdleSeconds.default,
  self_service: true,
  self_deletion: 'none',
  version: 1,
}

/**
 * The policy of the organization in the tenant's environment.
 *
 * @throws ApiError `organization_not_found`
 */
export async function getOrganizationPolicy(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
): Promise<Changed<OrganizationPolicy>> {
  const [row] = await selectPolicy(db, tenant)
  if (row === undefined) throw new ApiError('organization_not_found')
  const { organization_id: organizationId, inserted_at, updated_at } = row
  const policy = {
    seats_limit: row.seats_limit ?? defaults.seats_limit,
    join_by_domain: row.join_by_domain ?? defaults.join_by_domain,
    join_roles: row.join_roles,
    second_factor: row.second_factor ?? defaults.second_factor,
    second_factor_grace_days: row.second_factor_grace_days ?? defaults.second_factor_grace_days,
    session_lifetime_in_seconds: row.session_lifetime_in_seconds ?? defaults.session_lifetime_in_seconds,
    session_idle_in_seconds: row.session_idle_in_seconds ?? defaults.session_idle_in_seconds,
    self_service: row.self_service ?? defaults.self_service,
    self_deletion: row.self_deletion ?? defaults.self_deletion,
    version: row.version ?? defaults.version,
    updated_at: updated_at ?? inserted_at,
    inserted_at,
  }
  return toChanged(policy, tenant, organizationId)
}

const selectPolicy = lookup((db, tenant: PolicyKey) =>
  db
    .selectFrom('organizations')
    .leftJoin('organization_policies as policy', (join) =>
      join.on(isOrganizationOf('organizations', 'policy')).on('policy.environment', '=', tenant.environment),
    )
    .where('organizations.account_id', '=', tenant.accountId)
    .where('organizations.id', '=', organizationIdOf(tenant))
    .select([
      'organizations.id as organization_id',
      'organizations.inserted_at',
      'policy.seats_limit',
      'policy.join_by_domain',
      joinRoles().as('join_roles'),
      'policy.second_factor',
      'policy.second_factor_grace_days',
      'policy.session_lifetime_in_seconds',
      'policy.session_idle_in_seconds',
      'policy.self_service',
      'policy.self_deletion',
      'policy.version',
      'policy.updated_at',
    ]),
)

/** The names of the roles that are there still. */
function joinRoles() {
  return sql<string[]>`array(
    select roles.name from roles
    where ${sameEnvironment('roles', 'policy')} and roles.id = any(policy.join_role_ids)
    order by roles.name collate "C"
  )`
}

function toChanged(row: PolicyRow, tenant: Tenant, organizationId: string): Changed<OrganizationPolicy> {
  return { record: toOrganizationPolicy(row, tenant), version: row.version, organizationId }
}

/**
 * Changes the given members. Users who are there stay, also where there are more than seats.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `precondition_failed`, and `invalid_parameters` for roles that are not there, for
 *   sessions that would outlive their lifetime without use, and for a second factor that is switched off.
 */
export function updateOrganizationPolicy(
  deps: Deps,
  tenant: Tenant,
  { join_roles: joinRoleNames, ...input }: OrganizationPolicyChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<OrganizationPolicy>> {
  return change(deps, tenant.cause, async (trx) => {
    await insertDefaults(deps, trx, tenant)
    const columns: Updateable<OrganizationPolicies> =
      joinRoleNames === undefined
        ? input
        : { ...input, join_role_ids: [...(await getRoleIds(trx, tenant, joinRoleNames, 'join_roles'))] }
    const changed = await trx
      .updateTable('organization_policies')
      .set({
        ...columns,
        ...(input.second_factor !== undefined && {
          second_factor_required_at: requiredSince(input.second_factor, deps.now()),
        }),
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(ofTenant(tenant))
      .where(isOfVersion(versions))
      .returning('version')
      .executeTakeFirst()
      .catch((error: unknown) => refuseLongIdle(error, input))
    if (changed === undefined)
      throw new ApiError(
        (await organizationExists(trx, tenant)) ? 'precondition_failed' : 'organization_not_found',
      )
    if (input.second_factor === 'required') await checkSecondFactor(deps, trx, tenant)
    const policy = await getOrganizationPolicy({ db: trx }, tenant)
    return emit(deps, trx, tenant, { code: 'organization.policy.update.success', ...policy })
  })
}

/** The time of the switch, which a second request for the same does not move. */
function requiredSince(rule: SecondFactorRule, at: Date) {
  return rule === 'optional' ? null : sql<Date>`coalesce(second_factor_required_at, ${at}::timestamptz)`
}

/** Locks the settings of the second factor, so that they are not switched off at the same time. */
async function checkSecondFactor(
  deps: Pick<Deps, 'config'>,
  trx: Transaction<DB>,
  tenant: PolicyKey,
): Promise<void> {
  const hasCodes = await isOffered(trx, tenant, 'totp_connections')
  const hasPasskeys = await isOffered(trx, tenant, 'passkey_connections')
  if (!hasCodes && !(hasPasskeys && deps.config.passkeyRpId !== undefined))
    throw invalid(
      'second_factor',
      'not_available',
      'must be optional: the TOTP connection and passkeys are switched off',
    )
}

async function isOffered(
  trx: Transaction<DB>,
  tenant: PolicyKey,
  connections: 'totp_connections' | 'passkey_connections',
): Promise<boolean> {
  const connection = await trx
    .selectFrom(connections)
    .where(ofTenant(tenant))
    .select('active')
    .forShare()
    .executeTakeFirst()
  return connection?.active === true
}

/**
 * Keeps the last second factor of an organization on whose policy demands one. Called after the update that switches one off, whose
 * lock a policy that begins to demand it waits for, and of two that switch off one each the second.
 *
 * @throws ApiError `invalid_parameters`
 */
export async function checkSecondFactorLeft(
  deps: Pick<Deps, 'config'>,
  trx: Transaction<DB>,
  tenant: PolicyKey,
): Promise<void> {
  if (!(await isSecondFactorRequired(trx, tenant))) return
  await checkSecondFactor(deps, trx, tenant).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    throw invalid('active', 'required_by_policy', 'must be true: the policy of the organization demands it')
  })
}

async function isSecondFactorRequired(trx: Transaction<DB>, tenant: PolicyKey): Promise<boolean> {
  const policy = await trx
    .selectFrom('organization_policies')
    .where(ofTenant(tenant))
    .where('second_factor', '=', 'required')
    .select('version')
    .executeTakeFirst()
  return policy !== undefined
}

function refuseLongIdle(error: unknown, input: OrganizationPolicyChanges): never {
  if (!isCheckViolation(error, 'organization_policies_session_idle_check')) throw error
  if (input.session_idle_in_seconds === undefined)
    throw invalid('session_lifetime_in_seconds', 'too_small', 'must be at least session_idle_in_seconds')
  throw invalid('session_idle_in_seconds', 'too_big', 'must be at most session_lifetime_in_seconds')
}

/**
 * The same by an API key, which needs the scopes of what the policy is about, besides: a key that invites people must not switch
 * off their second factor.
 *
 * @throws ApiError `insufficient_scope`, and as updateOrganizationPolicy()
 */
export function updatePolicyAs(
  deps: Deps,
  caller: Caller & Tenant,
  input: OrganizationPolicyChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<OrganizationPolicy>> {
  checkMayChange(caller, input.join_roles)
  const { second_factor: rule, second_factor_grace_days: days } = input
  const { session_lifetime_in_seconds: lifetime, session_idle_in_seconds: idle } = input
  if (rule !== undefined || days !== undefined) checkScope(caller, 'write:totp', 'the second factor')
  if (lifetime !== undefined || idle !== undefined) checkScope(caller, 'write:sessions', 'sessions')
  return updateOrganizationPolicy(deps, caller, input, versions)
}

function checkScope({ scopes }: Caller, scope: Scope, what: string): void {
  if (!scopes.includes(scope))
    throw new ApiError('insufficient_scope', {
      message: `The API key lacks the scope ${scope}, which the policy of ${what} requires.`,
    })
}

/** Writes the policy that the organization has without a row, so that one update decides about its version. */
async function insertDefaults(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: PolicyKey,
): Promise<void> {
  const row = { ...tenantColumns(tenant), ...defaults, updated_at: now() }
  await insertFrom(trx, 'organization_policies', row, sql`where ${organizationIdOf(tenant)} is not null`)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
