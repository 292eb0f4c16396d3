import { checkedDeprecation, type Deprecation } from './deprecation.js'

/** What API keys can be limited to: `read:` and `write:` of each. */
export const scopedResources = [
  'organizations',
  'users',
  'applications',
  'token_customization',
  'sso_connections',
  'admins',
  'directories',
  'magic_links',
  'passwords',
  'totp',
  'relays',
  'webhooks',
  'events',
  'log_events',
  'sessions',
] as const

export type Scope = `${'read' | 'write'}:${(typeof scopedResources)[number]}`

export const scopes: readonly Scope[] = scopedResources.flatMap((resource): Scope[] => [
  `read:${resource}`,
  `write:${resource}`,
])

/**
 * `api_token`: issues the API token that the routes with `api_key` are called with. `event_stream`: reads the events, in their
 * order and from a cursor on. `key_set`: publishes the keys that verify an organization's tokens.
 */
export type Role = 'api_token' | 'event_stream' | 'key_set'

/**
 * Who may call a route, and what a call of it does beyond its answer. Read from the contract by server, SDK and docs. That its
 * codes are those of events is checked where the contract is put together.
 */
export interface Access<Code extends string = string> {
  /** Heading of the reference under which the route stands. */
  readonly tag: string
  /** `api_key`: a bearer token of an API key. `none`: anybody, for the protocol routes. */
  readonly auth: 'api_key' | 'none'
  /** The scope that the key must have; null on routes without a key. */
  readonly scope: Scope | null
  /** `account`: acts on the whole account, which a key limited to organizations may not. */
  readonly reach: 'organization' | 'account' | 'caller'
  /** The events a success emits. */
  readonly emits: readonly Code[]
  /** Takes an Idempotency-Key. */
  readonly idempotent: boolean
  /** Answers an ETag; with `If-Match` the change happens only to that version. */
  readonly versioned: 'answers' | 'checks' | false
  /** Takes a file, with which its body may be of 512 kB instead of 100. */
  readonly takesFile: boolean
  /** Exists with sandbox keys alone. */
  readonly sandboxOnly: boolean
  /** Counts against a limit of its own, beside that of the API key; a success, too, tells where the caller stands. */
  readonly limited: 'sign-in' | 'mail' | 'sms' | false
  /** What a client needs of the route before it is asked for anything; null: nothing, as of nearly all. */
  readonly role: Role | null
  /** What a success looks like where the example of its record would mislead: a secret that this answer alone shows. */
  readonly example: object | undefined
  /** Answers say that it will go, and when. */
  readonly deprecated?: Deprecation
}

/** Metadata of a route called with an API key. Reach is the organization in its path unless said otherwise. */
export function access<Code extends string = never>(
  rule: { tag: string; scope: Scope } & Partial<Omit<Access<Code>, 'auth' | 'tag' | 'scope'>>,
): Access<Code> {
  if (rule.deprecated !== undefined) checkedDeprecation(rule.deprecated)
  return {
    auth: 'api_key',
    reach: 'organization',
    emits: [],
    idempotent: false,
    versioned: false,
    takesFile: false,
    sandboxOnly: false,
    limited: false,
    role: null,
    example: undefined,
    ...rule,
  }
}

/** Metadata of a protocol route, which authenticates by its own parameters. */
export function open({
  tag,
  role = null,
  deprecated,
}: {
  tag: string
  role?: Role | null
  deprecated?: Deprecation
}): Access<never> {
  if (deprecated !== undefined) checkedDeprecation(deprecated)
  return {
    tag,
    role,
    auth: 'none',
    scope: null,
    reach: 'caller',
    emits: [],
    idempotent: false,
    versioned: false,
    takesFile: false,
    sandboxOnly: false,
    limited: false,
    example: undefined,
    ...(deprecated !== undefined && { deprecated }),
  }
}
