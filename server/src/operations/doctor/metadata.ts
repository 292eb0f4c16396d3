import { sql } from 'kysely'
import { maxNamed, type Finding, type Reader } from './finding.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

/** Users without a required value: the key became required later, or a sign-in created them. They can still sign in. */
export async function examineRequiredMetadata({ db }: Reader): Promise<Finding[]> {
  const { rows } = await sql<{ domain: string; environment: string; users: number }>`
    select organizations.domain, users.environment, count(distinct users.id)::integer as users
    from meta_keys
    join organizations on organizations.account_id = meta_keys.account_id
      and organizations.id = meta_keys.organization_id and organizations.deleted_at is null
    join users on users.account_id = meta_keys.account_id
      and users.organization_id = meta_keys.organization_id and users.deleted_at is null
    where meta_keys.required and not exists (
      select from user_metadata data
      where ${sameTenant('data', 'users')} and data.user_id = users.id
        and data.meta_key_id = meta_keys.id
    )
    group by 1, 2 order by 3 desc, 1, 2 limit ${maxNamed}`.execute(db)
  const check = 'Metadata'
  if (rows.length === 0)
    return [{ check, ok: true, detail: 'every user has what their organization requires' }]
  return rows.map(({ domain, environment, users }) => ({
    check,
    ok: false,
    detail: `${users} users of ${domain} (${environment}) lack metadata that it requires`,
    remedy: 'set it, or declare the key as not required',
  }))
}
