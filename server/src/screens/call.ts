import type { Caller } from '../platform/tenant.js'

/** A call of an operation by its route, as a client of the API sends it. */
export interface RouteCall {
  /** The name of the route in the contract, such as users.create. */
  readonly route: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  /** The ETag of the version that was shown. */
  readonly ifMatch?: string | undefined
  readonly idempotencyKey?: string | undefined
  /** Why a member of staff does it, 3 to 300 characters; operations of danger ask for it. */
  readonly reason?: string | undefined
}

/** The codes of a call that is not made, because a reason or a proof is missing. */
export type RefusalCode = 'invalid_parameters' | 'proof_required'

/** The answer as the API gives it: its status and body, an error body included. */
export interface CallAnswer {
  readonly status: number
  readonly body: unknown
  readonly etag: string | undefined
}

/** Runs an operation for a caller within the process: by the checks, the handler and the answer of the API. */
export type Call = (caller: Caller, call: RouteCall) => Promise<CallAnswer>
