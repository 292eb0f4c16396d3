import { z } from 'zod/v4'
import { reference, text } from '../core/fields.js'

/** The scopes requested with a code. */
export function requestedScope() {
  return text(200)
    .optional()
    .describe(
      'openid and the sign-in method are always granted; offline_access, profile, email, phone, address and organization on request; no other scope is granted',
    )
}

/** Members of every request that may end in an authorization code, without its redirect URL. */
export const codeRequest = {
  application_id: reference().optional().describe('Application that receives the code'),
  state: text(500).optional().describe('Returned unchanged on the redirect'),
  nonce: text(500).optional().describe('Returned unchanged in the ID token'),
  code_challenge: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the base64url form of a SHA-256 digest (RFC 7636 section 4.2)')
    .optional(),
  code_challenge_method: z.literal('S256').optional(),
  scope: requestedScope(),
}
