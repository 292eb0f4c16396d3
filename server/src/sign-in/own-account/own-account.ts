import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { isPasskeyUsableByUserOf } from '../../directory/sessions/passkey-held.js'
import { arePasskeysOfferedTo } from '../../directory/sessions/passkeys-offered.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import { arePasskeysDemandedOf, isFactorDemandedOf } from '../../directory/sessions/factor-due.js'
import { comesBySso } from '../../directory/users/sso-user.js'
import { usersOf } from '../../directory/users/whole-user.js'

/** The members of a user that are theirs to write: claims of the profile, and parts of the address. */
export const ownClaims = ['given_name', 'family_name', 'nickname', 'locale', 'zoneinfo', 'picture'] as const
export const ownAddressParts = ['street_address', 'postal_code', 'locality', 'region', 'country'] as const
export const ownMembers = [...ownClaims, ...ownAddressParts] as const
export type OwnMember = (typeof ownMembers)[number]

/** What users see of their own account, and what is theirs to change. */
export interface OwnAccount {
  readonly organizationId: string
  readonly email: string
  readonly profile: Readonly<Record<OwnMember, string>>
  /** The organization lets its users change their profile and download their data. */
  readonly isSelfService: boolean
  /** The organization lets its users delete their account, and no directory keeps this one. */
  readonly isDeletionOffered: boolean
  /** The organization lets its users ask its administrators for the deletion of their account. */
  readonly isDeletionRequestOffered: boolean
  /** A directory or an identity provider writes the profile, so that a change here would be lost, or the organization does. */
  readonly isProfileManaged: boolean
  readonly isKeptByDirectory: boolean
  /** Another system writes the address, or signs its user in by it, or the organization keeps it to itself. */
  readonly isEmailManaged: boolean
  readonly password: {
    /** Whether the organization lets its users sign in with one, and they come by no single sign-on: a password would outlive it. */
    readonly isOffered: boolean
    /** Whether the first one takes a link to the mailbox, which nobody has proved: its owner would come to a password of whoever has claimed it. */
    readonly needsMailbox: boolean
    readonly isSet: boolean
    /** In characters. */
    readonly lengths: { readonly min: number; readonly max: number }
  }
  /** The organization demands a second factor, and the user has no passkey where it demands those: a code is replaced, not removed. */
  readonly isSecondFactorDemanded: boolean
  readonly codes: {
    /** Whether the organization lets its users enrol codes. */
    readonly isOffered: boolean
    readonly isEnrolled: boolean
  }
  /** Whether the organization lets its users have passkeys, and single sign-on is not their only way. */
  readonly arePasskeysOffered: boolean
  readonly passkeyCount: number
  /** Whether the organization lets its users sign in with social providers, or this one is known by one. */
  readonly hasSocialSignIn: boolean
  /** Whether they can link one: nobody signs in by it who has to come by single sign-on. */
  readonly isLinkingOffered: boolean
}

/** The account of a user; undefined when there is none. */
export async function findOwnAccount(
  { config }: Pick<Deps, 'config'>,
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<OwnAccount | undefined> {
  const [row] = await selectOwnAccount(db, { ...tenant, userId, rpId: config.passkeyRpId ?? null })
  if (row === undefined) return undefined
  const { plain_text_min_length: min, plain_text_max_length: max } = row
  return {
    organizationId: row.organization_id,
    email: row.email,
    profile: toOwnProfile(row),
    isSelfService: row.is_self_service,
    isDeletionOffered: row.is_deletion_offered,
    isDeletionRequestOffered: row.is_deletion_request_offered,
    isProfileManaged: row.is_profile_managed || !row.is_self_service,
    isKeptByDirectory: row.is_kept_by_directory,
    isEmailManaged: row.is_profile_managed || row.is_sso_user || row.is_sso_required || !row.is_self_service,
    password: {
      isOffered: row.is_password_active === true && !row.is_sso_required && !row.is_sso_user,
      needsMailbox: !row.is_password_set && !row.is_address_proved,
      isSet: row.is_password_set,
      lengths: { min: min ?? 0, max: max ?? 0 },
    },
    isSecondFactorDemanded: row.is_second_factor_demanded,
    codes: { isOffered: row.are_codes_offered, isEnrolled: row.are_codes_enrolled },
    arePasskeysOffered: row.are_passkeys_offered,
    passkeyCount: row.passkey_count,
    hasSocialSignIn: row.is_social_active || row.is_social_user,
    isLinkingOffered: row.is_social_active && !(row.is_sso_required || row.is_sso_user),
  }
}

interface OwnKey extends Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'> {
  readonly userId: string
  /** The domain of passkeys; null where the service has none. */
  readonly rpId: string | null
}

const selectOwnAccount = lookup((db, user: OwnKey) =>
  usersOf(db, user)
    .leftJoin('password_connections as connection', (join) => join.on(sameTenant('connection', 'users')))
    .where('users.id', '=', user.userId)
    .select([
      'users.organization_id',
      'users.email',
      'users.profile',
      'users.address',
      'connection.active as is_password_active',
      'connection.plain_text_min_length',
      'connection.plain_text_max_length',
      isSsoRequiredOf('users').as('is_sso_required'),
      sql<boolean>`exists (
        select from passwords where ${sameTenant('passwords', 'users')} and passwords.user_id = users.id
      )`.as('is_password_set'),
      sql<boolean>`(
        users.email_proved_at is not null or exists (
          select from user_identities as origin
          where ${sameTenant('origin', 'users')} and origin.user_id = users.id
            and origin.kind = 'social' and origin.has_created_user
        )
      )`.as('is_address_proved'),
      sql<boolean>`(
        ${isFactorDemandedOf('users')} or (
          ${arePasskeysDemandedOf('users')} and not ${isPasskeyUsableByUserOf('users', user.rpId ?? undefined)}
        )
      )`.as('is_second_factor_demanded'),
      sql<boolean>`not exists (
        select from organization_policies as policy
        where ${sameTenant('policy', 'users')} and not policy.self_service
      )`.as('is_self_service'),
      sql<boolean>`(
        exists (
          select from organization_policies as policy
          where ${sameTenant('policy', 'users')} and policy.self_deletion = 'allowed'
        ) and not ${isKeptByDirectory()}
      )`.as('is_deletion_offered'),
      sql<boolean>`exists (
        select from organization_policies as policy
        where ${sameTenant('policy', 'users')} and policy.self_deletion = 'request'
      )`.as('is_deletion_request_offered'),
      sql<boolean>`exists (
        select from totp_connections as codes
        where ${sameTenant('codes', 'users')} and codes.active
      )`.as('are_codes_offered'),
      sql<boolean>`exists (
        select from totp_enrollments as enrolled
        where ${sameTenant('enrolled', 'users')} and enrolled.user_id = users.id and enrolled.validated_at is not null
      )`.as('are_codes_enrolled'),
      sql<number>`(
        select count(*)::integer from passkeys as held
        where ${sameTenant('held', 'users')} and held.user_id = users.id
      )`.as('passkey_count'),
      arePasskeysOfferedTo('users').as('are_passkeys_offered'),
      sql<boolean>`exists (
        select from social_connections as social
        where ${sameTenant('social', 'users')} and social.active
      )`.as('is_social_active'),
      sql<boolean>`exists (
        select from user_identities as known
        where ${sameTenant('known', 'users')} and known.user_id = users.id and known.kind = 'social'
      )`.as('is_social_user'),
      isProfileManaged().as('is_profile_managed'),
      isKeptByDirectory().as('is_kept_by_directory'),
      comesBySso('users').as('is_sso_user'),
    ]),
)

function toOwnProfile({ profile, address }: { readonly profile: unknown; readonly address: unknown }) {
  const of = (stored: unknown, names: readonly OwnMember[]) => {
    const texts: Record<string, unknown> = typeof stored === 'object' ? { ...stored } : {}
    return names.map((name) => [name, typeof texts[name] === 'string' ? texts[name] : ''] as const)
  }
  const members = new Map<OwnMember, string>([...of(profile, ownClaims), ...of(address, ownAddressParts)])
  return eachOwnMember((name) => members.get(name) ?? '')
}

/** A value for each member. */
export function eachOwnMember<Value>(valueOf: (name: OwnMember) => Value): Record<OwnMember, Value> {
  return {
    given_name: valueOf('given_name'),
    family_name: valueOf('family_name'),
    nickname: valueOf('nickname'),
    locale: valueOf('locale'),
    zoneinfo: valueOf('zoneinfo'),
    picture: valueOf('picture'),
    street_address: valueOf('street_address'),
    postal_code: valueOf('postal_code'),
    locality: valueOf('locality'),
    region: valueOf('region'),
    country: valueOf('country'),
  }
}

/** Whether another system writes the profile of the user of a statement's row. */
function isProfileManaged() {
  return sql<boolean>`(${isKeptByDirectory()} or ${comesBySso('users', sql`connection.update_user_new_connection`)})`
}

function isKeptByDirectory() {
  return sql<boolean>`exists (
    select from directory_users as member
    where ${sameTenant('member', 'users')} and member.user_id = users.id
  )`
}
