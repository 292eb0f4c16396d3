import type { Request, RequestHandler } from 'express'
import { countedFor } from '../../platform/db/shares.js'

/** Counts the connections to the database that a request has for whoever sent it, or for what it is about. */
export const connectionShares: RequestHandler = (req, _res, next) => countedFor(holderOf(req), next)

/** What only those answer who have a secret. */
const keyed = new Set(['api', 'oauth', 'scim'])

/**
 * Of the API and of SCIM the key or secret, by its header; of pages, where anybody may send any header, what the path
 * names: an organization, a connection or a link.
 */
export function holderOf({ path, headers: { authorization } }: Pick<Request, 'path' | 'headers'>): string {
  const [first = '', second = ''] = decoded(path).toLowerCase().slice(1).split('/')
  return authorization !== undefined && keyed.has(first) ? authorization : `${first}/${second}`
}

/** One path can be written in many ways. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
