import type { Environment } from '@portico/contract/fields'
import type { DeclaredKey } from '../meta-keys/declared-keys.js'

/** The tokens that the types describe. */
interface ClaimsTypesOf {
  /** Domain of the organization. */
  readonly organization: string
  /** Undefined: both. */
  readonly environment?: Environment | undefined
  readonly keys: readonly Pick<DeclaredKey, 'name' | 'type' | 'required'>[]
}

const header = '// Written by portico types; do not edit.'

/** Whether a text was made by toClaimsTypes(), for any organization. */
export function isClaimsTypes(text: string): boolean {
  return text.startsWith(header)
}

/** A TypeScript module with the types of the claims in the organization's tokens; the same keys make the same text. */
export function toClaimsTypes({ organization, environment, keys }: ClaimsTypesOf): string {
  const options = [`--organization ${organization}`, ...(environment ? [`--environment ${environment}`] : [])]
  const imported = ['AccessTokenClaims', 'IdTokenClaims']
  if (keys.some(({ type }) => type === 'json')) imported.push('JsonValue')
  const narrowed = [
    `  org: '${organization}'`,
    `  tnt: '${organization}'`,
    ...(environment ? [`  dbs: '${environment}'`, `  env: '${environment}'`] : []),
  ].join('\n')
  return `${header}
// After a metadata key was declared or deleted: portico types ${options.join(' ')} --out <this file>

import type { ${imported.join(', ')} } from '@portico/sdk'

/**
 * The metadata of a user of ${organization}, as tokens carry them. A member is absent where the user has no value for the
 * key, and where the value did not fit into the token: then \`meta_data_truncated\` is true.
 */
${metaDataType(keys)}

/** What an access token of ${organization} says. */
export interface AccessClaims extends AccessTokenClaims<MetaDataClaims> {
${narrowed}
}

/** What an ID token of ${organization} says. */
export interface IdClaims extends IdTokenClaims<MetaDataClaims> {
${narrowed}
}

/** The types of both: createVerifier<Claims>({ … }). */
export interface Claims {
  accessToken: AccessClaims
  idToken: IdClaims
}
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
