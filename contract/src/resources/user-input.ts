import { z } from 'zod/v4'
import {
  email,
  environmentEcho,
  flag,
  httpsUrl,
  personal,
  phone,
  secret,
  slug,
  text,
} from '../core/fields.js'
import { maxMetaKeys } from './metadata.js'
import { addressInput, claimInput, fullNameOf, phoneInput, profilePage } from './profile.js'

const AddressInput = z.strictObject({
  ...addressInput,
  city: text(100).nullish().describe('The same as locality'),
})

const readOnly = z
  .string()
  .nullish()
  .describe('Copy of another member; accepted, so that a profile can be sent back as read, but never stored')

const ProfileInput = z.strictObject({
  ...claimInput,
  profile: profilePage,
  address: AddressInput.nullish(),
  name: readOnly.describe(
    'Copy of given_name and family_name; accepted, so that a profile can be sent back as read, but never stored: of a new user it must be their copy',
  ),
  email: readOnly,
  phone_number: readOnly,
})

const MetadataInput = z
  .array(
    z.object({
      key: z.union([z.string(), z.object({ name: z.string() }).transform((key) => key.name)]),
      value: z.string(),
    }),
  )
  .max(maxMetaKeys)

/** Members with several accepted forms; all are read into profile, address and metadata. */
const gathered = {
  profile: personal(z.union([ProfileInput, httpsUrl()])).nullish(),
  address: personal(AddressInput).nullish(),
  metadata: personal(MetadataInput).optional().describe('Replaces all metadata values of the user'),
  meta_data: personal(MetadataInput).optional().describe('The same as metadata'),
  ...claimInput,
  ...addressInput,
  city: text(100).nullish().describe('The same as locality'),
}

/**
 * A user as callers write it: the profile and the address nested, or their members flat beside the e-mail address.
 * Both forms are read into the nested one; every other member stays unchanged.
 */
const userMembers = z.strictObject({
  email: personal(email()),
  active: flag().optional(),
  phone_number: personal(phone()).nullish(),
  phone_numbers: personal(z.array(phoneInput).max(10)).optional(),
  ...gathered,
  domain: slug().optional().describe('Repeats the domain of the organization'),
  environment: environmentEcho(),
})

export const NewUser = userMembers.transform(newlyNested)
export type NewUser = z.output<typeof NewUser>

export const UserChanges = userMembers.partial().transform(nested)
export type UserChanges = z.output<typeof UserChanges>

/** A line of an import file: a user as callers write it, with members that only an operator may assert. */
export const ImportedUser = userMembers
  .extend({
    email_verified: flag().default(false).describe('Whether the address has been verified'),
    password_hash: secret(z.string().max(1000))
      .optional()
      .describe('bcrypt, scrypt, PBKDF2 or Argon2 hash in the format of the previous product'),
  })
  .transform(nested)
export type ImportedUser = z.output<typeof ImportedUser>

type ProfileMembers = z.output<typeof ProfileInput>
type ClaimChanges = Omit<ProfileMembers, 'address' | 'name' | 'email' | 'phone_number'>
type AddressChanges = Omit<z.output<typeof AddressInput>, 'city'>

type Gathered = {
  metadata?: z.output<typeof MetadataInput> | undefined
  profile?: ClaimChanges | null | undefined
  address?: AddressChanges | null | undefined
}

/** Collects flat members into profile and address. Two different values of a member are a fault. */
function nested<Input extends Partial<z.output<typeof userMembers>>>(
  input: Input,
  context: z.RefinementCtx,
): Omit<Input, keyof typeof gathered> & Gathered {
  const given = typeof input.profile === 'string' ? { profile: input.profile } : input.profile
  const { address: addressInProfile, name, email, phone_number, ...claims }: ProfileMembers = given ?? {}

  const profile = merge<ClaimChanges>(context, pick(input, Object.keys(claimInput)), claims)
  const metadata = merge<Pick<Gathered, 'metadata'>>(
    context,
    { metadata: input.metadata },
    { metadata: input.meta_data },
  )
  const address = merge<AddressChanges>(
    context,
    ...withLocality(pick(input, [...Object.keys(addressInput), 'city'])),
    ...withLocality(addressInProfile ?? {}),
    ...withLocality(input.address ?? {}),
  )
  const cleared = input.address === null || (input.address === undefined && addressInProfile === null)
  return {
    ...withoutGathered(input),
    metadata: metadata?.metadata,
    profile: profile ?? (given === null ? null : undefined),
    address: address ?? (cleared ? null : undefined),
  }
}

/** The same of a new user. A name of its own would be lost; of a change it may be that of the profile as it was read. */
function newlyNested<Input extends Partial<z.output<typeof userMembers>>>(
  input: Input,
  context: z.RefinementCtx,
): ReturnType<typeof nested<Input>> {
  const user = nested(input, context)
  const { name } = typeof input.profile === 'object' && input.profile !== null ? input.profile : {}
  if (name != null && name !== fullNameOf(user.profile ?? {}))
    context.addIssue({
      code: 'custom',
      path: ['profile', 'name'],
      message: 'is not the given_name and family_name, which alone are stored: send those',
    })
  return user
}

function withoutGathered<Input extends object>(input: Input): Omit<Input, keyof typeof gathered> {
  const others = Object.entries(input).filter(([name]) => !Object.hasOwn(gathered, name))
  // Only the members named by the type are removed.
  return Object.fromEntries(others) as Omit<Input, keyof typeof gathered>
}

/** An address in two parts: its members, and the locality if given as `city`. */
function withLocality({ city, ...address }: AddressChanges & { city?: string | null }): AddressChanges[] {
  return city === undefined ? [address] : [address, { locality: city }]
}

function pick(input: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)))
}

function merge<T extends object>(context: z.RefinementCtx, ...parts: T[]): T | undefined {
  const merged = new Map<string, unknown>()
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    if (value === undefined) continue
    if (merged.has(name) && JSON.stringify(merged.get(name)) !== JSON.stringify(value))
      context.addIssue({ code: 'custom', path: [name], message: 'is given twice with different values' })
    merged.set(name, value)
  }
  // Every entry comes from a part, and each part is a T without some members.
  return merged.size === 0 ? undefined : (Object.fromEntries(merged) as T)
}
