import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, reading } from '../core/answers.js'
import {
  environment,
  environmentEcho,
  EnvironmentQuery,
  filterText,
  flag,
  id,
  idempotencyHeader,
  ifMatchHeader,
  list,
  PageQuery,
  pathId,
  slug,
  text,
  timestamp,
} from '../core/fields.js'
import { deletionOf, listOf, record } from '../core/record.js'

/** The most permissions of an account in one environment. */
export const maxPermissions = 500

/** The form of a permission's name. */
export const permissionPattern = /^[a-z][a-z0-9_.:-]{0,63}$/

/** The names that the service keeps for permissions of its own. */
const reservedPrefix = 'portal:'

/** The name of a permission in a body. */
export function permissionName() {
  return z
    .string()
    .regex(permissionPattern, 'must begin with a lower-case letter, and have at most 64 of a-z 0-9 _ . : -')
    .refine((name) => !name.startsWith(reservedPrefix), `must not begin with ${reservedPrefix}`)
}

/** The names of at most so many permissions, in their order, each once. */
export function permissionNames(max: number) {
  return list(permissionName(), max).transform((names) => [...new Set(names)].toSorted())
}

/** What the beginning of a permission's name may be. */
export function permissionPrefix() {
  return z.string().regex(permissionPattern, 'must be what a permission’s name can begin with')
}

export const Permission = record(
  'Permission',
  {
    __type__: z.literal('Permission'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    id: id(),
    name: z.string().describe('What tokens and programs know it by; never changes'),
    description: z.string().nullable(),
    roles_count: z.int().describe('Roles that have it'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Permission',
    __domain__: 'acme',
    __environment__: 'sandbox',
    id: '0190d2c0-4a5b-7c6d-8e7f-90a1b2c3d4e5',
    name: 'invoices:read',
    description: 'See invoices',
    roles_count: 1,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Permission = z.output<typeof Permission>

const settings = { description: text(200).nullish() }

export const NewPermission = z
  .strictObject({
    name: permissionName().describe('1 to 64 characters of a-z 0-9 _ . : - and a letter first, not portal:…'),
    ...settings,
  })
  .meta({ examples: [{ name: 'invoices:read', description: 'See invoices' }] })
export type NewPermission = z.output<typeof NewPermission>

export const PermissionChanges = z.strictObject(settings)
export type PermissionChanges = z.output<typeof PermissionChanges>

/** How something that is in use is deleted all the same. */
export const ForcedDeletion = z.strictObject({
  force: flag().optional().describe('Delete it also where it is in use. Default: false'),
  environment: environmentEcho(),
})
export type ForcedDeletion = z.output<typeof ForcedDeletion>

export const PermissionQuery = PageQuery.extend({
  name: filterText().describe('Only the permission of this name'),
})
export type PermissionQuery = z.output<typeof PermissionQuery>

const PermissionPath = z.object({ permission_id: pathId() })
const path = '/api/v2/permissions'
const onePath = `${path}/:permission_id` as const

const tag = {
  name: 'Permissions',
  description: 'What roles allow: the names that a product asks about, in tokens and by evaluation.',
}
const read = { tag, scope: 'read:roles', reach: 'account' } as const
const write = { tag, scope: 'write:roles', reach: 'account' } as const
const limited = 'key_limited_to_organizations'
const c = initContract()

export const permissions = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Declare a permission',
      headers: idempotencyHeader,
      body: NewPermission,
      responses: creating({ 201: Permission }, limited, 'permission_taken', 'permissions_exhausted'),
      metadata: access({
        ...write,
        emits: ['role.permission.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List the permissions, newest first',
      query: PermissionQuery,
      responses: reading({ 200: listOf(Permission) }, limited),
      metadata: access(read),
    },
    get: {
      method: 'GET',
      path: onePath,
      summary: 'Get a permission',
      pathParams: PermissionPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: Permission },
        'malformed_request',
        limited,
        'permission_not_found',
        'invalid_parameters',
      ),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: onePath,
      summary: 'Change the description of a permission',
      headers: ifMatchHeader,
      pathParams: PermissionPath,
      body: PermissionChanges,
      responses: changing({ 200: Permission }, limited, 'permission_not_found', 'precondition_failed'),
      metadata: access({ ...write, emits: ['role.permission.update.success'], versioned: 'checks' }),
    },
    delete: {
      method: 'DELETE',
      path: onePath,
      summary: 'Delete a permission; with force, also from the roles that have it',
      headers: ifMatchHeader,
      pathParams: PermissionPath,
      body: ForcedDeletion,
      responses: changing(
        { 200: deletionOf(Permission) },
        limited,
        'permission_not_found',
        'permission_in_use',
        'precondition_failed',
      ),
      metadata: access({ ...write, emits: ['role.permission.delete.success'], versioned: 'checks' }),
    },
  },
  { strictStatusCodes: true },
)
