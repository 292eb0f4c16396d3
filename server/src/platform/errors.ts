import { allErrorCodes, type ErrorCode, type FieldError } from '@portico/contract/errors'

/** A caller's state at a limit, for headers. */
export interface LimitState {
  /** The policy's name, such as sign-in. */
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  readonly resetSeconds: number
  /** How long all requests are refused; undefined while some pass. */
  readonly retryAfterSeconds?: number
}

/** A failure caused by and shown to the caller: a code of the contract's table, with the particular fault. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly fields: readonly FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined
  /** The limit that was reached, where it is not that of the API key. */
  readonly limit: LimitState | undefined

  constructor(
    readonly code: ErrorCode,
    detail: {
      message?: string
      fields?: readonly FieldError[]
      retryAfterSeconds?: number
      limit?: LimitState
      cause?: unknown
    } = {},
  ) {
    super(detail.message ?? allErrorCodes[code].message, { cause: detail.cause })
    this.fields = detail.fields
    this.retryAfterSeconds = detail.retryAfterSeconds
    this.limit = detail.limit
  }
}

/** A 422 about one parameter. */
export function invalid(path: string, code: string, message: string): ApiError {
  return new ApiError('invalid_parameters', { fields: [{ path, code, message }] })
}
