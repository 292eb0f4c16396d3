import { sql } from 'kysely'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import { maxNamed, type Finding, type Reader } from './finding.js'

const check = 'Role mappings'

/** Rules that give roles to the users of groups that their directory does not have. */
export async function examineRoleMappings({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<{ group: string; environment: string; domain: string }>`
    select distinct rule.value as "group", rule.environment, organizations.domain
    from role_mapping_rules rule
    join organizations on organizations.account_id = rule.account_id
      and organizations.id = rule.organization_id and organizations.deleted_at is null
    where rule.directory_id is not null and rule.attribute is null
      and not exists (
        select from directory_groups named
        where ${sameTenant('named', 'rule')} and named.directory_id = rule.directory_id
          and named.display_name_normalized = substring(rule.rule_key from 2)
      )
    order by 3, 2, 1 limit ${maxNamed}`.execute(db)
  if (rows.length === 0)
    return [{ check, ok: true, detail: 'every rule with a group has one in its directory' }]
  return rows.map(({ group, environment, domain }) => ({
    check,
    ok: true,
    detail: `unmatched: a rule of role_mapping of ${domain} (${environment}) names ${group}, and its directory has no such group`,
    remedy:
      'name the group as the directory does, or have its provider send it; until then the rule gives nobody a role',
  }))
}
