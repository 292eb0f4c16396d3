import type { Environment } from '@portico/contract/fields'
import type { DeclaredKey } from '../meta-keys/declared-keys.js'

/** The tokens that the types describe: of one organization, or of all of an account. */
interface ClaimsTypesOf {
  /** Domain of the account, where that was asked for. */
  readonly account?: string | undefined
  /** Domain of the organization; undefined: all of the account, whose metadata keys differ. */
  readonly organization?: string | undefined
  /** Undefined: both. */
  readonly environment?: Environment | undefined
  readonly keys: readonly Pick<DeclaredKey, 'name' | 'type' | 'required'>[]
  /** Names of the permissions and roles of the account. */
  readonly permissions: readonly string[]
  readonly roles: readonly string[]
}

const header = '// Written by portico types; do not edit.'

/** Whether a text was made by toClaimsTypes(), for any organization. */
export function isClaimsTypes(text: string): boolean {
  return text.startsWith(header)
}

/** A TypeScript module with the types of the claims in tokens; the same keys and roles make the same text. */
export function toClaimsTypes(of: ClaimsTypesOf): string {
  const { account, organization, environment, keys, permissions, roles } = of
  const options = Object.entries({ account, organization, environment }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${value}`],
  )
  const imported = ['AccessTokenClaims', 'IdTokenClaims']
  if (keys.some(({ type }) => type === 'json')) imported.push('JsonValue')
  const place = [
    ...(organization === undefined ? [] : [`  org: '${organization}'`, `  tnt: '${organization}'`]),
    ...(environment === undefined ? [] : [`  dbs: '${environment}'`, `  env: '${environment}'`]),
  ]
  const metadata = organization === undefined ? '' : '<MetaDataClaims>'
  const whose = organization ?? `an organization of ${account}`
  return `${header}
// After a metadata key, a permission or a role has come or gone: portico types ${options.join(' ')} --out <this file>

import type { ${imported.join(', ')} } from '@portico/sdk'
${organization === undefined ? '' : metaDataClaims(organization, keys)}
/** What the roles allow: hasPermission() takes no other name. */
export type Permission =${unionOf(permissions)}

/** The roles that users can have. */
export type RoleName =${unionOf(roles)}

/** What an access token of ${whose} says. */
export interface AccessClaims extends AccessTokenClaims${metadata} {
${[...place, '  permissions?: Permission[]', '  roles?: RoleName[]'].join('\n')}
}

/** What an ID token of ${whose} says. */
export interface IdClaims extends IdTokenClaims${metadata} {
${[...place, '  roles?: RoleName[]'].join('\n')}
}

/** The types of both: createVerifier<Claims>({ … }). */
export interface Claims {
  accessToken: AccessClaims
  idToken: IdClaims
}
`
}

/** One of the names; never, where there are none. */
function unionOf(names: readonly string[]): string {
  if (names.length === 0) return ' never'
  return names
    .toSorted()
    .map((name) => `\n  | '${name}'`)
    .join('')
}

function metaDataClaims(organization: string, keys: ClaimsTypesOf['keys']): string {
  return `
/**
 * The metadata of a user of ${organization}, as tokens carry them. A member is absent where the user has no value for the
 * key, and where the value did not fit into the token: then \`meta_data_truncated\` is true.
 */
${metaDataType(keys)}
`
}

/** Never an interface, which has no index signature: a `Verifier` would not accept it as metadata of any name. */
function metaDataType(keys: ClaimsTypesOf['keys']): string {
  if (keys.length === 0) return 'export type MetaDataClaims = Record<string, never>'
  const members = keys.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(toMember)
  return `export type MetaDataClaims = {\n${members.join('\n')}\n}`
}

/** Always optional: users created before the key was required may have no value for it. */
function toMember({ name, type, required }: ClaimsTypesOf['keys'][number]): string {
  const { said, typescript } = forms[type]
  const comment = `/** ${said}${required ? ' Users are created only with a value.' : ''} */`
  return `  ${comment}\n  ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}?: ${typescript}`
}

const forms: Record<DeclaredKey['type'], { said: string; typescript: string }> = {
  string: { said: 'Text.', typescript: 'string' },
  integer: { said: 'A whole number.', typescript: 'number' },
  float: { said: 'A number.', typescript: 'number' },
  boolean: { said: 'True or false.', typescript: 'boolean' },
  date: { said: 'YYYY-MM-DD.', typescript: 'string' },
  datetime: { said: 'Date and time with offset (RFC 3339).', typescript: 'string' },
  url: { said: 'An https URL.', typescript: 'string' },
  email: { said: 'An e-mail address.', typescript: 'string' },
  json: { said: 'Any JSON.', typescript: 'JsonValue' },
}
