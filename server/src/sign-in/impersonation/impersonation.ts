import type { Impersonation, NewImpersonation } from '@portico/contract/impersonations'
import { sql, type Kysely } from 'kysely'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { isUsableBy } from '../../directory/usable.js'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import {
  isOrganizationOf,
  ofTenant,
  ownerColumns,
  sameEnvironment,
} from '../../platform/db/tenant-predicate.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { isImpersonationPermitted } from './permission.js'
import { impersonationColumns, toImpersonation } from './record.js'

/** The member of staff is at the computer, and opens it at once. */
const addressLifetimeMs = 5 * 60_000

/**
 * Creates an impersonation, with the address that starts it.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`, `application_not_found`, `impersonation_refused`,
 *   `email_domain_not_allowed`, `initiate_login_uri_required`, and `invalid_parameters` for an inactive user.
 */
export function createImpersonation(
  deps: Deps,
  tenant: Tenant,
  userId: string,
  input: NewImpersonation,
): Promise<Changed<Impersonation>> {
  const token = randomSecret()
  return change(deps, tenant.cause, async (trx) => {
    const attempt = { userId, applicationId: input.application_id }
    const row = await insertImpersonation(deps, trx, tenant, attempt, input, token)
    if (row === undefined) throw await whyNotCreated(trx, tenant, attempt)
    const url = `${deps.config.baseUrl}/t/${tenant.domain}/impersonation?token=${token}`
    return emit(deps, trx, tenant, {
      code: 'user.impersonation.create.success',
      record: toImpersonation(row, tenant, url),
      organizationId: row.organization_id,
      subjectId: userId,
    })
  })
}

interface Attempt {
  readonly userId: string
  readonly applicationId: string
}

function insertImpersonation(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  attempt: Attempt,
  input: NewImpersonation,
  token: string,
) {
  const at = now()
  const row = {
    ...ownerColumns({ ...tenant, organizationId: sql.ref<string>('users.organization_id') }),
    id: newId(),
    user_id: sql.ref('users.id'),
    application_id: sql.ref('applications.id'),
    actor_id: input.actor.id,
    actor_email: input.actor.email ?? null,
    reason: input.reason,
    duration_in_seconds: input.duration_in_seconds,
    notify_user: input.notify_user,
    url_hash: hashSecret(token),
    expires_at: new Date(at.getTime() + addressLifetimeMs),
    inserted_at: at,
  }
  const source = sql`${parties(tenant, attempt)} and ${isImpersonationPermitted()}`
  return insertFrom(db, 'impersonations', row, source).returning(impersonationColumns).executeTakeFirst()
}

/** The user, the organization and the application of a creation. */
function parties(tenant: Tenant, { userId, applicationId }: Attempt) {
  return sql`
    from users
    join organizations on ${isOrganizationOf('organizations', 'users')}
    join applications on ${sameEnvironment('applications', 'users')} and applications.id = ${applicationId}::uuid
    where ${ofTenant(tenant, 'users')} and users.id = ${userId}::uuid and users.deleted_at is null`
}

/** Why nothing was created. What concerns every user comes before what is about this one. */
async function whyNotCreated(db: Kysely<DB>, tenant: Tenant, attempt: Attempt): Promise<ApiError> {
  const user = await db
    .selectFrom('users')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .where(ofTenant(tenant, 'users'))
    .where('users.id', '=', attempt.userId)
    .where('users.deleted_at', 'is', null)
    .select([
      'users.active',
      'users.email_normalized',
      'organizations.impersonation',
      'organizations.allowed_email_domains',
    ])
    .executeTakeFirst()
  if (user === undefined) return whyNotFound(db, tenant, 'user_not_found')
  if (user.impersonation === 'refused') return new ApiError('impersonation_refused')
  const { rows } = await sql<{ readonly is_usable: boolean }>`
    select ${isUsableBy(sql.ref('organizations.id'))} as is_usable ${parties(tenant, attempt)}`.execute(db)
  if (rows[0]?.is_usable !== true) return new ApiError('application_not_found')
  if (!user.active) return invalid('user_id', 'user_inactive', 'must be an active user')
  if (!isEmailDomainAllowed(user.allowed_email_domains, user.email_normalized))
    return new ApiError('email_domain_not_allowed')
  return new ApiError('initiate_login_uri_required')
}
