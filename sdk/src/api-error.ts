import type {
  ErrorCode,
  FieldError,
  OAuthErrorCode,
  OperationName,
  Operations,
  UndeclaredErrorCode,
} from './generated.js'

/**
 * The error codes of one operation: those it declares, and those of any call. The latter are UndeclaredErrorCode, from a
 * service that does not know the operation or fails, and `unexpected_answer`, which the client sets for an answer that is
 * not the service's, such as the error page of a proxy.
 */
export type ErrorCodeOf<Name extends OperationName = OperationName> =
  | Operations[Name]['code']
  | UndeclaredErrorCode
  | 'unexpected_answer'

interface RefusalFacts {
  readonly operation: string
  readonly status: number
  readonly code: string
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** The common base of errors of API and OAuth endpoints; the values given to its constructor become its members. */
class RefusalError extends Error {
  /** The operation that was called, such as `users.create`. */
  declare readonly operation: string
  /** The HTTP status. */
  declare readonly status: number
  /** Identifies the request to the operator of the service; undefined when the answer has none. */
  declare readonly requestId: string | undefined
  /** Seconds to wait, from Retry-After; undefined without it. */
  declare readonly retryAfterSeconds: number | undefined

  constructor(message: string, facts: RefusalFacts) {
    super(`${facts.operation}: ${facts.status} ${facts.code}: ${message}`)
    Object.assign(this, facts)
  }

  /** The error for a log; JSON of an Error otherwise lacks its message. */
  toJSON(): object {
    return { ...this, message: this.message }
  }
}

interface ApiErrorInit extends RefusalFacts {
  readonly message: string
  readonly fields?: readonly FieldError[]
  readonly docsUrl?: string | undefined
}

/**
 * The service refused a request, or the answer is not the service's. Contains no credential.
 *
 * @example
 * ```ts
 * try {
 *   await client.users.create({ org_domain: 'awesome-company', email: 'ada@awesome.example' })
 * } catch (error) {
 *   if (!(error instanceof ApiError)) throw error
 *   console.error(error.status, error.code, error.requestId, error.fields)
 * }
 * ```
 */
export class ApiError<Code extends string = ErrorCode | 'unexpected_answer'> extends RefusalError {
  override readonly name = 'ApiError'
  /**
   * A code that the operation declares, or one of any call (ErrorCodeOf). A newer service can answer codes that this
   * version does not list: keep a default branch.
   */
  declare readonly code: Code
  /** Every invalid parameter; empty unless the status is 422. */
  declare readonly fields: readonly FieldError[]
  /** The page that explains the code. */
  declare readonly docsUrl: string | undefined

  constructor({ message, fields = [], ...facts }: ApiErrorInit & { readonly code: Code }) {
    // The message of a 422 is made from its fields.
    const faults = fields.map(({ path, message: fault }) => `${path} ${fault}`.trim()).join('; ')
    super(faults || message, facts)
    this.fields = fields
  }
}

/**
 * Whether an error is an ApiError; given the name of an operation, whether it is of that operation, which narrows its code
 * to ErrorCodeOf that operation. A switch is complete when it names the codes that the operation declares, those of
 * UndeclaredErrorCode, and `unexpected_answer`.
 *
 * @example
 * ```ts
 * const created = await client.webhooks.rotateSignatureKey({ webhook_id: 'w1' }).catch((error: unknown) => {
 *   if (isApiError(error, 'webhooks.rotateSignatureKey') && error.code === 'webhook_not_found') return undefined
 *   throw error
 * })
 * ```
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
 *
 * @example
 * ```ts
 * await client.oauth.token({ grant_type: 'authorization_code', code: 'c1' }).catch((error: unknown) => {
 *   if (error instanceof OAuthError && error.code === 'invalid_grant') console.error('the code was used, or is old')
 *   else throw error
 * })
 * ```
 */
export class OAuthError extends RefusalError {
  override readonly name = 'OAuthError'
  /** The error code of the endpoint (RFC 6749 section 5.2). */
  declare readonly code: OAuthErrorCode

  constructor({
    description,
    ...facts
  }: RefusalFacts & { readonly code: OAuthErrorCode; readonly description: string }) {
    super(description, facts)
  }
}

/**
 * No answer was received, so the request may or may not have been carried out.
 * `network`: the connection failed. `timeout`: the attempt timed out. `too_large`: the answer exceeds 10 MB.
 *
 * @example
 * ```ts
 * await client.users.list({ org_domain: 'awesome-company' }, { timeoutMs: 2_000 }).catch((error: unknown) => {
 *   if (error instanceof ConnectionError) console.error(error.reason)
 *   throw error
 * })
 * ```
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  /** Why there is no answer. */
  readonly reason: 'network' | 'timeout' | 'too_large'

  constructor(reason: ConnectionError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
