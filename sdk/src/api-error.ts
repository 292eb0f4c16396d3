import type {
  ErrorCode,
  FieldError,
  OAuthErrorCode,
  OperationName,
  Operations,
  UndeclaredErrorCode,
} from './generated.js'

/**
 * The codes an error of one operation can have: those the operation declares, and those that any call can end with. These
 * are UndeclaredErrorCode, which a service answers that does not know the operation or fails, and `unexpected_answer`,
 * which the client makes of an answer that is not the service's own, such as the error page of a proxy.
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

/** What the refusals of API and OAuth endpoints have in common; its own members are what it was made with. */
class RefusalError extends Error {
  /** The operation that was called, such as `users.create`. */
  declare readonly operation: string
  /** The HTTP status. */
  declare readonly status: number
  /** What to tell the operator of the service; undefined when no service answered. */
  declare readonly requestId: string | undefined
  /** Seconds that the service asks to wait; undefined when it does not say. */
  declare readonly retryAfterSeconds: number | undefined

  constructor(message: string, facts: RefusalFacts) {
    super(`${facts.operation}: ${facts.status} ${facts.code}: ${message}`)
    Object.assign(this, facts)
  }

  /** The error for a log: JSON of an Error is otherwise without its message. */
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
 * The service refused a request, or answered with something that is not its own. Holds no credential.
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
   * What went wrong: what the operation declares, or what any call can end with (ErrorCodeOf). A newer service can answer
   * codes that this version does not list: keep a default branch.
   */
  declare readonly code: Code
  /** Every parameter at fault; empty unless the status is 422. */
  declare readonly fields: readonly FieldError[]
  /** The page that explains the code. */
  declare readonly docsUrl: string | undefined

  constructor({ message, fields = [], ...facts }: ApiErrorInit & { readonly code: Code }) {
    // A 422 says what is wrong by its fields.
    const faults = fields.map(({ path, message: fault }) => `${path} ${fault}`.trim()).join('; ')
    super(faults || message, facts)
    this.fields = fields
  }
}

/**
 * Whether a failure is an answer of the service; with the name of an operation, whether it is one of that operation, and
 * then its code is narrowed to ErrorCodeOf that operation. A switch is complete when it names the codes that the operation
 * declares, those of UndeclaredErrorCode, and `unexpected_answer`.
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
  /** What the endpoint refuses with (RFC 6749 section 5.2). */
  declare readonly code: OAuthErrorCode

  constructor({
    description,
    ...facts
  }: RefusalFacts & { readonly code: OAuthErrorCode; readonly description: string }) {
    super(description, facts)
  }
}

/**
 * No answer was received. Whether the request was carried out is not known, unless it was repeated safely.
 * `network`: the connection failed. `timeout`: the time of the attempt ended. `too_large`: the answer exceeds 10 MB.
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
