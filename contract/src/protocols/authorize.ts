import { z } from 'zod/v4'
import { integer, reference, text, url } from '../core/fields.js'

/** Values of acr: the strength of a sign-in. */
export const acrValues = { oneFactor: 'urn:portico:acr:1fa', twoFactors: 'urn:portico:acr:mfa' } as const

/** Values of prompt (OpenID Connect Core section 3.1.2.1). */
const prompts = ['none', 'login', 'consent', 'select_account', 'create'] as const

/** The sign-in methods that an application may request with idp_hint, beside connections. */
export const wayHints = ['password', 'magic_link'] as const
export type WayHint = (typeof wayHints)[number]

/** A text without control characters. */
function line(max: number) {
  return text(max).regex(/^\P{Cc}*$/u, 'must have no control characters')
}

/** Words separated by spaces. */
function words(max: number) {
  return line(max).transform((list) => list.split(' ').filter((word) => word !== ''))
}

const printable = /^[\x20-\x7e]*$/

/** A value returned to the application unchanged: VSCHAR (RFC 6749 appendix A.5). */
function echoed() {
  return text(2000).regex(printable, 'must be printable ASCII characters').optional()
}

/**
 * The parameters of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core section
 * 3.1.2.1). Unknown ones are ignored, a repeated one is refused, and an empty one counts as omitted.
 */
export const AuthorizationRequest = z.object({
  client_id: reference().describe('The application; also in its prefixed form'),
  redirect_uri: url().describe('One of its allowed_redirect_urls, to the letter'),
  response_type: z.literal('code'),
  response_mode: z.literal('query').optional().describe('query, which is meant without it'),
  scope: words(1000)
    .refine((scopes) => scopes.includes('openid'), 'must have openid')
    .describe(
      'openid, and any of profile, email, phone, address, offline_access, a space between; others are ignored',
    ),
  state: echoed().describe('Repeated on the redirect'),
  nonce: echoed().describe('Repeated in the ID token'),
  code_challenge: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the base64url form of a SHA-256 digest (RFC 7636 section 4.2)')
    .describe('BASE64URL(SHA-256(code_verifier))'),
  code_challenge_method: z.literal('S256'),
  prompt: words(100)
    .pipe(z.array(z.enum(prompts)))
    .refine((values) => values.length <= 1 || !values.includes('none'), 'none must stand alone')
    .optional()
    .describe(
      'none: no page is shown; login, select_account, create: a session does not suffice; consent is ignored',
    ),
  max_age: integer({ min: 0, max: 2_147_483_647 })
    .optional()
    .describe('Seconds that the sign-in of a session may be old; 0 is the same as prompt=login'),
  login_hint: line(254).optional().describe('The e-mail address that is filled in'),
  ui_locales: text(200)
    .regex(/^[A-Za-z0-9 -]*$/)
    .optional()
    .catch(undefined)
    .describe('Language tags, the best first, a space between: en and fr; others are ignored'),
  idp_hint: line(200)
    .optional()
    .describe(
      'password or magic_link: which of them the pages begin with, where the organization has both; the idp_id of an SSO connection: the pages begin there; others are ignored',
    ),
  acr_values: words(1000)
    .optional()
    .describe(
      `${acrValues.twoFactors} demands a second factor; with ${acrValues.oneFactor} beside it, where it can be had. Others are ignored`,
    ),
  id_token_hint: line(8000)
    .optional()
    .describe('An ID token of the user who is expected; it may have expired'),
  request: z.never('is not supported').optional().describe('Not supported'),
  request_uri: z.never('is not supported').optional().describe('Not supported'),
})
export type AuthorizationRequest = z.output<typeof AuthorizationRequest>

/** Errors returned to the application instead of a code (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6). */
const authorizationErrors = [
  'invalid_request',
  'unsupported_response_type',
  'invalid_scope',
  'request_not_supported',
  'request_uri_not_supported',
  'access_denied',
  'login_required',
  'interaction_required',
  'unmet_authentication_requirements',
  'temporarily_unavailable',
] as const
export type AuthorizationError = (typeof authorizationErrors)[number]
