import type {
  ErrorCode,
  FieldError,
  OAuthErrorCode,
  OperationName,
  Operations,
  UndeclaredErrorCode,
} from './generated.js'

/**
 * The codes an error of one operation can have: those the operation declares, those that any path can answer, and
 * `unexpected_answer`, for an answer that is not the service's own, such as the error page of a proxy.
 */
export type ErrorCodeOf<Name extends OperationName = OperationName> =
  Operations[Name]['code'] | UndeclaredErrorCode | 'unexpected_answer'

interface ApiErrorInit {
  readonly operation: string
  readonly status: number
  readonly code: ErrorCode | 'unexpected_answer'
  readonly message: string
  readonly fields?: readonly FieldError[]
  readonly requestId?: string | undefined
  readonly docsUrl?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** The service refused a request, or answered with something that is not its own. Holds no credential. */
export class ApiError<Code extends string = ErrorCode | 'unexpected_answer'> extends Error {
  override readonly name = 'ApiError'
  /** The operation that was called, such as `users.create`. */
  readonly operation: string
  /** The HTTP status. */
  readonly status: number
  /** What went wrong. A newer service can answer codes that this version does not list: keep a default branch. */
  readonly code: Code
  /** Every parameter at fault; empty unless the status is 422. */
  readonly fields: readonly FieldError[]
  /** What to tell the operator of the service; undefined when no service answered. */
  readonly requestId: string | undefined
  /** The page that explains the code. */
  readonly docsUrl: string | undefined
  /** Seconds that the service asks to wait; undefined when it does not say. */
  readonly retryAfterSeconds: number | undefined

  constructor(init: ApiErrorInit & { readonly code: Code }) {
    // A 422 says what is wrong by its fields.
    const faults = init.fields?.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')
    super(`${init.operation}: ${init.status} ${init.code}: ${faults || init.message}`)
    this.operation = init.operation
    this.status = init.status
    this.code = init.code
    this.fields = init.fields ?? []
    this.requestId = init.requestId
    this.docsUrl = init.docsUrl
    this.retryAfterSeconds = init.retryAfterSeconds
  }

  /** The error for a log: JSON of an Error is otherwise without its message. */
  toJSON(): object {
    return { ...this, message: this.message }
  }
}

/**
 * Whether a failure is an answer of the service; with the name of an operation, whether it is one of that operation,
 * and then its code is narrowed to what the operation declares, so that a switch over it can be complete.
 */
export function isApiError(error: unknown): error is ApiError
export function isApiError<Name extends OperationName>(
  error: unknown,
  operation: Name,
): error is ApiError<ErrorCodeOf<Name>>
export function isApiError(error: unknown, operation?: string): boolean {
  return error instanceof ApiError && (operation === undefined || error.operation === operation)
}

/**
 * An OAuth endpoint refused a request (RFC 6749 section 5.2). Every operation can fail with `invalid_client`, which
 * means that the client's own credentials are not accepted.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly operation: string
  readonly status: number
  readonly code: OAuthErrorCode
  readonly requestId: string | undefined
  /** Seconds that the service asks to wait; undefined when it does not say. */
  readonly retryAfterSeconds: number | undefined

  constructor(init: {
    readonly operation: string
    readonly status: number
    readonly code: OAuthErrorCode
    readonly description: string
    readonly requestId?: string | undefined
    readonly retryAfterSeconds?: number | undefined
  }) {
    super(`${init.operation}: ${init.status} ${init.code}: ${init.description}`)
    this.operation = init.operation
    this.status = init.status
    this.code = init.code
    this.requestId = init.requestId
    this.retryAfterSeconds = init.retryAfterSeconds
  }

  toJSON(): object {
    return { ...this, message: this.message }
  }
}

/**
 * No answer was received. Whether the request was carried out is not known, unless it was repeated safely.
 * `network`: the connection failed. `timeout`: the time of the attempt ended. `too_large`: the answer exceeds 10 MB.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly reason: 'network' | 'timeout' | 'too_large'

  constructor(reason: ConnectionError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
