import type { Response } from 'express'
import type { LimitState } from '../errors.js'

/** Adds a limit's state to the headers, beside other limits (draft-ietf-httpapi-ratelimit-headers). */
export function setLimitHeaders(res: Response, state: LimitState): void {
  const { name, limit, windowSeconds, remaining, resetSeconds, retryAfterSeconds } = state
  addItem(res, 'RateLimit-Policy', `"${name}";q=${limit};w=${windowSeconds}`)
  addItem(res, 'RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`)
  if (retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(retryAfterSeconds))
}

function addItem(res: Response, header: string, item: string): void {
  const items = res.getHeader(header)
  res.setHeader(header, items === undefined ? item : `${String(items)}, ${item}`)
}
