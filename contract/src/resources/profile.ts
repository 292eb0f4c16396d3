import { z } from 'zod/v4'
import { calendarDate, flag, httpsUrl, locale, phone, text, timeZone } from '../core/fields.js'
import { exampleOf, record } from '../core/record.js'

const line = z.string().nullable()

/** OpenID Connect Core section 5.1.1. */
export const Address = record(
  'Address',
  {
    formatted: line.describe('May contain newlines'),
    street_address: line.describe('May contain newlines'),
    locality: line,
    region: line,
    postal_code: line,
    country: line,
  },
  {
    formatted: null,
    street_address: '12 rue de la République',
    locality: 'Lyon',
    region: 'Auvergne-Rhône-Alpes',
    postal_code: '69001',
    country: 'France',
  },
)
export type Address = z.output<typeof Address>

const genders = ['female', 'male', 'other'] as const

/** The standard claims of OpenID Connect Core section 5.1. */
export const Profile = record(
  'Profile',
  {
    given_name: line,
    family_name: line,
    name: line.describe('Given name and family name; read-only'),
    nickname: line,
    preferred_username: line,
    birthdate: line.describe('YYYY-MM-DD'),
    gender: z.enum(genders).nullable(),
    locale: line.describe('BCP 47'),
    zoneinfo: line.describe('IANA time zone'),
    picture: line,
    profile: line.describe('Address of the profile page'),
    website: line,
    email: z.string().describe('Copy of the same member of the user; read-only'),
    phone_number: line.describe('Copy of the same member of the user; read-only'),
    address: Address.describe('Copy of the same member of the user; read-only'),
  },
  {
    given_name: 'Ada',
    family_name: 'Lovelace',
    name: 'Ada Lovelace',
    nickname: null,
    preferred_username: 'ada',
    birthdate: '1815-12-10',
    gender: 'female',
    locale: 'en-GB',
    zoneinfo: 'Europe/London',
    picture: 'https://awesome.example/ada.png',
    profile: null,
    website: null,
    email: 'ada@awesome.example',
    phone_number: '+33612345678',
    address: exampleOf(Address),
  },
)
export type Profile = z.output<typeof Profile>

/** The claim `name` of a profile, which is its given and its family name; null without both. */
export function fullNameOf({
  given_name: given,
  family_name: family,
}: {
  readonly [Name in 'given_name' | 'family_name']?: string | null | undefined
}): string | null {
  const names = [given, family].filter((name) => name != null && name !== '')
  return names.length === 0 ? null : names.join(' ')
}

/** The claims of the scope profile (OpenID Connect Core section 5.4): a profile without its copies of other members. */
export type StandardClaim = Exclude<keyof Profile, 'email' | 'phone_number' | 'address'>

interface ClaimUse {
  /** Whether it is a name, which a password may not contain. */
  readonly isName: boolean
  /** The SCIM attribute and sub-attribute of the claim; null without one. */
  readonly scim: readonly [attribute: string, member?: string] | null
}

/** The use of each claim, in the order of UserInfo. The compiler requires a row for every new one. */
export const standardClaims = {
  name: { isName: true, scim: null },
  given_name: { isName: true, scim: ['name', 'givenName'] },
  family_name: { isName: true, scim: ['name', 'familyName'] },
  nickname: { isName: true, scim: ['nickName'] },
  preferred_username: { isName: true, scim: null },
  profile: { isName: false, scim: ['profileUrl'] },
  picture: { isName: false, scim: ['photos', 'value'] },
  website: { isName: false, scim: null },
  gender: { isName: false, scim: null },
  birthdate: { isName: false, scim: null },
  zoneinfo: { isName: false, scim: ['timezone'] },
  locale: { isName: false, scim: ['locale'] },
} as const satisfies Record<StandardClaim, ClaimUse>

// The table has exactly the keys of its type.
export const standardClaimNames = Object.keys(standardClaims) as readonly StandardClaim[]

export const PhoneNumber = record(
  'PhoneNumber',
  {
    default: z.boolean(),
    phone_country_code: z.int(),
    phone_national_number: z.string(),
    primary: z.boolean().describe('true for exactly one number, the value of phone_number'),
    type: z.string(),
    value: z.string().describe('E.164'),
  },
  {
    default: true,
    phone_country_code: 33,
    phone_national_number: '612345678',
    primary: true,
    type: 'mobile',
    value: '+33612345678',
  },
)
export type PhoneNumber = z.output<typeof PhoneNumber>

/** The members of an address that a caller may write; null clears one. */
export const addressInput = {
  formatted: text(500).nullish(),
  street_address: text(300).nullish(),
  locality: text(100).nullish(),
  region: text(100).nullish(),
  postal_code: text(30).nullish(),
  country: text(100).nullish(),
}

/** The claims of a profile that a caller may write, without `profile`, which in the flat form names the whole profile. */
export const claimInput = {
  given_name: text(100).nullish(),
  family_name: text(100).nullish(),
  nickname: text(100).nullish(),
  preferred_username: text(100).nullish(),
  birthdate: calendarDate().nullish(),
  gender: z.enum(genders).nullish(),
  locale: locale().nullish(),
  zoneinfo: timeZone().nullish(),
  picture: httpsUrl().nullish(),
  website: httpsUrl().nullish(),
}

export const profilePage = httpsUrl().nullish()

export const phoneInput = z.strictObject({
  value: phone(),
  type: text(30, 1).default('mobile'),
  primary: flag().default(false),
  default: flag().default(false),
  phone_country_code: z
    .int()
    .optional()
    .describe('Derived from value; accepted and ignored, so that a number can be sent back as read'),
  phone_national_number: z.string().optional().describe('Like phone_country_code'),
})
