import type { MetaData, MetaKey } from '@portico/contract/metadata'
import { fullNameOf, type Address, type PhoneNumber, type Profile } from '@portico/contract/profile'
import type { UserChanges } from '@portico/contract/user-input'
import type { DeletedUser, Identity, User } from '@portico/contract/users'
import type { Selectable } from 'kysely'
import type { Users } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

export const userColumns = [
  'users.id',
  'users.organization_id',
  'users.active',
  'users.email',
  'users.email_verified',
  'users.phone_number_verified',
  'users.phone_numbers',
  'users.profile',
  'users.address',
  'users.avatar_hexa_color',
  'users.version',
  'users.inserted_at',
  'users.updated_at',
  'users.deleted_at',
] as const

/** A metadata value with its key, as aggregated by the statement. */
export interface MetaDataRow {
  readonly id: string
  readonly value: string
  readonly key_id: string
  readonly name: string
  readonly type: MetaKey['type']
  readonly required: boolean
}

/** An identity as aggregated by the statement. */
export interface IdentityRow {
  /** Null of that of a directory. */
  readonly id: string | null
  readonly idp_id: string | null
  readonly provider: string
  readonly data: Identity['data']
  /** Milliseconds since 1970; null for a directory, which reports no sign-ins. */
  readonly authenticated_at_ms: number | null
}

/** A group of the directory as aggregated by the statement. */
export interface GroupRow {
  readonly id: string
  readonly display_name: string
}

export type UserRow = Pick<Selectable<Users>, ColumnOf<(typeof userColumns)[number]>> & {
  metadata: readonly MetaDataRow[]
  identities: readonly IdentityRow[]
  groups: readonly GroupRow[]
}

type ColumnOf<Name extends string> = Name extends `users.${infer Column extends keyof Users}` ? Column : never

/** Members of a body without a column: an element of phone_numbers, rows of user_metadata, and mere repetitions. */
type MemberWithoutColumn = 'phone_number' | 'metadata' | 'domain' | 'environment'

/** The part of a user that callers write; every other member of a body has a column of the same name. */
type WrittenUser = Pick<Selectable<Users>, Exclude<keyof UserChanges, MemberWithoutColumn>>

/** The written columns before any input; every new user brings an e-mail address. */
export const unwritten: WrittenUser = { active: true, email: '', phone_numbers: [], profile: {}, address: {} }

/** Picks the written columns by name: a statement's placeholder lists no members. */
export function writtenPartOf(user: WrittenUser): WrittenUser {
  const columns = Object.keys(unwritten) as (keyof WrittenUser)[]
  // An entry for each of the keys.
  return Object.fromEntries(columns.map((column) => [column, user[column]])) as unknown as WrittenUser
}

/** The content of the jsonb columns: the members that were set. */
type StoredProfile = Partial<Pick<Profile, keyof NonNullable<UserChanges['profile']>>>
type StoredAddress = Partial<Pick<Address, keyof NonNullable<UserChanges['address']>>>

/**
 * A change of a user in the columns that callers write: absent stays, null clears, profile and address merge.
 *
 * @param phoneNumbers All numbers of the user after the change.
 */
export function toUserRow(
  current: WrittenUser,
  input: UserChanges,
  phoneNumbers: readonly PhoneNumber[],
): WrittenUser {
  const { active = current.active, email = current.email } = input
  const profile: StoredProfile =
    input.profile === null ? {} : { ...(current.profile as StoredProfile), ...input.profile }
  const address: StoredAddress =
    input.address === null ? {} : { ...(current.address as StoredAddress), ...input.address }
  return {
    active,
    email,
    phone_numbers: JSON.stringify(phoneNumbers),
    profile: JSON.stringify(profile),
    address: JSON.stringify(address),
  }
}

export function toUser(
  row: Omit<UserRow, 'organization_id' | 'deleted_at'>,
  tenant: Pick<Tenant, 'domain' | 'environment'>,
): User {
  // The three columns are written only from validated input, by toUserRow().
  const phoneNumbers = row.phone_numbers as unknown as PhoneNumber[]
  const address = toAddress(row.address as StoredAddress)
  const phoneNumber = phoneNumbers.find((number) => number.primary)?.value ?? null
  return {
    __type__: 'User',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    id: row.id,
    active: row.active,
    email: row.email,
    email_verified: row.email_verified,
    phone_number: phoneNumber,
    phone_number_verified: row.phone_number_verified,
    phone_numbers: phoneNumbers,
    address,
    identities: row.identities.map(toIdentity),
    groups: row.groups.map(({ id, display_name }) => ({ id, display_name })),
    metadata: row.metadata.map((data) => toMetaData(data, tenant.domain)),
    profile: toProfile(row.profile as StoredProfile, {
      email: row.email,
      phone_number: phoneNumber,
      address,
    }),
    avatar_hexa_color: row.avatar_hexa_color,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function toDeletedUser(row: UserRow): DeletedUser {
  return { __type__: 'User', id: row.id, email: row.email, deleted: true }
}

function toProfile(
  stored: StoredProfile,
  copies: Pick<Profile, 'email' | 'phone_number' | 'address'>,
): Profile {
  return {
    given_name: stored.given_name ?? null,
    family_name: stored.family_name ?? null,
    name: fullNameOf(stored),
    nickname: stored.nickname ?? null,
    preferred_username: stored.preferred_username ?? null,
    birthdate: stored.birthdate ?? null,
    gender: stored.gender ?? null,
    locale: stored.locale ?? null,
    zoneinfo: stored.zoneinfo ?? null,
    picture: stored.picture ?? null,
    profile: stored.profile ?? null,
    website: stored.website ?? null,
    ...copies,
  }
}

function toAddress(stored: StoredAddress): Address {
  return {
    formatted: stored.formatted ?? null,
    street_address: stored.street_address ?? null,
    locality: stored.locality ?? null,
    region: stored.region ?? null,
    postal_code: stored.postal_code ?? null,
    country: stored.country ?? null,
  }
}

function toIdentity({ id, idp_id, provider, data, authenticated_at_ms }: IdentityRow): Identity {
  return {
    __type__: 'Identity',
    id,
    idp_id,
    provider,
    authenticated_at: authenticated_at_ms === null ? null : new Date(authenticated_at_ms).toISOString(),
    data,
  }
}

function toMetaData(row: MetaDataRow, domain: string): MetaData {
  return {
    __type__: 'MetaData',
    id: row.id,
    key: {
      __type__: 'MetaKey',
      __domain__: domain,
      id: row.key_id,
      name: row.name,
      type: row.type,
      required: row.required,
    },
    value: row.value,
  }
}
