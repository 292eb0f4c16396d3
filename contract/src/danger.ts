import { scopes as everyScope, type Access, type Danger } from './core/access.js'
import type { Environment } from './core/fields.js'
import { everyRoute } from './every-route.js'
import type { Route } from './walk.js'

/** The scopes of the operations that change what both environments share. */
const scopesOfBoth: ReadonlySet<unknown> = new Set(
  everyRoute.filter(({ access }) => access.spansEnvironments === true).map(({ access }) => access.scope),
)
/** The other scopes: a list of what is safe, so that what it lacks is asked about. */
const scopesOfOne: ReadonlySet<unknown> = new Set(everyScope.filter((scope) => !scopesOfBoth.has(scope)))

/**
 * What a call of staff has to have: that of the operation, or of the members it sends, where production is concerned.
 *
 * @param members The body of the call; without it, what any call has to have.
 */
export function askedOf(
  { access }: Route,
  environment: Environment,
  members: object = {},
): Danger | undefined {
  return concernsProduction(access, environment, members)
    ? dangerOf(access.danger, (member) => member in members)
    : undefined
}

/** The most that a call of the operation may have to have. */
export function mostAskedOf({ access }: Route, environment: Environment): Danger | undefined {
  return environment === 'production' || access.spansEnvironments !== false
    ? dangerOf(access.danger, () => true)
    : undefined
}

function concernsProduction(
  { spansEnvironments }: Access,
  environment: Environment,
  members: Readonly<{ scopes?: unknown }>,
): boolean {
  if (environment === 'production') return true
  if (spansEnvironments !== 'by_scopes') return spansEnvironments !== false
  const { scopes } = members
  // Without them, the body is refused for that.
  if (scopes === undefined) return false
  return !Array.isArray(scopes) || scopes.some((scope) => !scopesOfOne.has(scope))
}

function dangerOf(danger: Access['danger'], isSent: (member: string) => boolean): Danger | undefined {
  if (typeof danger !== 'object') return danger || undefined
  const asked = Object.entries(danger).flatMap(([member, level]) => (isSent(member) ? [level] : []))
  return asked.includes('proof') ? 'proof' : asked[0]
}
