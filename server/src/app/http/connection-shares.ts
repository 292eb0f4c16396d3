import type { Request, RequestHandler } from 'express'
import { countedFor } from '../../platform/db/shares.js'

/** Counts the database connections of a request against its credential, or against the resource in its path. */
export const connectionShares: RequestHandler = (req, _res, next) => countedFor(holderOf(req), next)

/** First path segments of routes that need a secret. */
const keyed = new Set(['api', 'oauth', 'scim'])

/**
 * The Authorization header on the API and SCIM. On pages, where anybody may send any header, the organization,
 * connection or link in the path.
 */
export function holderOf({ path, headers: { authorization } }: Pick<Request, 'path' | 'headers'>): string {
  const [first = '', second = ''] = decoded(path).toLowerCase().slice(1).split('/')
  return authorization !== undefined && keyed.has(first) ? authorization : `${first}/${second}`
}

/** Percent-decodes the path, because one path has many spellings. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
