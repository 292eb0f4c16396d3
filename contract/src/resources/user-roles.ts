import { z } from 'zod/v4'
import { environment, id, list, slug, timestamp } from '../core/fields.js'
import { exampleOf, record } from '../core/record.js'

/** The most roles that the API gives a user. */
export const maxRolesOfUser = 20

/**
 * Where a user has a role from: the API, the invitation that they accepted, their joining by a verified domain, a group or attribute of the directory that keeps them,
 * what an identity provider has said at their sign-in, or the role that is the default of those without any other.
 */
export const roleSources = ['api', 'invitation', 'join', 'directory', 'sso', 'default'] as const
export type RoleSource = (typeof roleSources)[number]

/** Sources whose mapping may be authoritative. */
export const mappingSources = ['directory', 'sso'] as const
export type MappingSource = (typeof mappingSources)[number]

export const RoleAssignment = record(
  'RoleAssignment',
  {
    role: z.string(),
    source: z
      .enum(roleSources)
      .describe(
        'invitation, join: the user came with it; default: the default role, which a user without any other has',
      ),
    source_id: z
      .string()
      .nullable()
      .describe('Id of the directory, or idp_id of the SSO connection, as in identities; otherwise null'),
    source_label: z
      .string()
      .nullable()
      .describe(
        'The group, or the attribute and its value, of the first rule that gives it; of SSO the provider of the identity',
      ),
    effective: z.boolean().describe('false: an authoritative mapping overrides it'),
    overridden_by: z.enum(mappingSources).nullable(),
    inserted_at: timestamp()
      .nullable()
      .describe('null for the default role and those of a directory, which are not stored'),
  },
  {
    role: 'billing_admin',
    source: 'api',
    source_id: null,
    source_label: null,
    effective: true,
    overridden_by: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type RoleAssignment = z.output<typeof RoleAssignment>

/** The roles of a user, what these allow, and where each is from. */
export const UserRoles = record(
  'UserRoles',
  {
    __type__: z.literal('UserRoles'),
    __domain__: slug(),
    __environment__: environment(),
    user_id: id(),
    roles: z.array(z.string()).describe('Names of the effective ones, in alphabetical order'),
    permissions: z.array(z.string()).describe('What the roles allow together, in alphabetical order'),
    assignments: z.array(RoleAssignment),
  },
  {
    __type__: 'UserRoles',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    roles: ['billing_admin'],
    permissions: ['invoices:read', 'invoices:write'],
    assignments: [exampleOf(RoleAssignment)],
  },
)
export type UserRoles = z.output<typeof UserRoles>

export const UserRolesChanges = z
  .strictObject({
    roles: list(z.string(), maxRolesOfUser).describe(
      'Names of roles of the account or of the organization; replaces all that the API has given',
    ),
  })
  .meta({ examples: [{ roles: ['billing_admin'] }] })
export type UserRolesChanges = z.output<typeof UserRolesChanges>
