import type { Access, Danger } from './core/access.js'
import type { Environment } from './core/fields.js'
import { everyRoute } from './every-route.js'
import type { Route } from './walk.js'

/** The scopes of the operations that change what both environments share. */
const scopesOfBoth: ReadonlySet<unknown> = new Set(
  everyRoute.filter(({ access }) => access.spansEnvironments === true).map(({ access }) => access.scope),
)

/**
 * What a call of staff has to have: that of the operation, or of the members it sends, where production is concerned.
 * @param members The body of the call.
 */
export function askedOf({ access }: Route, environment: Environment, members: object): Danger | undefined {
  return concernsProduction(access, environment, members)
    ? dangerOf(access.danger, (member) => member in members)
    : undefined
}

/** What any call of the operation has to have, before it is known which members it sends. */
export function alwaysAskedOf({ access }: Route, environment: Environment): Danger | undefined {
  const isSure = access.spansEnvironments !== 'by_scopes' || environment === 'production'
  return isSure && concernsProduction(access, environment, {})
    ? dangerOf(access.danger, () => false)
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
  return !Array.isArray(scopes) || scopes.some((scope) => scopesOfBoth.has(scope))
}

function dangerOf(danger: Access['danger'], isSent: (member: string) => boolean): Danger | undefined {
  if (typeof danger !== 'object') return danger || undefined
  const asked = Object.entries(danger).flatMap(([member, level]) => (isSent(member) ? [level] : []))
  return asked.includes('proof') ? 'proof' : asked[0]
}
