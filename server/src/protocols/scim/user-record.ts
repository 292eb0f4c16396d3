import { userSchema } from '@portico/contract/scim'
import {
  addressInput,
  claimInput,
  phoneInput,
  profilePage,
  standardClaims,
  type StandardClaim,
} from '@portico/contract/profile'
import type { UserChanges } from '@portico/contract/user-input'
import { countryOfPhoneNumber } from '../../platform/phone.js'
import { isComplex, isList, type ScimComplex, type ScimResource, type ScimValue } from './values.js'

const claims = { ...claimInput, profile: profilePage }
type Claim = {
  [Name in StandardClaim]: (typeof standardClaims)[Name]['scim'] extends null ? never : Name
}[StandardClaim]
type AddressMember = keyof typeof addressInput
type PhoneInput = NonNullable<UserChanges['phone_numbers']>[number]

/** The part of a resource stored in the user's record; null where it is absent, or invalid for the record. */
interface RecordPart {
  readonly active: boolean
  readonly profile: Readonly<Record<Claim, string | null>>
  readonly address: Readonly<Record<AddressMember, string | null>>
  readonly phone_numbers: readonly PhoneInput[]
}

/** The SCIM attributes that the claims of a profile are read from. */
export const claimPaths = Object.fromEntries(
  Object.entries(standardClaims).flatMap(([claim, { scim }]): [string, readonly [string, string?]][] =>
    scim === null ? [] : [[claim, scim]],
  ),
  // The object has an entry for each claim with an attribute.
) as Record<Claim, readonly [string, string?]>

/** The SCIM names of the members of an address. */
export const addressNames = {
  formatted: 'formatted',
  street_address: 'streetAddress',
  locality: 'locality',
  region: 'region',
  postal_code: 'postalCode',
  country: 'country',
} as const satisfies Record<AddressMember, string>

const maxPhoneNumbers = 10

/** Extracts the part of a resource that the user's record also stores. */
export function recordPartOf(resource: ScimResource): RecordPart {
  const core = coreOf(resource)
  const address = preferredElement(core['addresses'])
  return {
    active: core['active'] !== false,
    profile: mapKeys(claimPaths, (claim, [name, sub]) => {
      const text = textAt(core[name], sub)
      const read = claims[claim].safeParse(text)
      return read.success && typeof read.data === 'string' && read.data !== '' ? read.data : null
    }),
    address: mapKeys(addressNames, (member, name) => {
      const read = addressInput[member].safeParse(address?.[name])
      return read.success && typeof read.data === 'string' && read.data !== '' ? read.data : null
    }),
    phone_numbers: phoneNumbersOf(core['phoneNumbers']),
  }
}

/** The attributes of the core schema. */
export function coreOf(resource: ScimResource): Readonly<Record<string, ScimValue>> {
  return resource[userSchema.id] ?? {}
}

/** The preferred element of a list: the primary one, else that for work, else the first. */
export function preferredElement(value: ScimValue | undefined): ScimComplex | undefined {
  if (!isList(value)) return undefined
  return (
    value.find((element) => element['primary'] === true) ??
    value.find((element) => isWork(element)) ??
    value[0]
  )
}

function isWork({ type }: ScimComplex): boolean {
  return typeof type === 'string' && type.toLowerCase() === 'work'
}

function textAt(value: ScimValue | undefined, sub: string | undefined): string | undefined {
  const members = isList(value) ? preferredElement(value) : value
  const leaf = isComplex(members) && sub !== undefined ? members[sub] : members
  return typeof leaf === 'string' ? leaf : undefined
}

/** The distinct numbers in E.164 form, one of them primary. */
function phoneNumbersOf(value: ScimValue | undefined): PhoneInput[] {
  const list = isList(value) ? value : []
  const read = list.flatMap((element) => {
    const { value: number, type, primary } = element
    const parsed = phoneInput.safeParse({
      value: number,
      ...(typeof type === 'string' && type !== '' && { type: type.toLowerCase() }),
      primary: primary === true,
    })
    return parsed.success && countryOfPhoneNumber(parsed.data.value) !== undefined ? [parsed.data] : []
  })
  const once = read.filter(
    (number, index) => read.findIndex((other) => other.value === number.value) === index,
  )
  return once.slice(0, maxPhoneNumbers)
}

/** The changes of the user's record that follow from a change of the resource. */
export function recordChanges(before: RecordPart, after: RecordPart): UserChanges {
  const profile = changedEntries(before.profile, after.profile)
  const address = changedEntries(before.address, after.address)
  const arePhonesKept = JSON.stringify(before.phone_numbers) === JSON.stringify(after.phone_numbers)
  return {
    ...(before.active !== after.active && { active: after.active }),
    ...(Object.keys(profile).length > 0 && { profile }),
    ...(Object.keys(address).length > 0 && { address }),
    ...(!arePhonesKept && { phone_numbers: [...after.phone_numbers] }),
  }
}

function changedEntries<Key extends string>(
  before: Readonly<Record<Key, string | null>>,
  after: Readonly<Record<Key, string | null>>,
): Partial<Record<Key, string | null>> {
  return mapKeys(after, (key, value) => (before[key] === value ? undefined : value))
}

/** The values of an object by its keys, without those that are undefined. */
function mapKeys<Key extends string, Value, Result>(
  object: Readonly<Record<Key, Value>>,
  toResult: (key: Key, value: Value) => Result,
): Record<Key, Exclude<Result, undefined>> {
  const entries = (Object.entries(object) as [Key, Value][]).map(([key, value]) => [
    key,
    toResult(key, value),
  ])
  // Object.entries() gives the keys of the object and no others.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<
    Key,
    Exclude<Result, undefined>
  >
}
