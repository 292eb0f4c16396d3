import { scimLimits } from '@portico/contract/scim'
import type { DirectorySyncEvent, ScimRequest } from '@portico/contract/directory-sync'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { isOfVersion } from '../../platform/db/versions.js'
import { isUniqueViolation } from '../../platform/db/violations.js'
import type { Deps } from '../../delivery/deps.js'
import { normalizeEmail } from '../../platform/email.js'
import { changedMembers, emitDirectoryChange } from './directory-event.js'
import {
  foldMembers,
  toGroupChange,
  toWholeGroup,
  type GroupChange,
  type MemberStep,
} from './group-change.js'
import { checkGroupCount } from './group-bounds.js'
import { groupsOf, hasMembers, listGroups } from './group-list.js'
import { changeMembers, countMembers, readMembers, type MembersChanged } from './group-members.js'
import {
  groupColumns,
  groupLocation,
  toElement,
  toGroupRecord,
  toGroupResource,
  type ScimGroupRow,
} from './group-resource.js'
import { changeInDirectory } from './in-change.js'
import { readPatch } from './patch-steps.js'
import { readProjection, toBody, type Projection } from './projection.js'
import { groupSchemas } from '../../directory/directory-sync/schema-path.js'
import { keyOf, type ScimAnswer, type ScimCall, type ScimCaller, type ScimOperations } from './scim-caller.js'
import { ScimError } from './scim-error.js'
import { readResource } from './values.js'
import { tagOf, scimVersionsOf } from './versions.js'
import { noteUnmatched } from './unmatched-rule.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** SCIM operations on groups (RFC 7644 section 3). */
export function scimGroups(deps: Deps): ScimOperations {
  return {
    list: (caller, call) => listGroups(deps, caller, call),
    create: (caller, call) => createGroup(deps, caller, call),
    get: (caller, id, call) => getGroup(deps, caller, id, call),
    replace: (caller, id, call) => replaceGroup(deps, caller, id, call),
    patch: (caller, id, call) => patchGroup(deps, caller, id, call),
    delete: (caller, id, call) => deleteGroup(deps, caller, id, call),
  }
}

/** @throws ScimError 404 */
async function getGroup(
  { db }: Deps,
  caller: ScimCaller,
  id: string,
  { query }: ScimCall,
): Promise<ScimAnswer> {
  const projection = readProjection(groupSchemas, query)
  const row = await groupsOf(db, caller).where('id', '=', id).select(groupColumns).executeTakeFirst()
  if (row === undefined) throw notFound(id)
  const tag = tagOf(row.version)
  return { status: 200, body: await toGroupBody(db, caller, row, projection), tag, changes: [] }
}

/**
 * Creates a group. Only its externalId is unique, its name is not.
 *
 * @throws ScimError 400, 403 for members whom the directory does not manage, 409 `uniqueness`
 */
async function createGroup(deps: Deps, caller: ScimCaller, call: ScimCall): Promise<ScimAnswer> {
  const projection = readProjection(groupSchemas, call.query)
  const wanted = toWholeGroup(readResource(groupSchemas, call.body, call.quirk))
  const id = newId()
  return changeInDirectory(deps, caller, async (trx) => {
    await checkGroupCount(trx, caller)
    const at = deps.now()
    const row = await trx
      .insertInto('directory_groups')
      .values({
        account_id: caller.tenant.accountId,
        environment: caller.tenant.environment,
        organization_id: caller.organizationId,
        directory_id: caller.directoryId,
        id,
        external_id: wanted.externalId ?? null,
        ...toNameColumns(wanted.displayName),
        inserted_at: at,
        updated_at: at,
      })
      .returning(groupColumns)
      .executeTakeFirstOrThrow()
      .catch(asTaken)
    const members = await writeMembers(deps, trx, caller, id, wanted.members)
    const after = { id, ...toGroupRecord(row), ...toMemberRecord(members) }
    return {
      status: 201,
      body: await toGroupBody(trx, caller, row, projection),
      tag: tagOf(row.version),
      location: groupLocation(caller.baseUrl, id),
      changes: await emitGroupChange(deps, trx, caller, {
        change: 'provision',
        id,
        before: undefined,
        after,
      }),
    }
  })
}

/** @throws ScimError 400, 403, 404, 409 `uniqueness`, 412 */
async function replaceGroup(deps: Deps, caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer> {
  const projection = readProjection(groupSchemas, call.query)
  const wanted = toWholeGroup(readResource(groupSchemas, call.body, call.quirk))
  return changeInDirectory(deps, caller, async (trx) => {
    const { row, changes } = await changeGroup(deps, trx, caller, id, {
      wanted,
      versions: scimVersionsOf(call.ifMatch),
    })
    const body = await toGroupBody(trx, caller, row, projection)
    return { status: 200, body, tag: tagOf(row.version), changes }
  })
}

/**
 * Answers without a body unless attributes are requested (RFC 7644 section 3.5.2): reading 10,000 members takes longer
 * than changing one, and providers ignore them.
 *
 * @throws ScimError 400, 403, 404, 409 `uniqueness`, 412
 */
async function patchGroup(deps: Deps, caller: ScimCaller, id: string, call: ScimCall): Promise<ScimAnswer> {
  const projection = readProjection(groupSchemas, call.query)
  const wanted = toGroupChange(readPatch(groupSchemas, call.body, call.quirk))
  return changeInDirectory(deps, caller, async (trx) => {
    const { row, changes } = await changeGroup(deps, trx, caller, id, {
      wanted,
      versions: scimVersionsOf(call.ifMatch),
    })
    const tag = tagOf(row.version)
    if (projection.only === undefined) return { status: 204, tag, changes }
    return { status: 200, body: await toGroupBody(trx, caller, row, projection), tag, changes }
  })
}

/** @throws ScimError 404, 412 */
async function deleteGroup(
  deps: Deps,
  caller: ScimCaller,
  id: string,
  { ifMatch }: ScimCall,
): Promise<ScimAnswer> {
  return changeInDirectory(deps, caller, async (trx) => {
    const row = await lockGroup(trx, caller, id, scimVersionsOf(ifMatch))
    const { ids, count } = await countMembers(trx, caller, id)
    await trx
      .deleteFrom('directory_groups')
      .where(ofOwner(keyOf(caller)))
      .where('directory_id', '=', caller.directoryId)
      .where('id', '=', id)
      .execute()
    await noteUnmatched(deps, trx, caller, row.display_name)
    const before = { id, ...toGroupRecord(row), members_removed: ids, members_removed_count: count }
    const changes = await emitGroupChange(deps, trx, caller, {
      change: 'deprovision',
      id,
      before,
      after: undefined,
    })
    return { status: 204, changes }
  })
}

/** The requested change of a group, and the versions to which it may apply. */
interface WantedGroup {
  readonly wanted: GroupChange
  readonly versions: readonly number[] | undefined
}

/** Writes the differences; a repeated request changes nothing and emits no event. */
async function changeGroup(
  deps: Deps,
  trx: Transaction<DB>,
  caller: ScimCaller,
  id: string,
  { wanted, versions }: WantedGroup,
): Promise<{ readonly row: ScimGroupRow; readonly changes: ScimAnswer['changes'] }> {
  const before = await lockGroup(trx, caller, id, versions)
  const members = await writeMembers(deps, trx, caller, id, wanted.members)
  const { displayName = before.display_name, externalId = before.external_id } = wanted
  const isSame =
    displayName === before.display_name &&
    externalId === before.external_id &&
    members.addedCount + members.removedCount === 0
  if (isSame) return { row: before, changes: [] }

  const row = await trx
    .updateTable('directory_groups')
    .set({
      external_id: externalId,
      ...toNameColumns(displayName),
      version: sql`version + 1`,
      updated_at: deps.now(),
    })
    .where(ofOwner(keyOf(caller)))
    .where('directory_id', '=', caller.directoryId)
    .where('id', '=', id)
    .returning(groupColumns)
    .executeTakeFirstOrThrow()
    .catch(asTaken)
  if (normalizeEmail(displayName) !== normalizeEmail(before.display_name))
    await noteUnmatched(deps, trx, caller, before.display_name)
  const update = {
    before: toGroupRecord(before),
    after: { ...toGroupRecord(row), ...toMemberRecord(members) },
  }
  return { row, changes: await emitGroupChange(deps, trx, caller, { change: 'update', id, ...update }) }
}

/**
 * Locks the row of a group. The locking statement itself compares the versions after its wait, so that of concurrent
 * requests with the same If-Match only the first succeeds.
 */
async function lockGroup(
  trx: Transaction<DB>,
  caller: ScimCaller,
  id: string,
  versions: readonly number[] | undefined,
): Promise<ScimGroupRow> {
  const group = groupsOf(trx, caller).where('id', '=', id)
  const row = await group.select(groupColumns).where(isOfVersion(versions)).forUpdate().executeTakeFirst()
  if (row !== undefined) return row
  const other = await group.select('id').executeTakeFirst()
  if (other === undefined) throw notFound(id)
  throw new ScimError({ status: 412 }, 'The group has changed since the version of If-Match.')
}

async function writeMembers(
  deps: Deps,
  trx: Transaction<DB>,
  caller: ScimCaller,
  id: string,
  steps: readonly MemberStep[],
): Promise<MembersChanged> {
  const change = await foldMembers(steps, async () => {
    const { members } = await readMembers(trx, caller, [id], scimLimits.groupMembers)
    return (members.get(id) ?? []).map((member) => toElement(member, caller.baseUrl))
  })
  return changeMembers(deps, trx, caller, id, change)
}

async function toGroupBody(
  db: Kysely<DB>,
  caller: ScimCaller,
  row: ScimGroupRow,
  projection: Projection,
): Promise<object> {
  const read = hasMembers(projection)
    ? await readMembers(db, caller, [row.id], scimLimits.groupMembers)
    : undefined
  const members = read && (read.members.get(row.id) ?? [])
  return toBody(groupSchemas, toGroupResource(row, members, caller.baseUrl), projection)
}

/** A change of a group, with its record before and after. */
interface GroupUpdate {
  readonly change: DirectorySyncEvent['change']
  readonly id: string
  readonly before: object | undefined
  readonly after: object | undefined
}

/** Emits the event. @returns The changes for the log. */
async function emitGroupChange(
  deps: Deps,
  trx: Transaction<DB>,
  caller: ScimCaller,
  update: GroupUpdate,
): Promise<ScimRequest['changes']> {
  await emitDirectoryChange(deps, trx, caller, { type: 'Group', ...update })
  const { new_values, previous_values } = changedMembers(update.before ?? {}, update.after ?? {})
  const names = Object.keys({ ...previous_values, ...new_values })
  return [{ type: 'Group', id: update.id, members: names }]
}

/** The members' part of an event's record, only for those added or removed. */
function toMemberRecord({ added, addedCount, removed, removedCount }: MembersChanged): object {
  return {
    ...(addedCount > 0 && { members_added: added, members_added_count: addedCount }),
    ...(removedCount > 0 && { members_removed: removed, members_removed_count: removedCount }),
  }
}

function toNameColumns(displayName: string) {
  return { display_name: displayName, display_name_normalized: normalizeEmail(displayName) }
}

function notFound(id: string): ScimError {
  return new ScimError({ status: 404 }, `There is no group ${id}.`)
}

function asTaken(error: unknown): never {
  if (isUniqueViolation(error, 'directory_groups_external_id_key'))
    throw new ScimError({ status: 409, scimType: 'uniqueness' }, 'externalId is that of another group.', {
      cause: error,
    })
  throw error
}
