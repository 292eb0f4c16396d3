import type { Application } from '@portico/contract/applications'
import type {
  ApplicationSecret,
  ApplicationSecrets,
  NewApplicationSecret,
} from '@portico/contract/application-secrets'
import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, makeApplicationSecret } from '../../platform/crypto/secret.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { getApplication, lockApplication } from '../applications/applications.js'
import { isConfidentialType } from '../applications/client-settings.js'
import { secretColumns, toApplicationSecret } from './record.js'

const hintLength = 4

/**
 * Gives an application another secret, which is stored as a digest, and which only this answer contains.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`, `key_limited_to_organizations`, `secret_limit_reached`
 *   when it has two, and `invalid_parameters` for a type of application that can keep no secret.
 */
export function createApplicationSecret(
  deps: Deps,
  tenant: Tenant,
  clientId: string,
  { expires_at }: NewApplicationSecret,
): Promise<Changed<ApplicationSecret>> {
  const at = deps.now()
  const expiresAt = expires_at == null ? null : new Date(expires_at)
  if (expiresAt !== null && expiresAt <= at)
    throw invalid('expires_at', 'not_in_the_future', 'must be a time to come')
  return change(deps, tenant.cause, async (trx) => {
    const application = await lockApplication(trx, tenant, clientId, undefined)
    checkKeepsSecrets(application)
    const value = makeApplicationSecret(tenant.environment)
    const row = await insertSecret(trx, tenant, {
      application_id: application.id,
      id: newId(),
      secret_hash: hashSecret(value),
      hint: value.slice(-hintLength),
      expires_at: expiresAt,
      inserted_at: at,
    })
    if (row === undefined) throw new ApiError('secret_limit_reached')
    const record = toApplicationSecret(row, ownerOf(tenant, application), value)
    return emitSecret(deps, trx, tenant, application, { code: 'application.secret.create.success', record })
  })
}

/**
 * The secrets of an application, newest first.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`
 */
export async function listApplicationSecrets(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  clientId: string,
): Promise<ApplicationSecrets> {
  const { record: application } = await getApplication({ db }, tenant, clientId)
  if ('deleted' in application) throw new ApiError('application_not_found')
  const owner = { domain: application.__domain__, environment: tenant.environment }
  const rows = await db
    .selectFrom('application_secrets')
    .where(ofEnvironment(tenant))
    .where('application_id', '=', application.id)
    .select(secretColumns)
    .orderBy('inserted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(2)
    .execute()
  return { __type__: 'List', data: rows.map((row) => toApplicationSecret(row, owner)) }
}

/**
 * Deletes a secret of an application; requests with it are refused from then on.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`, `application_secret_not_found`,
 *   `key_limited_to_organizations`
 */
export function deleteApplicationSecret(
  deps: Deps,
  tenant: Tenant,
  { clientId, secretId }: { readonly clientId: string; readonly secretId: string },
): Promise<Changed<ApplicationSecret>> {
  return change(deps, tenant.cause, async (trx) => {
    const application = await lockApplication(trx, tenant, clientId, undefined)
    const row = await trx
      .deleteFrom('application_secrets')
      .where(ofEnvironment(tenant))
      .where('application_id', '=', application.id)
      .where('id', '=', secretId)
      .returning(secretColumns)
      .executeTakeFirst()
    if (row === undefined) throw new ApiError('application_secret_not_found')
    const record = toApplicationSecret(row, ownerOf(tenant, application))
    return emitSecret(deps, trx, tenant, application, { code: 'application.secret.delete.success', record })
  })
}

type LockedApplication = Awaited<ReturnType<typeof lockApplication>>

function checkKeepsSecrets({ application_type }: LockedApplication): void {
  // Columns of closed lists are written only from validated input.
  if (isConfidentialType(application_type as Application['application_type'])) return
  const message = 'must be an application that does not run at its users, where no secret can be kept'
  throw invalid('client_id', 'public_application', message)
}

interface NewSecret {
  readonly application_id: string
  readonly id: string
  readonly secret_hash: Buffer
  readonly hint: string
  readonly expires_at: Date | null
  readonly inserted_at: Date
}

/** Inserts a secret in the first free place of its application; undefined where both are taken. */
function insertSecret(trx: Transaction<DB>, { accountId, environment }: Tenant, secret: NewSecret) {
  const row = { account_id: accountId, environment, ...secret, place: sql<number>`min(free.place)` }
  const free = sql`
    from (values (1::smallint), (2::smallint)) as free (place)
    where not exists (
      select from application_secrets as taken
      where taken.account_id = ${accountId}
        and taken.environment = ${environment}
        and taken.application_id = ${secret.application_id}
        and taken.place = free.place
    )
    having count(*) > 0`
  return insertFrom(trx, 'application_secrets', row, free).returning(secretColumns).executeTakeFirst()
}

function ownerOf(
  { accountDomain, environment }: Tenant,
  application: Pick<LockedApplication, 'organization_domain_scope'>,
) {
  return { domain: application.organization_domain_scope ?? accountDomain, environment }
}

async function emitSecret(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { organization_id: organizationId }: LockedApplication,
  emission: {
    readonly code: `application.secret.${'create' | 'delete'}.success`
    readonly record: ApplicationSecret
  },
): Promise<Changed<ApplicationSecret>> {
  const place = { ...tenant, domain: emission.record.__domain__ }
  return emit(deps, trx, place, { ...emission, ...(organizationId !== null && { organizationId }) })
}
