import type { Route } from '@portico/contract/walk'

/** The names of what the contract has, in one language: of members and parameters, of operations, of screens. */
export interface Labels {
  /** By the last member of a path, or the whole path where that needs a name of its own. */
  readonly members: Readonly<Record<string, string>>
  /** Of the values that a member may have, by its name: those of the contract, in words. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** What null says of a member, where it does not say that there is nothing. */
  readonly ofNull: Readonly<Record<string, string>>
  /** By the name of the route, or its verb. */
  readonly operations: Readonly<Record<string, string>>
  /** What an operation does, by the name of the route, where the contract does not say it in this language. */
  readonly helps?: Readonly<Record<string, string>>
  /** By the key of the screen, or its last part: its list, and one of its records. */
  readonly screens: Readonly<Record<string, readonly [many: string, one: string]>>
}

/** Written in capitals within a label. */
const abbreviations = new Set([
  ...['url', 'uri', 'id', 'ids', 'sso', 'saml', 'oidc', 'acs', 'jwks', 'pkce', 'totp', 'api', 'scim', 'sha1'],
  ...['cbc', 'cors', 'ip', 'sms', 'html', 'idp', 'sp'],
])
const plurals: Readonly<Record<string, string>> = { urls: 'URLs', uris: 'URIs', ids: 'IDs' }

/** What a member is called: its label, or the words of its name. */
export function memberLabel({ members }: Labels, path: readonly string[]): string {
  const last = path.at(-1) ?? ''
  return members[path.join('.')] ?? members[last] ?? inWords(last)
}

/** What is shown of a member that is null; undefined where that means nothing. */
export function nullLabel({ ofNull }: Labels, path: readonly string[]): string | undefined {
  return ofNull[path.at(-1) ?? '']
}

/** What a value of a member is called; as it is where it is not one of the contract's, or is a name that programs have. */
export function valueLabel({ values }: Labels, member: string | undefined, value: string): string {
  return values[member ?? '']?.[value] ?? value
}

/** What an operation is called on its button: its label, or the words of its verb. */
export function operationLabel({ operations }: Labels, route: string): string {
  const verb = route.split('.')[1] ?? ''
  return operations[route] ?? operations[verb] ?? inWords(verb.replace(/[A-Z]/g, (letter) => `_${letter}`))
}

/** What an operation does: its help, or the summary of the contract. */
export function operationHelp({ helps }: Labels, { name, definition }: Route): string {
  return helps?.[name] ?? definition.summary ?? name
}

/** What a screen is called, its list and one of its records: by its key or the last part of it, or by the words of that. */
export function screenLabel({ screens }: Labels, key: string): readonly [many: string, one: string] {
  const last = key.split('.').at(-1) ?? ''
  const many = inWords(last.replaceAll('-', '_'))
  return screens[key] ?? screens[last] ?? [many, many.replace(/ies$/, 'y').replace(/s$/, '')]
}

/** The words of a name: allowed_redirect_urls is Allowed redirect URLs. */
function inWords(name: string): string {
  const words = name
    .split('_')
    .map((word) => word.toLowerCase())
    .map((word) => plurals[word] ?? (abbreviations.has(word) ? word.toUpperCase() : word))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
