import type { Permission } from '@portico/contract/permissions'
import type { Role } from '@portico/contract/roles'
import type { Selectable } from 'kysely'
import type { Permissions, Roles } from '../../platform/db/schema.js'
import type { Caller } from '../../platform/tenant.js'

/** The account and environment of a record. */
type Owner = Pick<Caller, 'accountDomain' | 'environment'>

export const permissionColumns = [
  'permissions.id',
  'permissions.name',
  'permissions.description',
  'permissions.version',
  'permissions.inserted_at',
  'permissions.updated_at',
] as const

export type PermissionRow = Omit<Selectable<Permissions>, 'account_id' | 'environment'> & {
  /** In decimals. */
  readonly roles_count: string
}

export function toPermission(row: PermissionRow, { accountDomain, environment }: Owner): Permission {
  return {
    __type__: 'Permission',
    __domain__: accountDomain,
    __environment__: environment,
    id: row.id,
    name: row.name,
    description: row.description,
    roles_count: Number(row.roles_count),
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export const roleColumns = [
  'roles.id',
  'roles.organization_id',
  'roles.name',
  'roles.display_name',
  'roles.description',
  'roles.is_default',
  'roles.assignable_by_admins',
  'roles.version',
  'roles.inserted_at',
  'roles.updated_at',
] as const

export type RoleRow = Omit<Selectable<Roles>, 'account_id' | 'environment'> & {
  /** Domain of the organization to which it is restricted. */
  readonly organization_domain_scope: string | null
  readonly permissions: string[]
  /** In decimals. */
  readonly users_count: string
}

export function toRole(row: RoleRow, { accountDomain, environment }: Owner): Role {
  return {
    __type__: 'Role',
    __domain__: row.organization_domain_scope ?? accountDomain,
    __environment__: environment,
    id: row.id,
    name: row.name,
    display_name: row.display_name,
    description: row.description,
    permissions: row.permissions,
    organization_domain_scope: row.organization_domain_scope,
    is_default: row.is_default,
    assignable_by_admins: row.assignable_by_admins,
    users_count: Number(row.users_count),
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
