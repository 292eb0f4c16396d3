import { scimMessages, type ScimErrorType } from '@portico/contract/scim'

interface ScimFault {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 429 | 500 | 501 | 503
  readonly scimType?: ScimErrorType
  /** Of 429 and 503. */
  readonly retryAfterSeconds?: number
  /** The methods that are allowed, of 405. */
  readonly allow?: readonly string[]
}

/** A failure as RFC 7644 section 3.12 tells it; the message is its detail. */
export class ScimError extends Error {
  override readonly name = 'ScimError'
  readonly fault: ScimFault

  constructor(fault: ScimFault, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.fault = fault
  }
}

/** The one answer to whoever has not proved to be the provider of a directory that is there. */
export function unproven(): ScimError {
  return new ScimError(
    { status: 401 },
    'Send the secret of the directory as Authorization: Bearer <secret>: it is missing or expired, or that of another base URL.',
  )
}

/** The body of a failure. */
export function toErrorBody({ fault: { status, scimType }, message }: ScimError) {
  return {
    schemas: [scimMessages.error],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  }
}
