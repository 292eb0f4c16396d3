import { AsyncLocalStorage } from 'node:async_hooks'
import type { WatchCall } from '../outbound/post.js'

/** The place of some work in a trace. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** Whether the trace is sent to the collector. */
  readonly isSampled: boolean
}

/** What is told of a request once it is answered. */
export interface AnsweredRequest {
  /** Undefined: the client went before its answer. */
  readonly status: number | undefined
  /** A template of the path, such as /t/:org_domain/sign-in/:flow_id; undefined where nothing has the path. */
  readonly route: string | undefined
  /** The name of the route as in the log. */
  readonly operation: string
  readonly requestId: string
  readonly accountId: string | undefined
  readonly environment: string | undefined
  readonly apiKeyId: string | undefined
}

/** A request whose answer ends its span. */
export interface RequestSpan extends Span {
  end(answered: AnsweredRequest): void
}

/** Work that no request waits for, such as a job. */
export interface BackgroundWork {
  /** The same for all work of its kind. */
  readonly name: string
  /** The names have the prefix portico. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  /** The header of the request that asked for it; a trace of its own without one. */
  readonly traceparent?: string | undefined
}

/**
 * Tells a collector what the process does, as spans that have names, places and outcomes, and nothing of what callers send: no
 * address, no parameter, no secret. Statements and calls are told where work is around them.
 */
export interface Traces {
  /**
   * Begins the span of a request.
   *
   * @param traceparent The header; an invalid one is ignored (W3C Trace Context section 3.2).
   */
  startRequest(method: string, traceparent: string | string[] | undefined): RequestSpan
  /** Tells of a statement that was just sent. The text is read for its verb and its table, and not told. */
  onStatement(pool: string, text: string, answer: Promise<unknown>): void
  readonly watchCall: WatchCall
  runInBackground<Result>(about: BackgroundWork, work: () => Promise<Result>): Promise<Result>
  /** Sends what has ended. */
  flush(): Promise<void>
  /** Sends the rest, for two seconds at most. */
  close(): Promise<void>
}

const active = new AsyncLocalStorage<Span>()

/** The span of the request or the job that runs; undefined also where nothing is traced. */
export function activeSpan(): Span | undefined {
  return active.getStore()
}

/** Runs work whose own spans are children of this one. */
export function within<Result>(span: Span, work: () => Result): Result {
  return active.run(span, work)
}

/** The header for those who go on with the trace (W3C Trace Context section 3.2). */
export function traceparentOf({ traceId, spanId, isSampled }: Span): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** The members by which a line of the log finds its span. */
export function loggedSpan(span: Span | undefined): { trace_id?: string; span_id?: string } {
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }
}
