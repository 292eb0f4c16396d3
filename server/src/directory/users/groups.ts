import { sql } from 'kysely'
import type { Gathered } from './gathered.js'
import type { GroupRow } from './record.js'

/** The groups of the directory that users are members of, by name. */
export const groups: Gathered<GroupRow> = {
  name: 'member',
  list: sql`jsonb_agg(jsonb_build_object('id', directory_group.id, 'display_name', directory_group.display_name)
    order by directory_group.display_name, directory_group.id)`,
  from: sql`directory_group_members member
    cross join lateral (
      select id, display_name from directory_groups
      where directory_groups.account_id = member.account_id
        and directory_groups.environment = member.environment
        and directory_groups.organization_id = member.organization_id
        and directory_groups.id = member.group_id
      offset 0
    ) directory_group`,
}
