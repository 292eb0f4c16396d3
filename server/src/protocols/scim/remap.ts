import { nilId } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import { causeBy } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { enqueueRemapping } from '../../directory/directory-sync/remapping.js'
import { changeLockedUser } from '../../directory/users/change-user.js'
import { writeMappedMetadata } from '../../directory/users/stored-metadata.js'
import { getFound, readFound, type Found } from './found-user.js'
import { lockWithDirectory } from './in-change.js'
import { mappedChanges, mappedOf, noteUnfit } from './mapped-user.js'
import { findDirectoryOfRevision, toScimCaller } from './proven-directory.js'
import { roleKeysOf } from './role-keys.js'
import { keyOf, type ScimCaller } from './scim-caller.js'
import { toResource } from './user-resource.js'
import type { ScimResource } from './values.js'

/** Users that one run reads, before it adds a job for those after them. */
const batchSize = 500

type Remapping = JobPayloads['remap_directory']

/**
 * Applies the rules of a directory to users after a position. Each user who differs is a change of its own, so that nobody's
 * sign-in waits for others. A run that is repeated finds nothing to change, and counts once.
 */
export async function remapDirectory(deps: Deps, remapping: Remapping): Promise<void> {
  const { directoryId, revision, after = nilId } = remapping
  const directory = await findDirectoryOfRevision(deps, { directoryId, revision })
  // Deleted, or with other rules, which have a job of their own.
  if (directory === undefined) return
  const caller = toScimCaller(directory, causeBy(newId(), 'system', 'attribute_mapping'), () =>
    Promise.resolve(),
  )
  const rows = await deps.db
    .selectFrom('directory_users')
    .where(ofOwner(remapping))
    .where('directory_id', '=', directoryId)
    .where('user_id', '>', after)
    .select('user_id')
    .orderBy('user_id')
    .limit(batchSize)
    .execute()
  const users = await readFound(
    deps.db,
    caller,
    rows.map((row) => row.user_id),
  )
  for (const found of users) if (hasChanges(caller, found)) await remapUser(deps, caller, found.user.id)
  const last = rows.length < batchSize ? undefined : rows.at(-1)?.user_id
  await deps.db.transaction().execute(async (trx) => {
    const isCounted = await countRun(trx, remapping, { count: rows.length, last })
    if (isCounted && last !== undefined) await enqueueRemapping(deps, trx, { ...remapping, after: last })
  })
}

function hasChanges(caller: ScimCaller, { user, known }: Found): boolean {
  const resource = toResource(user, known, caller.userSchemas)
  const { metadata, profile } = mappedChanges(mappedOf(caller, resource), user)
  return metadata !== undefined || profile !== undefined || hasOtherKeys(caller, resource, known)
}

function hasOtherKeys(caller: ScimCaller, resource: ScimResource, known: Found['known']): boolean {
  return known !== undefined && !isDeepStrictEqual(known.roleKeys, roleKeysOf(caller, resource))
}

async function remapUser(deps: Deps, caller: ScimCaller, id: string): Promise<void> {
  try {
    await change(deps, caller.tenant.cause, async (trx) => {
      const held = await lockWithDirectory(trx, caller, id)
      const { user, known } = await getFound(trx, caller, id)
      const resource = toResource(user, known, caller.userSchemas)
      if (hasOtherKeys(caller, resource, known)) await updateRoleKeys(trx, caller, id, resource)
      const mapped = mappedOf(caller, resource)
      const { metadata, profile } = mappedChanges(mapped, user)
      if (known === undefined || (metadata === undefined && profile === undefined))
        return { record: undefined }
      if (metadata !== undefined) await writeMappedMetadata(trx, caller.tenant, id, metadata)
      await noteUnfit(deps, trx, caller, mapped, () => undefined)
      await changeLockedUser(deps, trx, caller.tenant, held, {
        input: profile === undefined ? {} : { profile },
        versions: undefined,
      })
      return { record: undefined }
    })
  } catch (error) {
    // Deleted meanwhile.
    if (!(error instanceof ApiError && error.code === 'user_not_found')) throw error
  }
}

/** What rules of roles are compared with is no change of the user. */
async function updateRoleKeys(
  trx: Transaction<DB>,
  caller: ScimCaller,
  id: string,
  resource: ScimResource,
): Promise<void> {
  await trx
    .updateTable('directory_users')
    .set({ role_keys: roleKeysOf(caller, resource) })
    .where(ofOwner(keyOf(caller)))
    .where('directory_id', '=', caller.directoryId)
    .where('user_id', '=', id)
    .execute()
}

/** @returns Whether the users of this run were not counted before. */
async function countRun(
  trx: Transaction<DB>,
  { accountId, environment, organizationId, directoryId, revision, after }: Remapping,
  { count, last }: { readonly count: number; readonly last: string | undefined },
): Promise<boolean> {
  const counted = await trx
    .updateTable('directories')
    .set({
      mapping_done: sql`mapping_done + ${count}`,
      mapping_position: last ?? maxId,
      // Users came and went since it was counted.
      ...(last === undefined && { mapping_total: sql`mapping_done + ${count}` }),
    })
    .where(ofOwner({ accountId, environment, organizationId }))
    .where('id', '=', directoryId)
    .where('mapping_revision', '=', revision)
    .where(sql<boolean>`mapping_position is not distinct from ${after ?? null}::uuid`)
    .returning('id')
    .executeTakeFirst()
  return counted !== undefined
}

/** The position behind all users. */
const maxId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
