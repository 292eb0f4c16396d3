import type { Role } from '@portico/contract/access'
import { maxSlugLength, slugPattern } from '@portico/contract/fields'
import { routes, type Route } from '@portico/contract/walk'
import { docComment } from './render-type.js'

/**
 * Constants of the operations that the SDK calls itself, and of what it reads in tokens. Separate exports, so that bundlers drop
 * unused ones.
 */
export function roleConstants(): readonly string[] {
  const { path } = routeOfRole('key_set')
  return [
    constant(
      'apiTokenOperation',
      'Issues the token that operations are called with.',
      routeOfRole('api_token').name,
    ),
    constant('eventStreamOperation', 'Reads events in their order.', routeOfRole('event_stream').name),
    constant(
      'accessEvaluationOperation',
      'Tells whether a user has a permission.',
      routeOfRole('access_evaluation').name,
    ),
    constant('keySetPath', 'Of the keys that verify the tokens of an organization.', path),
    constant('issuerPath', 'Of the issuer of these tokens.', issuerOf(path)),
    constant(
      'accountIssuerPath',
      'Of an account as an issuer.',
      issuerOf(routeOfRole('account_key_set').path),
    ),
    constant('slugPattern', 'Of the domain of an organization or account.', slugPattern.source),
    constant('maxSlugLength', 'Characters of such a domain.', maxSlugLength),
  ]
}

/** The issuer is the prefix of its well-known documents (OpenID Connect Discovery section 4). */
function issuerOf(path: string): string {
  const [issuer = path] = path.split('/.well-known/')
  return issuer
}

function routeOfRole(role: Role): Route {
  const [route, ...others] = routes().filter(({ access }) => access.role === role)
  if (route === undefined || others.length > 0) throw new Error(`one route must have the role ${role}`)
  return route
}

function constant(name: string, comment: string, value: string | number): string {
  return `${docComment([comment])}export const ${name} = ${JSON.stringify(value)}`
}
