import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  filterText,
  flag,
  id,
  idempotencyHeader,
  ifMatchHeader,
  PageQuery,
  pathId,
  slug,
  text,
  timestamp,
  UserPath,
} from '../core/fields.js'
import { deletionOf, listOf, record } from '../core/record.js'
import { ForcedDeletion, permissionNames } from './permissions.js'
import { UserRoles, UserRolesChanges } from './user-roles.js'

/** The most roles of a whole account, and of one of its organizations, in one environment. */
export const maxRoles = { account: 200, organization: 50 } as const

/** The most permissions of a role. */
export const maxPermissionsOfRole = 200

/** A role that the service keeps the name of. */
const reservedName = 'organization_admin'

function roleName() {
  return z
    .string()
    .regex(
      /^[a-z][a-z0-9_-]{0,31}$/,
      'must begin with a lower-case letter, and have at most 32 of a-z 0-9 _ -',
    )
    .refine((name) => name !== reservedName, `must not be ${reservedName}`)
}

export const Role = record(
  'Role',
  {
    __type__: z.literal('Role'),
    __domain__: slug().describe('Domain of the organization it is restricted to, otherwise of the account'),
    __environment__: environment(),
    id: id(),
    name: z.string().describe('What tokens and programs know it by; never changes'),
    display_name: z.string(),
    description: z.string().nullable(),
    permissions: z.array(z.string()).describe('Names, in alphabetical order'),
    organization_domain_scope: slug()
      .nullable()
      .describe('null: for users of every organization of the account; never changes'),
    is_default: z.boolean().describe('Users without any other role have this one'),
    assignable_by_admins: z
      .boolean()
      .describe(
        'Whether administrators of an organization may give it, by the groups of their directory, on the onboarding pages',
      ),
    users_count: z
      .int()
      .describe(
        'Users to whom it is given, in the organizations that the key may see, without those who have it by default',
      ),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Role',
    __domain__: 'acme',
    __environment__: 'sandbox',
    id: '0190d2c1-5b6c-7d7e-9f80-a1b2c3d4e5f6',
    name: 'billing_admin',
    display_name: 'Billing administrator',
    description: 'Sees and writes invoices',
    permissions: ['invoices:read', 'invoices:write'],
    organization_domain_scope: null,
    is_default: false,
    assignable_by_admins: false,
    users_count: 1,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Role = z.output<typeof Role>

const settings = {
  display_name: text(60, 1),
  description: text(200).nullish(),
  permissions: permissionNames(maxPermissionsOfRole)
    .optional()
    .describe('Names of declared permissions; replaces all that the role has'),
  is_default: flag()
    .optional()
    .describe('true takes it from the role that was the default; not of a role of one organization'),
  assignable_by_admins: flag()
    .optional()
    .describe(
      'false unless sent: what administrators of a customer may give is decided role by role. Rules that name the role already stay',
    ),
}

export const NewRole = z
  .strictObject({
    name: roleName().describe('1 to 32 characters of a-z 0-9 _ - and a letter first, not organization_admin'),
    ...settings,
    organization_domain_scope: slug()
      .nullish()
      .describe('Domain of the organization to whose users the role is restricted'),
  })
  .meta({
    examples: [
      {
        name: 'billing_admin',
        display_name: 'Billing administrator',
        permissions: ['invoices:read', 'invoices:write'],
      },
    ],
  })
export type NewRole = z.output<typeof NewRole>

export const RoleChanges = z
  .strictObject({ ...settings, display_name: settings.display_name.optional() })
  .meta({ examples: [{ permissions: ['invoices:read'] }] })
export type RoleChanges = z.output<typeof RoleChanges>

export const RoleQuery = PageQuery.extend({
  name: filterText().describe('Only roles of this name'),
  organization_domain_scope: filterText().describe('Only roles of this organization'),
})
export type RoleQuery = z.output<typeof RoleQuery>

const RolePath = z.object({ role_id: pathId() })
const path = '/api/v2/roles'
const onePath = `${path}/:role_id` as const

const tag = {
  name: 'Roles',
  description:
    'Named sets of permissions, of the account or of one organization, and the users who have them.',
}
const read = { tag, scope: 'read:roles' } as const
const write = { tag, scope: 'write:roles' } as const
const limited = 'key_limited_to_organizations'
const c = initContract()

export const roles = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Create a role',
      headers: idempotencyHeader,
      body: NewRole,
      responses: creating({ 201: Role }, limited, 'role_taken', 'roles_exhausted'),
      metadata: access({
        ...write,
        reach: 'caller',
        emits: ['role.role.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List the roles, newest first',
      query: RoleQuery,
      responses: reading({ 200: listOf(Role) }),
      metadata: access({ ...read, reach: 'caller' }),
    },
    get: {
      method: 'GET',
      path: onePath,
      summary: 'Get a role',
      pathParams: RolePath,
      query: EnvironmentQuery,
      responses: reading({ 200: Role }, 'malformed_request', 'role_not_found', 'invalid_parameters'),
      metadata: access({ ...read, reach: 'caller', versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: onePath,
      summary: 'Change a role',
      headers: ifMatchHeader,
      pathParams: RolePath,
      body: RoleChanges,
      responses: changing({ 200: Role }, limited, 'role_not_found', 'precondition_failed'),
      metadata: access({
        ...write,
        reach: 'caller',
        emits: ['role.role.update.success'],
        versioned: 'checks',
      }),
    },
    delete: {
      method: 'DELETE',
      path: onePath,
      summary: 'Delete a role; with force, also from the users who have it',
      headers: ifMatchHeader,
      pathParams: RolePath,
      body: ForcedDeletion,
      responses: changing(
        { 200: deletionOf(Role) },
        limited,
        'role_not_found',
        'role_in_use',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        reach: 'caller',
        emits: ['role.role.delete.success'],
        versioned: 'checks',
      }),
    },
    getUserRoles: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/users/:user_id/roles',
      summary: 'Get the roles of a user, and what they allow',
      pathParams: UserPath,
      query: EnvironmentQuery,
      responses: reading({ 200: UserRoles }, ...inOrganization, 'user_not_found', 'invalid_parameters'),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    setUserRoles: {
      method: 'PUT',
      path: '/api/v2/org/:org_domain/users/:user_id/roles',
      summary:
        'Give a user these roles, in place of those that the API has given, and that came with an invitation or by joining',
      headers: ifMatchHeader,
      pathParams: UserPath,
      body: UserRolesChanges,
      responses: changing(
        { 200: UserRoles },
        'organization_not_found',
        'user_not_found',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['user.roles.update.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
