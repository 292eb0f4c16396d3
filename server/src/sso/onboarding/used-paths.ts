import { ScimRequestQuery, type DirectorySync, type ScimRequest } from '@portico/contract/directory-sync'
import type { Deps } from '../../delivery/deps.js'
import { listScimRequests } from '../../directory/directory-sync/requests.js'
import type { AdminSession } from '../admins/admin-session.js'
import { reachedTenant } from './reached-tenant.js'

/** A SCIM path that requests about users have used. */
export interface UsedPath {
  readonly path: string
  /** Whether a rule of the directory reads it. */
  readonly isMapped: boolean
}

/** How many requests are looked at; the page has room for fewer paths than a provider could make up. */
const most = { requests: 50, paths: 60 }

/** The paths that the latest requests of a directory's provider have used of its users, without their values. */
export async function listUsedPaths(
  deps: Pick<Deps, 'readDb'>,
  session: AdminSession,
  directory: DirectorySync,
): Promise<readonly UsedPath[]> {
  const tenant = reachedTenant(session, directory.__environment__, '')
  if (tenant === undefined) return []
  const query = ScimRequestQuery.parse({ per_page: most.requests })
  const { data } = await listScimRequests(deps, tenant, query)
  const { attribute_mapping: mapping, role_mapping: roles } = directory
  const read = [...mapping.map(({ from }) => from), ...roles.rules.map(({ attribute }) => attribute ?? '')]
  return usedPathsOf(data, read).slice(0, most.paths)
}

/**
 * The paths in the bodies of requests about users, in alphabetical order and each once, in whatever case.
 *
 * @param read The paths that rules read.
 */
export function usedPathsOf(
  requests: readonly Pick<ScimRequest, 'path' | 'request'>[],
  read: readonly string[],
): UsedPath[] {
  const mapped = new Set(read.map((path) => path.toLowerCase()))
  const found = new Map(
    requests
      .filter(({ path }) => /^\/Users(?:\/|$)/i.test(path))
      .flatMap(({ request }) => pathsIn(request))
      .map((path) => [path.toLowerCase(), path]),
  )
  return [...found]
    .map(([key, path]) => ({ path, isMapped: mapped.has(key) }))
    .toSorted((a, b) => (a.path.toLowerCase() < b.path.toLowerCase() ? -1 : 1))
}

/** What a body says nothing of a user by (RFC 7643 section 3.1). */
const ofTheEnvelope: ReadonlySet<string> = new Set(['schemas', 'id', 'meta'])

function pathsIn(request: string | null): string[] {
  const body = parsed(request)
  if (!isObject(body)) return []
  const operations = Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')
  if (operations === undefined) return pathsOfResource(body)
  const [, patched] = operations
  return Array.isArray(patched) ? patched.flatMap(pathsOfOperation) : []
}

function pathsOfOperation(operation: unknown): string[] {
  if (!isObject(operation)) return []
  const { path, value } = operation
  if (typeof path === 'string' && path !== '') return [path]
  return isObject(value) ? pathsOfResource(value) : []
}

/** The members of a resource: those of an extension behind its URN, those of a complex value behind its name. */
function pathsOfResource(resource: object): string[] {
  return Object.entries(resource).flatMap(([name, value]: [string, unknown]) => {
    if (ofTheEnvelope.has(name.toLowerCase())) return []
    if (!isObject(value)) return [name]
    const separator = /^urn:/i.test(name) ? ':' : '.'
    return Object.keys(value).map((sub) => `${name}${separator}${sub}`)
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    // A body is kept to its first 8,000 characters, which may be no JSON.
    return undefined
  }
}
