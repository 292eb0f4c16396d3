import type { Scope, StaffScope } from '@portico/contract/access'
import { everyRoute } from '@portico/contract/every-route'
import { environments, type Environment } from '@portico/contract/fields'
import { staffRoles, type StaffRole } from '@portico/contract/staff'
import type { Route } from '@portico/contract/walk'
import type { Caller, StaffRights } from '../platform/tenant.js'

type ResourceOf<S> = S extends `${'read' | 'write'}:${infer Resource}` ? Resource : never
type ScopedResource = ResourceOf<Scope | StaffScope>

/** `write`: reads and writes. `sandbox`: writes in the sandbox alone, and reads. */
type Right = 'write' | 'sandbox' | 'read' | 'none'
type Rights = Readonly<Record<StaffRole, Right>>

const settings = of('write', 'write', 'read', 'read')
const people = of('write', 'sandbox', 'write', 'none')
const reading = of('read', 'read', 'read', 'read')

/** What each role may do with the resources of a scope. */
const rights: Readonly<Record<ScopedResource, Rights>> = {
  organizations: settings,
  domains: settings,
  roles: settings,
  applications: settings,
  token_customization: settings,
  directories: settings,
  relays: settings,
  sso_connections: settings,
  magic_links: settings,
  passwords: settings,
  totp: settings,
  passkeys: people,
  social: settings,
  webhooks: settings,
  users: people,
  memberships: people,
  sessions: people,
  impersonations: people,
  admins: of('write', 'write', 'write', 'none'),
  // Nothing writes them; the keys that owners and developers make may have the scopes.
  events: of('write', 'write', 'read', 'none'),
  log_events: of('write', 'write', 'read', 'none'),
  people: of('read', 'read', 'read', 'none'),
  limits: of('write', 'sandbox', 'write', 'none'),
  api_keys: of('write', 'sandbox', 'none', 'read'),
  account: of('write', 'read', 'read', 'read'),
  // Its operations speak for the user, so that no role calls them; keys may have the scope.
  discovery: of('write', 'sandbox', 'none', 'none'),
  staff: of('write', 'read', 'read', 'read'),
  audit: reading,
  health: reading,
}

/** Routes whose rights are those of another resource than the one of their scope: what is about people, and what is a setting. */
const otherwise: Readonly<Record<string, ScopedResource>> = {
  'roles.getUserRoles': 'users',
  'roles.setUserRoles': 'users',
  'tokenCustomization.setUserMetadata': 'users',
  'tokenCustomization.sample': 'users',
  'totp.removeEnrollment': 'users',
  'passkeys.getConnection': 'totp',
  'passkeys.updateConnection': 'totp',
  'organizationPolicy.get': 'organizations',
  'organizationPolicy.update': 'organizations',
}

/** Single routes that a role has beside its scopes, or lacks in spite of them. */
const exceptions: Readonly<
  Record<StaffRole, { readonly also: readonly string[]; readonly without: readonly string[] }>
> = {
  owner: { also: [], without: [] },
  developer: { also: [], without: [] },
  support: {
    also: [
      'ssoConnections.inviteAdmin',
      'magicLink.createChallenge',
      'password.createRequest',
      'webhooks.redeliver',
    ],
    without: ['users.delete', 'outbox.list'],
  },
  // What receivers answer may repeat the event that they got.
  viewer: { also: [], without: ['outbox.list', 'webhooks.listDeliveries'] },
}

function of(owner: Right, developer: Right, support: Right, viewer: Right): Rights {
  return { owner, developer, support, viewer }
}

/** Staff never act as the user: what only the user may do is in no role. */
const staffRoutes = everyRoute.filter(({ access }) => access.scope !== null && access.asUser !== 'refused')

/** The routes that a role may call in an environment. */
function routesOfRole(role: StaffRole, environment: Environment): readonly string[] {
  const { also, without } = exceptions[role]
  return staffRoutes
    .filter(({ access }) => !access.sandboxOnly || environment === 'sandbox')
    .filter((route) => isWithin(route, role, environment) || also.includes(route.name))
    .map(({ name }) => name)
    .filter((name) => !without.includes(name))
}

function isWithin({ name, access }: Route, role: StaffRole, environment: Environment): boolean {
  const [verb = '', resource = ''] = (access.scope ?? '').split(':')
  const asked = `${verb}:${otherwise[name] ?? resource}`
  return [...scopesOfRole(role, environment)].some((scope) => scope === asked)
}

/** The scopes that a role has whole. */
function scopesOfRole(role: StaffRole, environment: Environment): ReadonlySet<Scope | StaffScope> {
  const granted = Object.entries(rights).flatMap(([resource, { [role]: right }]) => {
    const isWritten = right === 'write' || (right === 'sandbox' && environment === 'sandbox')
    return [...(right === 'none' ? [] : [`read:${resource}`]), ...(isWritten ? [`write:${resource}`] : [])]
  })
  // The keys of the table are the resources of the scopes.
  return new Set(granted as (Scope | StaffScope)[])
}

const byRole = new Map(
  staffRoles.flatMap((role) =>
    environments.map((environment) => [
      `${role} ${environment}`,
      { routes: routesOfRole(role, environment), scopes: scopesOfRole(role, environment) },
    ]),
  ),
)

/** The rights of a member of staff with these roles, those of each, and the scopes that they have; other names of roles give none. */
export function rightsOf(
  roles: readonly string[],
  environment: Environment,
): Pick<StaffRights, 'routes' | 'seesPersonalData'> & Pick<Caller, 'scopes'> {
  const granted = roles.flatMap((role) => byRole.get(`${role} ${environment}`) ?? [])
  return {
    routes: new Set(granted.flatMap((one) => one.routes)),
    scopes: [...new Set(granted.flatMap((one) => [...one.scopes]))],
    seesPersonalData: roles.some((role) => role !== 'viewer' && isStaffRole(role)),
  }
}

function isStaffRole(role: string): boolean {
  return staffRoles.some((known) => known === role)
}
