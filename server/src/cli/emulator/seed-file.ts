import { scopes } from '@portico/contract/access'
import { AccountChanges } from '@portico/contract/account'
import { NewApplication } from '@portico/contract/applications'
import { environment, flag, id, list, slug, text } from '@portico/contract/fields'
import { MagicLinkConnectionChanges } from '@portico/contract/magic-link'
import { NewOrganization } from '@portico/contract/organizations'
import { NewPasswordConnection } from '@portico/contract/password-input'
import { NewDomain } from '@portico/contract/domains'
import { NewInvitation } from '@portico/contract/invitations'
import { OrganizationPolicyChanges } from '@portico/contract/organization-policy'
import { NewPermission } from '@portico/contract/permissions'
import { NewRole } from '@portico/contract/roles'
import { NewSsoConnection, SsoConnectionChanges } from '@portico/contract/sso-connections'
import { NewMetaKey } from '@portico/contract/token-customization'
import { PasskeyConnectionChanges } from '@portico/contract/passkeys'
import { TotpConnectionChanges } from '@portico/contract/totp'
import { NewUser } from '@portico/contract/user-input'
import { UserRolesChanges } from '@portico/contract/user-roles'
import { NewWebhook } from '@portico/contract/webhooks'
import { z } from 'zod/v4'
import { isApiKeySecret } from '../../platform/crypto/secret.js'

/**
 * An entry of a seed: the input as the contract's own schema reads it, and members that only seeds have. So a new field
 * of the contract can be seeded at once.
 */
function entryOf<Input extends z.ZodType, Own extends z.ZodRawShape>(input: Input, own: Own) {
  const members = z.object(own)
  const names = Object.keys(own)
  return z.unknown().transform((value, context) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      context.issues.push({ code: 'custom', message: 'must be a mapping of names to values', input: value })
      return z.NEVER
    }
    const isOwn = ([name]: [string, unknown]) => names.includes(name)
    const entries = Object.entries(value)
    const ownRead = members.safeParse(Object.fromEntries(entries.filter(isOwn)))
    const read = input.safeParse(Object.fromEntries(entries.filter((entry) => !isOwn(entry))))
    // Both are read, so that one fault does not hide another.
    for (const issue of [...(ownRead.error?.issues ?? []), ...(read.error?.issues ?? [])])
      context.issues.push({ ...issue, input: value, continue: true } as z.core.$ZodRawIssue)
    if (!ownRead.success || !read.success) return z.NEVER
    return { ...ownRead.data, input: read.data }
  })
}

const SeedUser = entryOf(NewUser, {
  password: z.string().optional().describe('In clear: everybody knows what is in a seed'),
  email_verified: flag().default(false),
  roles: UserRolesChanges.shape.roles
    .optional()
    .describe('Names of roles of the account or the organization'),
})

const SeedRole = NewRole.omit({ organization_domain_scope: true })

const SeedSsoConnection = entryOf(
  NewSsoConnection.omit({ organization_id: true, application_id: true, environment: true }),
  {
    name: text(100, 1).default('sso').describe('What the seed calls it; its ids come from that'),
    application: text(100, 1)
      .optional()
      .describe('Name of an application of the same environment, for the default redirection'),
    ...SsoConnectionChanges.pick({ metadata: true, active: true }).shape,
  },
)

const SeedEnvironment = z
  .strictObject({
    applications: z.array(entryOf(NewApplication, {})).default([]),
    magic_link_connection: MagicLinkConnectionChanges.optional(),
    password_connection: NewPasswordConnection.optional(),
    totp_connection: TotpConnectionChanges.optional(),
    passkey_connection: PasskeyConnectionChanges.optional(),
    domains: z.array(entryOf(NewDomain, {})).default([]),
    roles: z.array(entryOf(SeedRole, {})).default([]),
    sso_connections: z.array(SeedSsoConnection).default([]),
    users: z.array(SeedUser).default([]),
    invitations: z.array(entryOf(NewInvitation, {})).default([]),
    policy: OrganizationPolicyChanges.optional(),
  })
  .prefault({})
export type SeedEnvironment = z.output<typeof SeedEnvironment>

const SeedOrganization = entryOf(NewOrganization, {
  meta_keys: z.array(entryOf(NewMetaKey, {})).default([]),
  sandbox: SeedEnvironment,
  production: SeedEnvironment,
})
export type SeedOrganization = z.output<typeof SeedOrganization>

const SeedApiKey = z
  .strictObject({
    name: text(100, 1),
    environment: environment(),
    scopes: list(z.enum(scopes), scopes.length, 1).optional(),
    organizations: list(slug(), 100, 1).optional().describe('Domains of the only organizations it may see'),
    client_id: id().optional(),
    client_secret: z
      .string()
      .refine(
        isApiKeySecret,
        'must be a secret that Portico made, which its last six characters show: leave it out, and it is derived',
      )
      .optional(),
  })
  .refine((key) => (key.client_id === undefined) === (key.client_secret === undefined), {
    message: 'has client_id or client_secret: give both, or neither, and they are derived',
  })
export type SeedApiKey = z.output<typeof SeedApiKey>

const SeedAccount = z.strictObject({
  name: text(100, 1),
  plan: z.enum(['free', 'unlimited']).default('unlimited'),
  record: AccountChanges.optional().describe('Name, look and links of the product'),
  api_keys: z.array(SeedApiKey).default([]),
  permissions: z.array(entryOf(NewPermission, { environment: environment() })).default([]),
  roles: z.array(entryOf(SeedRole, { environment: environment() })).default([]),
  organizations: z.array(SeedOrganization).default([]),
  webhooks: z.array(entryOf(NewWebhook, { environment: environment() })).default([]),
})
export type SeedAccount = z.output<typeof SeedAccount>

/** The initial data: accounts, with everything in them. */
export const Seed = z.strictObject({ accounts: z.array(SeedAccount).min(1) })
export type Seed = z.output<typeof Seed>

/** The path of a part of a seed: names and indexes from its top. */
export type SeedPath = readonly (string | number)[]

/** A seed that was read, and the place in its file of each part. */
export interface SeedFile {
  readonly seed: Seed
  /** file:line:column */
  placeOf(path: SeedPath): string
}
