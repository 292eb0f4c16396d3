import { ApiError } from '../../platform/errors.js'

/** How long to wait, where an operation has refused one more; undefined for any other error. */
export function waitOf(error: unknown): { readonly retryAfterSeconds: number | undefined } | undefined {
  if (!(error instanceof ApiError) || error.code !== 'rate_limited') return undefined
  return { retryAfterSeconds: error.limit?.retryAfterSeconds ?? error.retryAfterSeconds }
}
