import { z } from 'zod/v4'
import { integer, reference, text, url } from '../core/fields.js'

/** Values of acr: the strength of a sign-in. */
export const acrValues = {
  oneFactor: 'urn:portico:acr:1fa',
  twoFactors: 'urn:portico:acr:mfa',
  /** OpenID Connect Extended Authentication Profile ACR Values 1.0 section 2. */
  phishingResistant: 'phr',
} as const

/** How an answer reaches the application: in the query of its redirect URI, or as a form that is posted to it. */
export const responseModes = ['query', 'form_post'] as const
export type ResponseMode = (typeof responseModes)[number]

/** Values of prompt (OpenID Connect Core section 3.1.2.1), and one of our own. */
const prompts = ['none', 'login', 'consent', 'select_account', 'create', 'select_organization'] as const

/** The sign-in methods that an application may request with idp_hint, beside connections. */
export const wayHints = ['password', 'magic_link'] as const
export type WayHint = (typeof wayHints)[number]

/** The value of idp_hint that has a passkey asked for at once. */
export const passkeyHint = 'passkey'

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
 * How an application asks for a claim (OpenID Connect Core section 5.5.1); other members are ignored. Values are JSON of any depth,
 * which is not walked.
 */
const ClaimRequest = z
  .object({
    essential: z.boolean().optional(),
    value: z.unknown().optional(),
    values: z.array(z.unknown()).optional(),
  })
  .nullable()
export type ClaimRequest = z.output<typeof ClaimRequest>

function requestedClaims() {
  return z
    .record(z.string(), ClaimRequest)
    .refine((claims) => Object.keys(claims).length <= maxClaims, `must be ${maxClaims} claims at most`)
    .optional()
}

const maxClaims = 20

/** The individual claims that an application asks for (OpenID Connect Core section 5.5); other members are ignored. */
const ClaimsRequest = z.object({ id_token: requestedClaims(), userinfo: requestedClaims() })

/** JSON in a parameter. */
function json<Schema extends z.ZodType>(max: number, schema: Schema) {
  return text(max)
    .transform((written, context) => {
      try {
        return JSON.parse(written) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(schema)
}

/**
 * The parameters of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core section
 * 3.1.2.1). Unknown ones are ignored, a repeated one is refused, and an empty one counts as omitted. An organization's
 * issuer does not know `organization`.
 */
export const AuthorizationRequest = z.object({
  client_id: reference().describe('The application; also in its prefixed form'),
  redirect_uri: url().describe('One of its allowed_redirect_urls, compared exactly'),
  response_type: z.literal('code'),
  response_mode: z
    .enum(responseModes)
    .optional()
    .describe(
      'query, which is also the default; form_post: the answer is posted to redirect_uri, which must be http or https, by a form (OAuth 2.0 Form Post Response Mode)',
    ),
  scope: words(1000)
    .refine((scopes) => scopes.includes('openid'), 'must have openid')
    .describe(
      'openid, and any of profile, email, phone, address, organization, offline_access, separated by spaces; others are ignored',
    ),
  state: echoed().describe('Returned unchanged on the redirect'),
  nonce: echoed().describe('Returned unchanged in the ID token'),
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
      'none: no page is shown; login, select_account, create: a new sign-in is required despite a session; consent: the user is asked to allow the application; select_organization, at the issuer of an account alone: the organizations of the user are listed, despite a session',
    ),
  max_age: integer({ min: 0, max: 2_147_483_647 })
    .optional()
    .describe('Maximum age of the sign-in of a session, in seconds; 0 is the same as prompt=login'),
  organization: line(200)
    .optional()
    .describe(
      'At the issuer of an account: domain of the organization at which the user signs in, which the application can use',
    ),
  impersonation: line(100)
    .optional()
    .describe(
      'The handle that initiate_login_uri was called with: a member of staff signs in as the user of that impersonation, once and in the same browser',
    ),
  login_hint: line(254).optional().describe('E-mail address to prefill'),
  ui_locales: text(200)
    .regex(/^[A-Za-z0-9 -]*$/)
    .optional()
    .catch(undefined)
    .describe(
      'Language tags in order of preference, separated by spaces; en and fr are supported, others are ignored',
    ),
  idp_hint: line(200)
    .optional()
    .describe(
      'password or magic_link: the method to begin with if the organization has both; passkey: the browser asks for one at once, where passkeys sign in; the idp_id of an SSO connection, or the name of a social provider of the organization: begin there; others are ignored',
    ),
  acr_values: words(1000)
    .optional()
    .describe(
      `${acrValues.twoFactors} requires a second factor; together with ${acrValues.oneFactor}, only if one is available. ${acrValues.phishingResistant} requires a passkey; together with another value, the sign-in is as that one requires. Others are ignored`,
    ),
  claims: json(4096, ClaimsRequest)
    .optional()
    .describe(
      'JSON of up to 4,096 characters: claims of UserInfo that the ID token (member id_token) or /userinfo (member userinfo) has besides those of the scopes, at most 20 each; of id_token also acr, which with essential and values is a demand as by acr_values, and sub, whose value is the user to sign in. Others are ignored',
    ),
  id_token_hint: line(8000).optional().describe('ID token of the expected user; may have expired'),
  request: z.never('is not supported').optional().describe('Not supported'),
  request_uri: z.never('is not supported').optional().describe('Not supported'),
})

/** The same of an application that authenticates, whose codes a nonce may bind in the place of a challenge. */
export const ConfidentialAuthorizationRequest = AuthorizationRequest.partial({
  code_challenge: true,
  code_challenge_method: true,
})
export type AuthorizationRequest = z.output<typeof ConfidentialAuthorizationRequest>

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
