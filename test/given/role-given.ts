import type { Client, Permission, Role, UserRoles } from '@portico/sdk'
import { anything } from './given.js'

/** Permissions and roles, with made-up values for what a test omits. */
export function roleGivenOf(client: Client) {
  return {
    permission(name = `${anythingNamed('p')}:read`): Promise<Permission> {
      return client.permissions.create({ name })
    },

    role(members: Partial<Parameters<Client['roles']['create']>[0]> = {}): Promise<Role> {
      return client.roles.create({ name: anythingNamed('role'), display_name: 'A role', ...members })
    },

    /** A role with new permissions. */
    async roleWith(count: number, members: Parameters<typeof this.role>[0] = {}): Promise<Role> {
      const prefix = anythingNamed('p')
      const permissions = Array.from({ length: count }, (_, index) => `${prefix}:${String(index)}`)
      for (const name of permissions) await this.permission(name)
      return this.role({ permissions, ...members })
    },

    give(user: { org_domain: string; user_id: string }, ...roles: readonly Role[]): Promise<UserRoles> {
      return client.roles.setUserRoles({ ...user, roles: roles.map(({ name }) => name) })
    },
  }
}

/** A name that begins with a letter. */
export function anythingNamed(kind: string): string {
  return `${kind}_${anything()}`
}
