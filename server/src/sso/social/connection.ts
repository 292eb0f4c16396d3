import type { FieldError } from '@portico/contract/errors'
import type { SocialConnection, SocialConnectionChanges } from '@portico/contract/social-connection'
import { sql, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import { organizationExists, organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import {
  isOrganizationOf,
  ofEnvironment,
  ofTenant,
  tenantColumns,
} from '../../platform/db/tenant-predicate.js'
import { isOfVersion } from '../../platform/db/versions.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { lockAccountOf } from './providers.js'
import { toSocialConnection, type SocialConnectionRow } from './record.js'

type ConnectionKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>

/** The social sign-in of an organization that has never changed it: none. */
const defaults = { active: false, providers: null, allow_sign_up: false, version: 1 }

/**
 * The social sign-in of the organization in the tenant's environment.
 *
 * @throws ApiError `organization_not_found`
 */
export async function getSocialConnection(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
): Promise<Changed<SocialConnection>> {
  const [row] = await selectConnection(db, tenant)
  if (row === undefined) throw new ApiError('organization_not_found')
  const { organization_id: organizationId, inserted_at, updated_at, version } = row
  const connection: SocialConnectionRow = {
    active: row.active ?? defaults.active,
    providers: row.providers,
    allow_sign_up: row.allow_sign_up ?? defaults.allow_sign_up,
    version: version ?? defaults.version,
    updated_at: updated_at ?? inserted_at,
    inserted_at,
  }
  const record = toSocialConnection(connection, tenant)
  return { record, version: connection.version, organizationId }
}

const selectConnection = lookup((db, tenant: ConnectionKey) =>
  db
    .selectFrom('organizations')
    .leftJoin('social_connections as social', (join) =>
      join.on(isOrganizationOf('organizations', 'social')).on('social.environment', '=', tenant.environment),
    )
    .where('organizations.account_id', '=', tenant.accountId)
    .where('organizations.id', '=', organizationIdOf(tenant))
    .select([
      'organizations.id as organization_id',
      'organizations.inserted_at',
      'social.active',
      'social.providers',
      'social.allow_sign_up',
      'social.version',
      'social.updated_at',
    ]),
)

/**
 * Changes the given settings. Inactive, nobody signs in by a provider, whoever is known by one.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `precondition_failed`, and `invalid_parameters` for providers that are not there.
 */
export function updateSocialConnection(
  deps: Deps,
  tenant: Tenant,
  input: SocialConnectionChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<SocialConnection>> {
  return change(deps, tenant.cause, async (trx) => {
    // Before the row: a deletion of a provider locks them in this order, too.
    if (input.providers != null) await checkProviders(trx, tenant, input.providers)
    await insertDefaults(deps, trx, tenant)
    const { providers, ...columns } = input
    const changed = await trx
      .updateTable('social_connections')
      .set({
        ...columns,
        ...(providers !== undefined && { providers: providers === null ? null : [...new Set(providers)] }),
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(ofTenant(tenant))
      .where(isOfVersion(versions))
      .returning('version')
      .executeTakeFirst()
    if (changed === undefined)
      throw new ApiError(
        (await organizationExists(trx, tenant)) ? 'precondition_failed' : 'organization_not_found',
      )
    const connection = await getSocialConnection({ db: trx }, tenant)
    return emit(deps, trx, tenant, { code: 'social.connection.update.success', ...connection })
  })
}

/** @throws ApiError `invalid_parameters` for names of no provider of the account, `organization_not_found` where there is no organization. */
async function checkProviders(trx: Transaction<DB>, tenant: Tenant, names: readonly string[]): Promise<void> {
  await lockAccountOf(trx, tenant)
  const found = await trx
    .selectFrom('social_providers')
    .where(ofEnvironment(tenant))
    .where(sql<boolean>`name = any(${names}::text[])`)
    .select('name')
    .execute()
  const known = new Set(found.map(({ name }) => name))
  const fields = names.flatMap((name, index): FieldError[] =>
    known.has(name) ? [] : [{ path: `providers.${index}`, ...unknownProvider }],
  )
  if (fields.length === 0) return
  if (!(await organizationExists(trx, tenant))) throw new ApiError('organization_not_found')
  throw new ApiError('invalid_parameters', { fields })
}

const unknownProvider = {
  code: 'unknown_provider',
  message: 'must be a social provider of the account',
} as const

/** Writes the connection that the organization has without a row, so that one update decides about its version. */
async function insertDefaults(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: ConnectionKey,
): Promise<void> {
  const row = { ...tenantColumns(tenant), ...defaults, updated_at: now() }
  await insertFrom(trx, 'social_connections', row, sql`where ${organizationIdOf(tenant)} is not null`)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
