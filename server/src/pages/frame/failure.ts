import { isUnavailable } from '../../platform/db/violations.js'

/** The status of an error page: the 4xx status of a request error, 503 without a database, else 500. */
export function statusOfFailure(error: unknown): number {
  if (isUnavailable(error)) return 503
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500
}
