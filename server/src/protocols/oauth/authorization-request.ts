import {
  acrValues,
  AuthorizationRequest,
  wayHints,
  type AuthorizationError,
  type WayHint,
} from '@portico/contract/authorize'
import { email } from '@portico/contract/fields'

/** What decides whether an answer may go to an address at all. */
export interface NamedClient {
  readonly clientId: string
  readonly redirectUri: string
}

/** Why the application gets no code, as its address is told. */
export interface AuthorizationFault {
  readonly error: AuthorizationError
  /** For the people who build the application. */
  readonly description: string
}

const ClientParameters = AuthorizationRequest.pick({ client_id: true, redirect_uri: true })

/**
 * The application and the address of a request; undefined when one is missing, malformed, or there twice, so that no two
 * readers of the request could take another one.
 */
export function readClient(parameters: URLSearchParams): NamedClient | undefined {
  const { data } = ClientParameters.safeParse(valuesOf(parameters, ClientParameters.shape))
  if (data === undefined || isRepeated(parameters, ClientParameters.shape)) return undefined
  return { clientId: data.client_id, redirectUri: data.redirect_uri }
}

const State = AuthorizationRequest.pick({ state: true })

/** What the application's address gets back with every answer; null where it is none that could be repeated. */
export function readState(parameters: URLSearchParams): string | null {
  const { data } = State.safeParse(valuesOf(parameters, State.shape))
  return data?.state ?? null
}

/** The rest of a request whose application and address are known. */
export function readAuthorizationRequest(
  parameters: URLSearchParams,
): { readonly request: AuthorizationRequest } | { readonly fault: AuthorizationFault } {
  const { shape } = AuthorizationRequest
  const repeated = Object.keys(shape).find((name) => parameters.getAll(name).length > 1)
  if (repeated !== undefined)
    return { fault: { error: 'invalid_request', description: `${repeated} must not come twice` } }
  const values = valuesOf(parameters, shape)
  const { data, error } = AuthorizationRequest.safeParse(values)
  if (data !== undefined) return { request: data }
  const issues = new Map(error.issues.map(({ path, message }) => [String(path[0]), message]))
  const [name = '', message = ''] = [...issues].toSorted(([a], [b]) => rankOf(a) - rankOf(b))[0] ?? []
  const isMissing = values[name] === undefined
  return {
    fault: {
      error:
        isMissing && name === 'response_type' ? 'invalid_request' : (errors.get(name) ?? 'invalid_request'),
      description: toDescription(isMissing ? `${name} is required` : `${name}: ${message}`),
    },
  }
}

/** What a request that has this fault is answered, where it is not invalid_request; the first of them is told. */
const errors: ReadonlyMap<string, AuthorizationError> = new Map([
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['response_type', 'unsupported_response_type'],
  ['scope', 'invalid_scope'],
])

function rankOf(name: string): number {
  const rank = [...errors.keys()].indexOf(name)
  return rank === -1 ? errors.size : rank
}

/** The characters of an error_description (RFC 6749 section 4.1.2.1). */
function toDescription(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, ' ')
}

/** A parameter without a value is as none (RFC 6749 section 3.1). */
function valuesOf(parameters: URLSearchParams, shape: object): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, parameters.get(name) || undefined]))
}

function isRepeated(parameters: URLSearchParams, shape: object): boolean {
  return Object.keys(shape).some((name) => parameters.getAll(name).length > 1)
}

/** The address that is filled in; undefined when it is none. */
export function hintedEmail({ login_hint: hint }: AuthorizationRequest): string | undefined {
  return Email.safeParse(hint).data
}

const Email = email()

/** The way of signing in that the application would like; identity providers have other names. */
export function hintedWay({ idp_hint: hint }: AuthorizationRequest): WayHint | undefined {
  return wayHints.find((way) => way === hint)
}

/** What the application demands of a sign-in: the first of the values that are known (OpenID Connect Core section 3.1.2.1). */
export function demandedFactors({
  acr_values: asked = [],
}: AuthorizationRequest): 'any' | 'two' | 'two_if_possible' {
  const { oneFactor, twoFactors } = acrValues
  const first = asked.find((value) => value === oneFactor || value === twoFactors)
  if (first !== twoFactors) return 'any'
  return asked.includes(oneFactor) ? 'two_if_possible' : 'two'
}
