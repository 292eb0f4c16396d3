import { scimMessages, type ScimErrorType } from '@portico/contract/scim'

interface ScimFault {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 429 | 500 | 501 | 503
  readonly scimType?: ScimErrorType
  /** Of 429 and 503. */
  readonly retryAfterSeconds?: number
  /** The allowed methods, of 405. */
  readonly allow?: readonly string[]
}

/** An error response (RFC 7644 section 3.12); the message is its detail. */
export class ScimError extends Error {
  override readonly name = 'ScimError'
  readonly fault: ScimFault

  constructor(fault: ScimFault, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.fault = fault
  }
}

/** A request that is wrong by itself, by the names of RFC 7644 section 3.12. */
export function badRequest(scimType: ScimErrorType, detail: string): ScimError {
  return new ScimError({ status: 400, scimType }, detail)
}

/** The only answer to a failed authentication, whether or not the directory exists. */
export function unauthenticated(options?: ErrorOptions): ScimError {
  return new ScimError(
    { status: 401 },
    'Send the secret of the directory as Authorization: Bearer <secret>: it is missing or expired, or that of another base URL.',
    options,
  )
}

/** The body of an error response. */
export function toErrorBody({ fault: { status, scimType }, message }: ScimError) {
  return {
    schemas: [scimMessages.error],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  }
}
