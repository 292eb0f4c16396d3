import { id as idForm } from '@portico/contract/fields'
import { scimLimits } from '@portico/contract/scim'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { isForeignKeyViolation } from '../../platform/db/violations.js'
import type { Deps } from '../../delivery/deps.js'
import { checkGroupsOfMembers } from './group-bounds.js'
import type { MemberChange } from './group-change.js'
import { keyOf, type ScimCaller } from './scim-caller.js'
import { ScimError } from './scim-error.js'
import { invalidValue } from './values.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A member of a group. */
export interface Member {
  readonly userId: string
  readonly userName: string
}

/** The added and removed members: at most a hundred ids each, and their total counts. */
export interface MembersChanged {
  readonly added: readonly string[]
  readonly addedCount: number
  readonly removed: readonly string[]
  readonly removedCount: number
}

/** The most ids in an event, so that it fits a webhook. */
const maxIdsInEvent = 100

/**
 * Reads the members of these groups, in the order of the groups, up to a limit.
 *
 * @param limit The most members, of all groups together.
 * @returns With `cutAt`, the first group whose members are incomplete.
 */
export async function readMembers(
  db: Kysely<DB>,
  caller: ScimCaller,
  groupIds: readonly string[],
  limit: number,
): Promise<{ readonly members: ReadonlyMap<string, Member[]>; readonly cutAt: string | undefined }> {
  // Ordered outside, so that rows are read group by group, and no more than the limit.
  const { rows } = await sql<{ group_id: string; user_id: string; user_name: string }>`
    select member.group_id, member.user_id, member.user_name
    from (
      select group_id, position
      from unnest(${groupIds}::uuid[]) with ordinality as wanted (group_id, position)
      order by position
    ) wanted
    cross join lateral (
      select member.group_id, member.user_id, ${userNameOfMember()} as user_name
      from directory_group_members member
      where ${ofOwner(keyOf(caller), 'member')}
        and member.group_id = wanted.group_id
      order by member.user_id
      offset 0
    ) member
    order by wanted.position
    limit ${limit + 1}`.execute(db)
  const members = new Map<string, Member[]>()
  for (const { group_id: groupId, user_id: userId, user_name: userName } of rows.slice(0, limit)) {
    const ofGroup = members.get(groupId)
    if (ofGroup === undefined) members.set(groupId, [{ userId, userName }])
    else ofGroup.push({ userId, userName })
  }
  return { members, cutAt: rows[limit]?.group_id }
}

/**
 * The directory's userName of a member. A subselect, as everywhere here, because a join with a table without statistics is
 * planned as a full scan per row, which takes a minute for the first group of a large company.
 */
export function userNameOfMember(column: 'user_name' | 'user_name_normalized' = 'user_name') {
  return sql<string>`(
    select ${sql.ref(column)} from directory_users
    where ${sameTenant('directory_users', 'member')}
      and directory_users.user_id = member.user_id
  )`
}

/** The number of members of a group, and the ids of the first ones. */
export async function countMembers(
  db: Kysely<DB>,
  caller: ScimCaller,
  groupId: string,
): Promise<{ readonly ids: readonly string[]; readonly count: number }> {
  const { rows } = await sql<{ ids: string[]; count: number }>`
    select
      array(select user_id from ${membersOf(caller, groupId)} order by user_id limit ${maxIdsInEvent}) as ids,
      (select count(*)::integer from ${membersOf(caller, groupId)}) as count`.execute(db)
  return rows[0] ?? { ids: [], count: 0 }
}

/**
 * Changes the members of a group, whose row the transaction has locked, in one statement.
 *
 * @throws ScimError 400 `invalidValue`, and 403 for users whom the directory does not manage
 */
export async function changeMembers(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  caller: ScimCaller,
  groupId: string,
  change: MemberChange,
): Promise<MembersChanged> {
  const added = [...change.added]
  const stranger = added.find((id) => !isId(id))
  if (stranger !== undefined) throw unknownUsers([stranger])
  const { tenant, organizationId, directoryId } = caller
  const leave = change.isWhole
    ? sql`member.user_id not in (select unnest(${added}::uuid[]))`
    : sql`member.user_id = any(${[...change.removed].filter(isId)}::uuid[])`
  const { rows } = await sql<Written>`
    with named as (
      select user_id, (
        select directory_users.directory_id from directory_users
        where ${ofOwner(keyOf(caller), 'directory_users')}
          and directory_users.user_id = named.user_id
      ) is not distinct from ${directoryId}::uuid as is_known
      from unnest(${added}::uuid[]) as named (user_id)
    ), gone as (
      delete from directory_group_members member
      where ${ofGroup(caller, groupId)} and ${leave}
      returning user_id
    ), come as (
      insert into directory_group_members (
        account_id, environment, organization_id, group_id, user_id, inserted_at
      )
      select ${tenant.accountId}::uuid, ${tenant.environment}::text, ${organizationId}::uuid, ${groupId}::uuid,
        user_id, ${now()}::timestamptz
      from named
      where is_known
      order by user_id
      on conflict do nothing
      returning user_id
    )
    select
      array(select user_id from come order by user_id limit ${maxIdsInEvent}) as added,
      (select count(*)::integer from come) as added_count,
      array(select user_id from gone order by user_id limit ${maxIdsInEvent}) as removed,
      (select count(*)::integer from gone) as removed_count,
      array(select user_id from named where not is_known limit 10) as unknown`
    .execute(trx)
    .catch((error: unknown) => {
      // The user was deleted after the statement began.
      if (isForeignKeyViolation(error, 'directory_group_members_user_fkey'))
        throw new ScimError({ status: 409 }, 'members: a user is being deleted', { cause: error })
      throw error
    })
  const written = rows[0] ?? nothingWritten
  if (written.unknown.length > 0) throw await whyUnknown(trx, caller, written.unknown)
  if (written.added_count > 0) {
    await checkSize(trx, caller, groupId)
    await checkGroupsOfMembers(trx, caller, added)
  }
  return {
    added: written.added,
    addedCount: written.added_count,
    removed: written.removed,
    removedCount: written.removed_count,
  }
}

interface Written {
  readonly added: string[]
  readonly added_count: number
  readonly removed: string[]
  readonly removed_count: number
  /** Named ids that are no users of the directory. */
  readonly unknown: string[]
}

const nothingWritten: Written = { added: [], added_count: 0, removed: [], removed_count: 0, unknown: [] }

/** Made once: making it takes longer than reading 30 ids, and a request may name 10,000. */
const memberId = idForm()

function isId(text: string): boolean {
  return memberId.safeParse(text).success
}

function ofGroup(caller: ScimCaller, groupId: string) {
  return sql<boolean>`${ofOwner(keyOf(caller), 'member')} and member.group_id = ${groupId}`
}

function membersOf(caller: ScimCaller, groupId: string) {
  return sql`directory_group_members member where ${ofGroup(caller, groupId)}`
}

async function checkSize(trx: Transaction<DB>, caller: ScimCaller, groupId: string): Promise<void> {
  const { rows } = await sql<{ is_full: boolean }>`
    select exists (
      select from ${membersOf(caller, groupId)} offset ${scimLimits.groupMembers}
    ) as is_full`.execute(trx)
  if (rows[0]?.is_full === true)
    throw invalidValue('members', `must be at most ${scimLimits.groupMembers} in a group`)
}

/** 403 when all ids are users outside the directory, else 400 for the unknown ones. */
async function whyUnknown(
  trx: Transaction<DB>,
  caller: ScimCaller,
  ids: readonly string[],
): Promise<ScimError> {
  const known = await trx
    .selectFrom('users')
    .where(ofOwner(keyOf(caller)))
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .select('id')
    .execute()
  if (known.length < ids.length)
    return unknownUsers(ids.filter((id) => !known.some((user) => user.id === id)))
  return new ScimError(
    { status: 403 },
    `members: the directory has not made ${ids.join(', ')}, and only whom it has made can be in its groups`,
  )
}

function unknownUsers(ids: readonly string[]): ScimError {
  return invalidValue('members', `name no user: ${ids.join(', ').slice(0, 400)}`)
}
