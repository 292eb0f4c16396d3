import type { ScimResourceType } from '@portico/contract/directory-sync'
import { id as idForm, nilId } from '@portico/contract/fields'
import { discoveryEndpoints, type DiscoveryEndpoint } from './discovery.js'
import type { ScimOperations } from './scim-caller.js'
import { ScimError } from './scim-error.js'

/** The operation that a method and a path name. */
export type Target =
  | { readonly kind: 'discovery'; readonly endpoint: DiscoveryEndpoint; readonly name: string | undefined }
  | { readonly kind: 'many'; readonly type: ScimResourceType; readonly operation: ManyOperation }
  | {
      readonly kind: 'one'
      readonly type: ScimResourceType
      readonly operation: OneOperation
      readonly id: string
    }

/** The type of the resources that a request is about; undefined for discovery, and where it could not be parsed. */
export function resourceTypeOf(target: Target | undefined): ScimResourceType | undefined {
  return target === undefined || target.kind === 'discovery' ? undefined : target.type
}

/** On a resource type; `search` is a list whose parameters are in the body (RFC 7644 section 3.4.3). */
type ManyOperation = 'list' | 'create' | 'search'
/** On one resource. */
type OneOperation = Exclude<keyof ScimOperations, 'list' | 'create'>

/** Endpoints of RFC 7644 that are not implemented. */
const notImplemented = ['Bulk', 'Me', '.search']

const resourceTypes = { Users: 'User', Groups: 'Group' } as const satisfies Record<string, ScimResourceType>

const manyMethods = { GET: 'list', HEAD: 'list', POST: 'create' } as const
const searchMethods = { POST: 'search' } as const
const oneMethods = { GET: 'get', HEAD: 'get', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' } as const
const discoveryMethods = { GET: 'get', HEAD: 'get' } as const

/**
 * Parses a path relative to the base URL.
 *
 * @throws ScimError 404 for an unknown path, 405, and 501 for endpoints of RFC 7644 that are not implemented.
 */
export function targetOf(method: string, path: string): Target {
  const [first = '', second, ...rest] = segmentsOf(path)
  if (notImplemented.includes(first)) throw new ScimError({ status: 501 }, `/${first} is not implemented.`)
  if (rest.length > 0) throw unknownPath()
  const endpoint = discoveryEndpoints.find((name) => name === first)
  if (endpoint !== undefined) {
    operationOf(discoveryMethods, method)
    return { kind: 'discovery', endpoint, name: second }
  }
  const type = first === 'Users' || first === 'Groups' ? resourceTypes[first] : undefined
  if (type === undefined) throw unknownPath()
  if (second === undefined) return { kind: 'many', type, operation: operationOf(manyMethods, method) }
  if (second === '.search') return { kind: 'many', type, operation: operationOf(searchMethods, method) }
  // A malformed id gets the same 404 as an unknown one.
  const id = idForm().safeParse(second).success ? second : nilId
  return { kind: 'one', type, operation: operationOf(oneMethods, method), id }
}

/** The segments of a path, without a trailing slash, which some clients add. */
function segmentsOf(path: string): string[] {
  try {
    return path.replace(/^\//, '').replace(/\/$/, '').split('/').map(decodeURIComponent)
  } catch {
    throw new ScimError({ status: 404 }, 'The path cannot be read: percent-encode its segments, as UTF-8.')
  }
}

function unknownPath(): ScimError {
  return new ScimError({ status: 404 }, 'There is no such path: look at /ResourceTypes for those that are.')
}

function operationOf<Operation extends string>(
  methods: Readonly<Record<string, Operation>>,
  method: string,
): Operation {
  const operation = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (operation !== undefined) return operation
  const allow = Object.keys(methods)
  throw new ScimError({ status: 405, allow }, `${method} is not allowed here: use ${allow.join(', ')}.`)
}
