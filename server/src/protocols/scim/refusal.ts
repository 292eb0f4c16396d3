import type { DirectorySyncEvent, ScimResourceType } from '@portico/contract/directory-sync'
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import type { Cause } from '../../platform/tenant.js'
import type { AuthenticatedDirectory } from './proven-directory.js'
import { insertScimRequest, type LoggedRequest } from './request-log.js'
import type { ScimError } from './scim-error.js'
import { resourceTypeOf, type Target } from './target.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** A refused request. */
export interface ScimRefusal {
  readonly error: ScimError
  /** Undefined where the request could not be parsed. */
  readonly target: Target | undefined
  readonly cause: Cause
  readonly logged: LoggedRequest
}

/** Records a refused request in the directory's log, as a log event and, if it was a write, as an event. */
export async function recordRefusal(
  deps: Pick<Deps, 'db' | 'keys' | 'now' | 'metrics'>,
  directory: AuthenticatedDirectory,
  { error, target, cause, logged }: ScimRefusal,
): Promise<void> {
  await change(deps, cause, async (trx) => {
    const resourceId = await findResourceId(trx, directory, target)
    const userId = resourceTypeOf(target) === 'User' ? resourceId : undefined
    await insertScimRequest(deps, trx, directory, { ...logged, userId })
    await logEvent(deps, trx, {
      ...directory.tenant,
      cause,
      organizationId: directory.organizationId,
      code: 'SCIM_REQUEST_FAILED',
      email: logged.email,
      userId,
      reason: error.fault.scimType ?? `status_${error.fault.status}`,
    })
    const refused = refusedChangeOf(error, target)
    if (refused !== undefined)
      await emitRefusal(deps, trx, directory, { ...refused, error, cause, logged, resourceId })
    return { record: undefined }
  })
}

interface RefusedChange {
  readonly type: ScimResourceType
  readonly change: DirectorySyncEvent['change']
}

const changes = { create: 'provision', replace: 'update', patch: 'update', delete: 'deprovision' } as const

/** The intended change of a refused request; undefined for a read, and for a failure of the server. */
function refusedChangeOf({ fault }: ScimError, target: Target | undefined): RefusedChange | undefined {
  if (target === undefined || target.kind === 'discovery' || fault.status >= 500) return undefined
  const { type, operation } = target
  switch (operation) {
    case 'create':
    case 'replace':
    case 'patch':
    case 'delete':
      return { type, change: changes[operation] }
    default:
      return undefined
  }
}

async function emitRefusal(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  directory: AuthenticatedDirectory,
  {
    type,
    change: kind,
    error,
    cause,
    logged,
    resourceId,
  }: RefusedChange &
    Pick<ScimRefusal, 'error' | 'cause' | 'logged'> & { readonly resourceId: string | undefined },
): Promise<void> {
  const { tenant, organizationId, directoryId, providerType } = directory
  await emit(
    deps,
    trx,
    { ...tenant, cause },
    {
      code: `dir_sync.${type === 'User' ? 'user' : 'group'}.${kind}.fail`,
      record: {
        __type__: 'DirectorySyncEvent',
        __domain__: tenant.domain,
        __environment__: tenant.environment,
        change: kind,
        directory_sync_id: directoryId,
        provider: providerType,
        resource: { id: resourceId ?? null, type, changes: { new_values: {}, previous_values: {} } },
      },
      errors: [error.message],
      organizationId,
      subjectId: type === 'User' ? resourceId : undefined,
      email: logged.email,
    },
  )
}

/** The user or group that a path names, if it exists: a refused request may name anything. */
async function findResourceId(
  db: Kysely<DB>,
  { tenant, organizationId, directoryId }: AuthenticatedDirectory,
  target: Target | undefined,
): Promise<string | undefined> {
  if (target?.kind !== 'one') return undefined
  if (target.type === 'User') {
    const user = await db
      .selectFrom('users')
      .where(ofOwner({ accountId: tenant.accountId, environment: tenant.environment, organizationId }))
      .where('id', '=', target.id)
      .select('id')
      .executeTakeFirst()
    return user?.id
  }
  const group = await db
    .selectFrom('directory_groups')
    .where(ofOwner({ accountId: tenant.accountId, environment: tenant.environment, organizationId }))
    .where('directory_id', '=', directoryId)
    .where('id', '=', target.id)
    .select('id')
    .executeTakeFirst()
  return group?.id
}
