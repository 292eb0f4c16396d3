import {
  AuthorizationRequest,
  ConfidentialAuthorizationRequest,
  passkeyHint,
  wayHints,
  type AuthorizationError,
  type ResponseMode,
  type WayHint,
} from '@portico/contract/authorize'
import { minNonceLength, type PkcePolicy } from '@portico/contract/client-authentication'
import { email } from '@portico/contract/fields'
import type { IssuerKind } from '../../tokens/issuer.js'
import { isPkceMet } from '../../tokens/pkce.js'

/** The application and redirect URI of a request, which decide whether a redirect is allowed. */
export interface NamedClient {
  readonly clientId: string
  readonly redirectUri: string
}

/** The error of an authorization response. */
export interface AuthorizationFault {
  readonly error: AuthorizationError
  /** For the developers of the application. */
  readonly description: string
}

const ClientParameters = AuthorizationRequest.pick({ client_id: true, redirect_uri: true })

/**
 * The application and the redirect URI of a request; undefined when one is missing, malformed or repeated, because two
 * parsers could read different values of a repeated parameter.
 */
export function readClient(parameters: URLSearchParams): NamedClient | undefined {
  const { data } = ClientParameters.safeParse(valuesOf(parameters, ClientParameters.shape))
  if (data === undefined || isRepeated(parameters, ClientParameters.shape)) return undefined
  return { clientId: data.client_id, redirectUri: data.redirect_uri }
}

const State = AuthorizationRequest.pick({ state: true })

/** The state that every answer repeats; null when it is missing or invalid. */
export function readState(parameters: URLSearchParams): string | null {
  const { data } = State.safeParse(valuesOf(parameters, State.shape))
  return data?.state ?? null
}

const Mode = AuthorizationRequest.pick({ response_mode: true, redirect_uri: true })

/**
 * How the answer reaches the application, an error of another parameter included (OAuth 2.0 Form Post Response Mode section
 * 2); by query where the parameter itself is invalid.
 */
export function readResponseMode(parameters: URLSearchParams): ResponseMode {
  const { data } = Mode.safeParse(valuesOf(parameters, Mode.shape))
  if (data?.response_mode === undefined || isRepeated(parameters, Mode.shape)) return 'query'
  return isWebUrl(data.redirect_uri) ? data.response_mode : 'query'
}

/** Whether a browser can post a form to an address; applications' own schemes take none. */
function isWebUrl(address: string): boolean {
  return /^https?:/i.test(address)
}

const Organization = AuthorizationRequest.pick({ organization: true })

/** The organization that a request names at the issuer of an account, as its application is looked up. */
export function readOrganization(parameters: URLSearchParams): string | undefined {
  return Organization.safeParse(valuesOf(parameters, Organization.shape)).data?.organization
}

/** Reads the rest of a request whose application and redirect URI are valid. */
export function readAuthorizationRequest(
  parameters: URLSearchParams,
  { issuer, pkce }: { readonly issuer: IssuerKind; readonly pkce: PkcePolicy },
): { readonly request: AuthorizationRequest } | { readonly fault: AuthorizationFault } {
  const shape = shapeAt(issuer)
  const schema = pkce === 'required' ? AuthorizationRequest : ConfidentialAuthorizationRequest
  const repeated = Object.keys(shape).find((name) => parameters.getAll(name).length > 1)
  if (repeated !== undefined)
    return { fault: { error: 'invalid_request', description: `${repeated} must not come twice` } }
  const values = valuesOf(parameters, shape)
  const { data, error } = schema.safeParse(values)
  if (data !== undefined) {
    const fault = promptFault(data, issuer) ?? challengeFault(data, pkce) ?? postFault(data)
    return fault === undefined ? { request: data } : { fault }
  }
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

/** An organization has no other one to select. */
function promptFault({ prompt }: AuthorizationRequest, issuer: IssuerKind): AuthorizationFault | undefined {
  return issuer === 'organization' && prompt?.includes('select_organization') === true
    ? notSelectable
    : undefined
}

const notSelectable: AuthorizationFault = {
  error: 'invalid_request',
  description: 'prompt: select_organization is for the issuer of an account',
}

/** What a request lacks that the application demands of its sign-ins; a challenge counts only with its method. */
function challengeFault(request: AuthorizationRequest, pkce: PkcePolicy): AuthorizationFault | undefined {
  const { code_challenge: challenge, code_challenge_method: method } = request
  const error = 'invalid_request'
  if ((challenge === undefined) !== (method === undefined))
    return { error, description: 'code_challenge and code_challenge_method must come together' }
  if (isPkceMet({ client_authentication: 'secret', pkce }, request)) return undefined
  const remedies = [
    'send code_challenge (S256)',
    `or a nonce of ${minNonceLength} characters or more and compare it`,
    'or set pkce of the application to optional',
  ]
  return { error, description: remedies.join(', ') }
}

/** An answer cannot be posted to the address of an app on a device. */
function postFault({ response_mode, redirect_uri }: AuthorizationRequest): AuthorizationFault | undefined {
  return response_mode === 'form_post' && !isWebUrl(redirect_uri) ? notPostable : undefined
}

const notPostable: AuthorizationFault = {
  error: 'invalid_request',
  description: 'response_mode: form_post needs a redirect_uri of http or https',
}

/** The error of each faulty parameter, where it is not invalid_request; the first in this order is reported. */
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

/** Whether the authorization endpoint knows a parameter; it ignores others (RFC 6749 section 3.1). */
export function isAuthorizationParameter(issuer: IssuerKind, name: string): boolean {
  return Object.hasOwn(shapeAt(issuer), name)
}

/** The parameters that an issuer knows: at that of an organization there is none to name. */
function shapeAt(issuer: IssuerKind): object {
  return issuer === 'account' ? AuthorizationRequest.shape : organizationShape
}

const { organization: _, ...organizationShape } = AuthorizationRequest.shape

/** A parameter without a value counts as omitted (RFC 6749 section 3.1). */
function valuesOf(parameters: URLSearchParams, shape: object): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, parameters.get(name) || undefined]))
}

function isRepeated(parameters: URLSearchParams, shape: object): boolean {
  return Object.keys(shape).some((name) => parameters.getAll(name).length > 1)
}

/** The address that prefills the form; undefined when login_hint is no e-mail address. */
export function hintedEmail({ login_hint: hint }: AuthorizationRequest): string | undefined {
  return Email.safeParse(hint).data
}

const Email = email()

/** The sign-in method that the application prefers; any other idp_hint names an identity provider. */
export function hintedMethod({ idp_hint: hint }: AuthorizationRequest): WayHint | undefined {
  return wayHints.find((way) => way === hint)
}

/** Whether the application has a passkey asked for at once. */
export function isPasskeyHinted({ idp_hint: hint }: AuthorizationRequest): boolean {
  return hint === passkeyHint
}

/** The address of the first page of a flow, which asks for a passkey at once where the application wants it. */
export function toFirstPage(path: string, request: AuthorizationRequest): string {
  return isPasskeyHinted(request) ? `${path}?begin=${passkeyHint}` : path
}
