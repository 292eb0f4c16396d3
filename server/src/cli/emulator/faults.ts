import type { EmulatorErrorCode, Fault, NewFault } from '@portico/contract/emulator'
import { allErrorCodes, type ErrorCode } from '@portico/contract/errors'
import { oauth, oauthErrorCodes } from '@portico/contract/oauth'
import { routes, type Route } from '@portico/contract/walk'
import { ApiError } from '../../platform/errors.js'
import { OAuthFailure } from '../../protocols/oauth/oauth-failure.js'
import { EmulatorRefusal } from './refusal.js'

type OAuthCode = (typeof oauthErrorCodes)[number]

/** The outcome of a request. */
interface Met {
  readonly latencyMs: number
  readonly reset: boolean
  /** Undefined: the service answers. */
  readonly error: Error | undefined
}

export interface Faults {
  /** @throws EmulatorRefusal `fault_not_declared` when the service could never give that answer. */
  add(input: NewFault): Fault
  list(): Fault[]
  /** @returns How many faults there were. */
  clear(): number
  /** The fault of a request for an operation, which counts as a use of it; undefined without a fault. */
  meet(operation: string): Met | undefined
}

interface Entry {
  fault: Fault
  readonly error: () => Error | undefined
}

/** Faults requested by tests: of those of one operation the oldest applies first, until it is used up. */
export function createFaults(): Faults {
  let entries: Entry[] = []
  return {
    add(input) {
      const entry = toEntry(input)
      entries.push(entry)
      return entry.fault
    },
    list: () => entries.map(({ fault }) => fault),
    clear() {
      const { length } = entries
      entries = []
      return length
    },
    meet(operation) {
      const entry = entries.find(({ fault }) => fault.operation === operation && fault.remaining !== 0)
      if (entry === undefined) return undefined
      const { remaining, met } = entry.fault
      entry.fault = {
        ...entry.fault,
        remaining: remaining === null ? null : remaining - 1,
        met: met + 1,
      }
      return { latencyMs: entry.fault.latency_ms, reset: entry.fault.reset, error: entry.error() }
    },
  }
}

const routesByName = new Map(routes().map((route) => [route.name, route]))

function toEntry(input: NewFault): Entry {
  const { operation, latency_ms = 0, reset = false, retry_after_seconds: seconds, times } = input
  const route = routesByName.get(operation)
  if (route === undefined)
    throw refusal(
      'invalid_parameters',
      `operation: ${operation} is none of ${[...routesByName.keys()].join(', ')}`,
    )
  const answer = answerOf(route, input)
  if (reset && answer !== undefined)
    throw refusal(
      'invalid_parameters',
      'reset: a connection that ends has no answer: leave out code and status',
    )
  if (!reset && answer === undefined && latency_ms === 0)
    throw refusal('invalid_parameters', 'a fault has a code, a status, latency_ms or reset')
  return {
    error: () => answer?.toError(seconds),
    fault: {
      operation,
      code: answer?.code ?? null,
      status: answer?.status ?? null,
      latency_ms,
      reset,
      retry_after_seconds: seconds ?? null,
      remaining: times ?? null,
      met: 0,
    },
  }
}

interface Answer {
  readonly code: string
  readonly status: number
  toError(retryAfterSeconds: number | undefined): Error
}

function answerOf(route: Route, { code, status }: NewFault): Answer | undefined {
  if (code === undefined && status === undefined) return undefined
  const declared = answersOf(route)
  const found = declared.find(
    (each) => (code ?? each.code) === each.code && (status ?? each.status) === each.status,
  )
  if (found !== undefined) return found
  const asked = [code, status].filter((part) => part !== undefined).join(' with status ')
  const known = declared.map((each) => `${each.code} (${each.status})`).join(', ')
  throw refusal('fault_not_declared', `${route.name} does not answer ${asked}. It answers ${known}`)
}

const oauthRoutes = new Set<unknown>(Object.values(oauth))

/** The refusals that the contract declares of a route, and the undeclared failure that each may have. */
function answersOf(route: Route): Answer[] {
  if (oauthRoutes.has(route.definition)) {
    const known = oauthErrorCodes.map((code) => toOAuthAnswer(code, new OAuthFailure(code, '').status))
    // A route answers 503 for its database in the form of 429 for a limit.
    return [...known, toOAuthAnswer('temporarily_unavailable', 503)].filter(
      ({ status }) => status in route.definition.responses,
    )
  }
  return [...new Set<ErrorCode>([...route.errorCodes, 'internal_error'])].map((code) => ({
    code,
    status: allErrorCodes[code].status,
    toError: (retryAfterSeconds) =>
      new ApiError(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }))
}

function toOAuthAnswer(code: OAuthCode, status: number): Answer {
  return {
    code,
    status,
    toError: (retryAfterSeconds) =>
      new OAuthFailure(code, 'Asked for by a fault of the emulator.', { status, retryAfterSeconds }),
  }
}

function refusal(code: EmulatorErrorCode, message: string): EmulatorRefusal {
  return new EmulatorRefusal(code, message)
}
