import { scimLimits } from '@portico/contract/scim'
import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { sqlStatement, statement } from '../../platform/db/statement.js'
import { keyOf, type DirectoryKey, type ScimCaller } from './scim-caller.js'
import { ScimError } from './scim-error.js'
import { invalidValue } from './values.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/**
 * Refuses another group when the directory is at its limit. Locks the directory's row, so that concurrent creations wait
 * and then count this one.
 *
 * @throws ScimError 403
 */
export async function checkGroupCount(trx: Transaction<DB>, caller: ScimCaller): Promise<void> {
  await lockGroupCount(trx, keyOf(caller))
  const [row] = await selectHasGroups(trx, { ...keyOf(caller), place: scimLimits.groups - 1 })
  if (row?.has_groups === true)
    throw new ScimError(
      { status: 403 },
      `the directory has ${scimLimits.groups} groups, which is all it may have`,
    )
}

const lockGroupCount = statement((db, directory: DirectoryKey) =>
  db
    .selectFrom('directories')
    .where(ofOwner(directory))
    .where('id', '=', directory.directoryId)
    .select('id')
    .forNoKeyUpdate(),
)

/** Whether the directory has more than `place` groups. */
const selectHasGroups = sqlStatement(
  (directory: DirectoryKey & { readonly place: number }) => sql<{ has_groups: boolean }>`
    select exists (
      select from directory_groups
      where ${ofOwner(directory)}
        and directory_id = ${directory.directoryId}
      offset ${directory.place}
    ) as has_groups`,
)

/**
 * Refuses members who are in more groups than their record may have. Uncommitted changes of other groups do not count.
 *
 * @param userIds The users added to a group in this transaction.
 * @throws ScimError 400 `invalidValue`
 */
export async function checkGroupsOfMembers(
  trx: Transaction<DB>,
  caller: ScimCaller,
  userIds: readonly string[],
): Promise<void> {
  const key = keyOf(caller)
  // Most directories have fewer groups than the limit, so that no user must be counted.
  const [groups] = await selectHasGroups(trx, { ...key, place: scimLimits.groupsOfUser })
  if (groups?.has_groups !== true) return
  const [full] = await selectFull(trx, { ...key, userIds, most: scimLimits.groupsOfUser })
  if (full === undefined) return
  throw invalidValue(
    'members',
    `has ${full.user_id}, who is in ${scimLimits.groupsOfUser} groups, which is all a user may be in`,
  )
}

type Members = DirectoryKey & { readonly userIds: readonly string[]; readonly most: number }

const selectFull = sqlStatement(
  (members: Members) => sql<{ user_id: string }>`
    select come.user_id
    from unnest(${members.userIds}::uuid[]) as come (user_id)
    where exists (
      select from directory_group_members member
      where ${ofOwner(members, 'member')}
        and member.user_id = come.user_id
      offset ${members.most}
    )
    limit 1`,
)
