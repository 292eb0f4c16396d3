import { ApiError } from '../../platform/errors.js'

/** The wait after a rate limit, in seconds if known; undefined for any other error. */
export function waitOf(error: unknown): { readonly retryAfterSeconds: number | undefined } | undefined {
  if (!(error instanceof ApiError) || error.code !== 'rate_limited') return undefined
  return { retryAfterSeconds: error.limit?.retryAfterSeconds ?? error.retryAfterSeconds }
}
