import { sql } from 'kysely'
import type { GroupRow } from './record.js'

/** The groups of the directory that the row's user is a member of, by name. */
export function groupsOfUser() {
  return sql<GroupRow[]>`(
    select coalesce(jsonb_agg(jsonb_build_object('id', directory_group.id, 'display_name', directory_group.display_name)
      order by directory_group.display_name, directory_group.id), '[]')
    from directory_group_members member
    cross join lateral (
      select id, display_name from directory_groups
      where directory_groups.account_id = member.account_id
        and directory_groups.environment = member.environment
        and directory_groups.organization_id = member.organization_id
        and directory_groups.id = member.group_id
      offset 0
    ) directory_group
    where member.account_id = users.account_id
      and member.environment = users.environment
      and member.organization_id = users.organization_id
      and member.user_id = users.id
  )`
}
