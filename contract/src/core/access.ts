import { checkedDeprecation, type Deprecation } from './deprecation.js'

/** The resources of scopes: an API key can be limited to `read:` or `write:` of each. */
const scopedResources = [
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
  'passkeys',
  'relays',
  'webhooks',
  'events',
  'log_events',
  'sessions',
  'account',
  'impersonations',
  'discovery',
  'domains',
  'roles',
  'memberships',
  'social',
] as const

/** What the staff of an account can be granted beside them in the console; no API key has their scopes. */
const staffScopedResources = ['people', 'limits', 'api_keys', 'staff', 'audit', 'health'] as const

type ScopeOf<Resource extends string> = `${'read' | 'write'}:${Resource}`
export type Scope = ScopeOf<(typeof scopedResources)[number]>
export type StaffScope = ScopeOf<(typeof staffScopedResources)[number]>

export const scopes: readonly Scope[] = scopedResources.flatMap(scopesOfResource)
export const staffScopes: readonly StaffScope[] = staffScopedResources.flatMap(scopesOfResource)

function scopesOfResource<Resource extends string>(resource: Resource): ScopeOf<Resource>[] {
  return [`read:${resource}`, `write:${resource}`]
}

/** The scopes of an API key without a list of its own: signing in as somebody else is granted by name alone. */
export const unlistedScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'write:impersonations')

/**
 * `api_token`: issues the API token that routes with `api_key` require. `event_stream`: reads events in order, from a cursor.
 * `key_set`: publishes the keys that verify an organization's tokens.
 * `account_key_set`: publishes those that verify what an account issues. `access_evaluation`: tells whether a user has a permission.
 */
export type Role = 'api_token' | 'event_stream' | 'key_set' | 'account_key_set' | 'access_evaluation'

/** A heading of the reference, which OpenAPI calls a tag. */
export interface Tag {
  readonly name: string
  readonly description: string
  /** Why its records are not promoted to another environment; absent where they are, and where callers only read. */
  readonly notPromoted?: string
}

/** `reason`: why it is done. `proof`: also a sign-in with a second factor within the last 10 minutes. */
export type Danger = 'reason' | 'proof'

/**
 * Authorization of a route and the effects of a call, read by server, SDK and docs. contract.ts checks that the codes are
 * those of events.
 */
export interface Access<Code extends string = string> {
  readonly tag: Tag
  /** `api_key`: requires a bearer token of an API key. `none`: public, for the protocol routes. */
  readonly auth: 'api_key' | 'none'
  /** The scope required of the key; null on routes without a key. Those of staff are of routes of the console. */
  readonly scope: Scope | StaffScope | null
  /** `account`: acts on the whole account, so a key limited to organizations is refused. */
  readonly reach: 'organization' | 'account' | 'caller'
  /** The events a success emits. */
  readonly emits: readonly Code[]
  /** Takes an Idempotency-Key. */
  readonly idempotent: boolean
  /** `answers`: sends an ETag. `checks`: also heeds `If-Match`, and changes only that version. */
  readonly versioned: 'answers' | 'checks' | false
  /** Takes a file; the limit of its body is 512 kB instead of 100 kB. */
  readonly takesFile: boolean
  /** Available with sandbox keys only. */
  readonly sandboxOnly: boolean
  /**
   * Does what only the user may do, or answers with what only they may have. Staff in the console are refused, or the call has these
   * members whatever they send.
   */
  readonly asUser: 'refused' | Readonly<Record<string, unknown>> | false
  /**
   * What it changes is of both environments, whichever the caller is in. `by_scopes`: what it gives can change such things if the scopes
   * in its body can. `perhaps`: if those can that it was given before.
   */
  readonly spansEnvironments: boolean | 'by_scopes' | 'perhaps'
  /** What staff have to give where production is concerned, if the operation, or a member of its body, asks for it. */
  readonly danger: Danger | Readonly<Record<string, Danger>> | false
  /** Has a rate limit of its own beside that of the API key; successes also carry the headers of the limit. */
  readonly limited: 'sign-in' | 'mail' | 'sms' | 'domain-check' | 'social-check' | false
  /** The function of the route in clients and verifiers; null on nearly all. */
  readonly role: Role | null
  /** Replaces the record's example where that would mislead: for a secret that only this answer shows. */
  readonly example: object | undefined
  /** Set when the route will be removed; answers announce it. */
  readonly deprecated?: Deprecation
}

/** Metadata of a route that requires an API key. Reach is the organization in its path by default. */
export function access<Code extends string = never>(
  rule: { tag: Tag; scope: Scope | StaffScope } & Partial<Omit<Access<Code>, 'auth' | 'tag' | 'scope'>>,
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
    asUser: false,
    spansEnvironments: false,
    danger: false,
    limited: false,
    role: null,
    example: undefined,
    ...rule,
  }
}

/** Metadata of a protocol route, which authenticates callers by its own parameters. */
export function open({
  tag,
  role = null,
  deprecated,
}: {
  tag: Tag
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
    asUser: false,
    spansEnvironments: false,
    danger: false,
    limited: false,
    example: undefined,
    ...(deprecated !== undefined && { deprecated }),
  }
}
