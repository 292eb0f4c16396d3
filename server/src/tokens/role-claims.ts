/** A role that a user has, with the permissions that it allows. */
export interface RoleOfUser {
  readonly name: string
  readonly permissions: readonly string[]
}

/** What an application learns of the roles of a user. */
export interface ToldRoles {
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
}

/** Told whole or not at all: a part would pass for all that the user may do. Bytes are those of JSON. */
const bounds = { roles: { names: 20, bytes: 700 }, permissions: { names: 100, bytes: 1_500 } } as const

/**
 * The roles of a user and what they allow together, in alphabetical order: of the permissions those that begin with one of
 * the application's prefixes, and of the roles those that have such a permission, or none at all.
 *
 * @param prefixes null: all.
 */
export function toToldRoles(held: readonly RoleOfUser[], prefixes: readonly string[] | null): ToldRoles {
  const isTold = (permission: string) =>
    prefixes === null || prefixes.some((prefix) => permission.startsWith(prefix))
  const roles = held.filter(({ permissions }) => permissions.length === 0 || permissions.some(isTold))
  const permissions = roles.flatMap((role) => role.permissions.filter(isTold))
  return { roles: inOrder(roles.map(({ name }) => name)), permissions: inOrder(permissions) }
}

/** The claim `roles`, absent without any. */
export function toRolesClaim({ roles }: ToldRoles): { roles?: string[]; roles_omitted?: true } {
  if (roles.length === 0) return {}
  return isWithin(roles, bounds.roles) ? { roles: [...roles] } : { roles_omitted: true }
}

/** The claim `permissions`, absent without any. */
export function toPermissionsClaim({ permissions }: ToldRoles): {
  permissions?: string[]
  permissions_omitted?: true
} {
  if (permissions.length === 0) return {}
  return isWithin(permissions, bounds.permissions)
    ? { permissions: [...permissions] }
    : { permissions_omitted: true }
}

function isWithin(names: readonly string[], { names: most, bytes }: { names: number; bytes: number }) {
  return names.length <= most && Buffer.byteLength(JSON.stringify(names)) <= bytes
}

function inOrder(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted()
}
