import { sql, type Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import { usersOf } from '../../directory/users/whole-user.js'

/** What users see of their own account, and what is theirs to change. */
export interface OwnAccount {
  readonly email: string
  readonly givenName: string
  readonly familyName: string
  readonly nickname: string
  /** A directory or an identity provider writes the profile: a change here would be lost. */
  readonly isProfileManaged: boolean
  readonly password: {
    /** Whether the organization lets its users sign in with one, and single sign-on is not their only way. */
    readonly isOffered: boolean
    readonly isSet: boolean
    /** In characters. */
    readonly lengths: { readonly min: number; readonly max: number }
  }
  /** The policy of the organization demands a second factor, which is then replaced and not removed. */
  readonly isSecondFactorDemanded: boolean
  /** Whether the organization lets its users have passkeys, and single sign-on is not their only way. */
  readonly arePasskeysOffered: boolean
}

/** The account of a user; undefined when there is none. */
export async function findOwnAccount(
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<OwnAccount | undefined> {
  const [row] = await selectOwnAccount(db, { ...tenant, userId })
  if (row === undefined) return undefined
  const { plain_text_min_length: min, plain_text_max_length: max } = row
  return {
    email: row.email,
    givenName: row.given_name ?? '',
    familyName: row.family_name ?? '',
    nickname: row.nickname ?? '',
    isProfileManaged: row.is_profile_managed,
    password: {
      isOffered: row.is_password_active === true && !row.is_sso_required,
      isSet: row.is_password_set,
      lengths: { min: min ?? 0, max: max ?? 0 },
    },
    isSecondFactorDemanded: row.is_second_factor_demanded,
    arePasskeysOffered: row.are_passkeys_active && !row.is_sso_required,
  }
}

interface OwnKey extends Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'> {
  readonly userId: string
}

const selectOwnAccount = lookup((db, user: OwnKey) =>
  usersOf(db, user)
    .leftJoin('password_connections as connection', (join) => join.on(sameTenant('connection', 'users')))
    .where('users.id', '=', user.userId)
    .select([
      'users.email',
      sql<string | null>`users.profile->>'given_name'`.as('given_name'),
      sql<string | null>`users.profile->>'family_name'`.as('family_name'),
      sql<string | null>`users.profile->>'nickname'`.as('nickname'),
      'connection.active as is_password_active',
      'connection.plain_text_min_length',
      'connection.plain_text_max_length',
      isSsoRequiredOf('users').as('is_sso_required'),
      sql<boolean>`exists (
        select from passwords where ${sameTenant('passwords', 'users')} and passwords.user_id = users.id
      )`.as('is_password_set'),
      sql<boolean>`exists (
        select from organization_policies as policy
        where ${sameTenant('policy', 'users')} and policy.second_factor = 'required'
      )`.as('is_second_factor_demanded'),
      sql<boolean>`exists (
        select from passkey_connections as passkeys
        where ${sameTenant('passkeys', 'users')} and passkeys.active
      )`.as('are_passkeys_active'),
      isProfileManaged().as('is_profile_managed'),
    ]),
)

/** Whether another system writes the profile of the user of a statement's row. */
function isProfileManaged() {
  return sql<boolean>`(
    exists (
      select from directory_users as member
      where ${sameTenant('member', 'users')} and member.user_id = users.id
    ) or exists (
      select from user_identities as identity
      join sso_connections as connection on ${sameTenant('connection', 'identity')}
        and connection.idp_id = identity.idp_id
      where ${sameTenant('identity', 'users')} and identity.user_id = users.id
        and connection.active and connection.update_user_new_connection
    )
  )`
}
