import pg from 'pg'
import type { Target } from './data.js'
import type { SignInSample } from './sign-in-sample.js'

/** The permission that every role of the sample has. */
export const heldPermission = 'invoices:read'

/**
 * Gives users of the sandbox five roles each, of the four ways in which one can be given: two by the API, one by a group and one by a
 * value of a directory, and one by a sign-in.
 */
export async function insertRoles(
  { databaseUrl, data }: SignInSample,
  targets: readonly Target[],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    for (const statement of accountWide) await client.query(statement, [data.account.id, new Date()])
    const given = [data.account.id, new Date(), targets.map(({ id }) => id)]
    for (const statement of ofUsers) await client.query(statement, given)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

const roleId = (number: string) => `md5('role' || ${number} || $1::text)::uuid`

const accountWide = [
  `insert into permissions (account_id, environment, id, name, inserted_at, updated_at)
   values ($1::uuid, 'sandbox', md5('permission' || $1::text)::uuid, '${heldPermission}', $2, $2)`,
  `insert into roles (account_id, environment, id, name, display_name, is_default, inserted_at, updated_at)
   select $1::uuid, 'sandbox', ${roleId('n')}, 'role_' || n, 'Role ' || n, false, $2, $2 from generate_series(1, 5) n`,
  `insert into role_permissions (account_id, environment, role_id, permission)
   select account_id, environment, id, '${heldPermission}' from roles
   where account_id = $1::uuid and environment = 'sandbox' and $2::timestamptz is not null`,
]

const wanted = `
  wanted as materialized (
    select account_id, environment, organization_id, id as user_id, $2::timestamptz as at from users
    where account_id = $1::uuid and environment = 'sandbox' and id = any($3::uuid[])
  ), places as (
    select distinct account_id, environment, organization_id, at, md5('directory' || organization_id)::uuid as directory_id,
      md5('group' || organization_id)::uuid as group_id
    from wanted
  )`

const ofUsers = [
  `with ${wanted}
   insert into directories (
     account_id, environment, organization_id, id, provider_type, active, takes_over_users, secret_hash, secret_hint,
     role_mapping_mode, inserted_at, updated_at
   )
   select account_id, environment, organization_id, directory_id, 'custom_scim', true, false, sha256('bench'), 'ench', 'add', at, at
   from places`,
  `with ${wanted}
   insert into role_mapping_rules (
     account_id, environment, organization_id, source_id, directory_id, position, place, role_id, attribute, value, rule_key
   )
   select account_id, environment, organization_id, directory_id, directory_id, position, 0, role_id, attribute, value, rule_key
   from places cross join (values
     (0, ${roleId("'3'")}, null, 'Finance', '=finance'), (1, ${roleId("'4'")}, 'roles', 'lead', 'roles=lead')
   ) rules (position, role_id, attribute, value, rule_key)`,
  `with ${wanted}
   insert into directory_users (
     account_id, environment, organization_id, directory_id, user_id, user_name, user_name_normalized, attributes, role_keys,
     inserted_at
   )
   select account_id, environment, organization_id, directory_id, user_id, user_id::text, user_id::text, '{}', array['roles=lead'],
     wanted.at
   from wanted join places using (account_id, environment, organization_id)`,
  `with ${wanted}
   insert into directory_groups (
     account_id, environment, organization_id, directory_id, id, display_name, display_name_normalized, inserted_at, updated_at
   )
   select account_id, environment, organization_id, directory_id, group_id, 'Finance', 'finance', at, at from places`,
  `with ${wanted}
   insert into directory_group_members (account_id, environment, organization_id, group_id, user_id, inserted_at)
   select account_id, environment, organization_id, group_id, user_id, wanted.at
   from wanted join places using (account_id, environment, organization_id)`,
  `with ${wanted}
   insert into role_assignments (
     account_id, environment, organization_id, user_id, role_id, source, source_id, inserted_at
   )
   select account_id, environment, organization_id, user_id, role_id, source, source_id, at
   from wanted cross join (values
     (${roleId("'1'")}, 'api', '00000000-0000-0000-0000-000000000000'::uuid),
     (${roleId("'2'")}, 'api', '00000000-0000-0000-0000-000000000000'),
     (${roleId("'5'")}, 'sso', md5('identity')::uuid)
   ) given (role_id, source, source_id)`,
]
