import { z } from 'zod/v4'
import { email, environmentEcho, flag, httpsUrl, personal, phone, slug, text } from './fields.js'
import { maxMetaKeys } from './metadata.js'
import { addressInput, claimInput, phoneInput, profilePage } from './profile.js'

const AddressInput = z.strictObject({
  ...addressInput,
  city: text(100).nullish().describe('The same as locality'),
})

const readOnly = z
  .string()
  .nullish()
  .describe('A copy, accepted so that a profile can be sent as it was read; not written')

const ProfileInput = z.strictObject({
  ...claimInput,
  profile: profilePage,
  address: AddressInput.nullish(),
  name: readOnly,
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

/**
 * A user as callers write it: the profile and the address nested, or their members flat beside the e-mail address.
 * Both forms are read into the nested one.
 */
const userMembers = z.strictObject({
  email: personal(email()),
  active: flag().optional(),
  phone_number: personal(phone()).nullish(),
  phone_numbers: personal(z.array(phoneInput).max(10)).optional(),
  profile: personal(z.union([ProfileInput, httpsUrl()])).nullish(),
  address: personal(AddressInput).nullish(),
  metadata: personal(MetadataInput).optional().describe('Replaces all values of the user'),
  meta_data: personal(MetadataInput).optional().describe('The same as metadata'),
  ...claimInput,
  ...addressInput,
  city: text(100).nullish().describe('The same as locality'),
  domain: slug().optional().describe('Repeats the domain of the organization'),
  environment: environmentEcho(),
})

export const NewUser = userMembers.transform(nested)
export type NewUser = z.output<typeof NewUser>

export const UserChanges = userMembers.partial().transform(nested)
export type UserChanges = z.output<typeof UserChanges>

type AddressChanges = z.output<z.ZodObject<typeof addressInput>>
type MetadataChanges = z.output<typeof MetadataInput> | undefined
type ClaimChanges = z.output<z.ZodObject<typeof claimInput>> & { profile?: string | null | undefined }

/** Gathers flat members into profile and address. A member given twice with two values is a fault. */
function nested<Input extends Partial<z.output<typeof userMembers>>>(
  input: Input,
  context: z.RefinementCtx,
): Pick<Input, 'email' | 'active' | 'phone_number' | 'phone_numbers' | 'domain'> & {
  metadata: MetadataChanges
  profile: ClaimChanges | null | undefined
  address: AddressChanges | null | undefined
} {
  const { email, active, phone_number, phone_numbers, domain } = input
  const given = typeof input.profile === 'string' ? { profile: input.profile } : input.profile
  const addressInProfile = given?.address
  const claimNames = [...Object.keys(claimInput), 'profile']

  const profile = merge<ClaimChanges>(
    context,
    pick(input, Object.keys(claimInput)),
    pick(given ?? {}, claimNames),
  )
  const metadata = merge<{ metadata?: MetadataChanges }>(
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
    email,
    active,
    phone_number,
    phone_numbers,
    metadata: metadata?.metadata,
    domain,
    profile: profile ?? (given === null ? null : undefined),
    address: address ?? (cleared ? null : undefined),
  }
}

/** An address in two parts: what it says, and what it says of the locality under another name. */
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
  // Every entry comes from a part, and each part is a T with some members left out.
  return merged.size === 0 ? undefined : (Object.fromEntries(merged) as T)
}
