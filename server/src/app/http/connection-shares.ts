import type { Request, RequestHandler } from 'express'
import { countedFor } from '../../platform/db/shares.js'
import { networkOfClient } from '../../platform/outbound/address.js'

/** Counts the database connections of a request against its credential, the network of its client, or the resource in its path. */
export const connectionShares: RequestHandler = (req, _res, next) => countedFor(holderOf(req), next)

/** First path segments of routes that need a secret. */
const keyed = new Set(['api', 'scim'])
/** The OAuth endpoints of the service itself. */
const ownOauth = /^\/(?:api\/v2\/)?oauth\//

/**
 * The Authorization header on the API and SCIM. On pages, where anybody may send any header, the organization, connection or
 * link in the path; at OAuth endpoints whose path names none, the network of the client.
 */
export function holderOf({
  path,
  ip = '',
  headers: { authorization },
}: Pick<Request, 'path' | 'ip' | 'headers'>): string {
  const plain = decoded(path).toLowerCase()
  if (ownOauth.test(plain)) return `oauth/${networkOfClient(ip)}`
  const [first = '', second = ''] = plain.slice(1).split('/')
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
