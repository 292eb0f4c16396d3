import { z } from 'zod/v4'
import { secret, text, url } from '../core/fields.js'

/** How an application authenticates at the token and revocation endpoints (OpenID Connect Core section 9). */
const clientAuthentications = ['none', 'secret', 'private_key_jwt'] as const
export type ClientAuthentication = (typeof clientAuthentications)[number]

/** What a sign-in must bind its code to. */
const pkcePolicies = ['required', 'or_nonce', 'optional'] as const
export type PkcePolicy = (typeof pkcePolicies)[number]

/** The shortest nonce that or_nonce takes in place of a challenge, in characters. */
export const minNonceLength = 16

/** The most keys of an application, enough to replace one while the other is in use. */
export const maxClientKeys = 5

const member = () => text(2000, 1).optional()
const refused = () => secret(text(4000).optional()).describe('Refused: only public keys are registered')

/** A public key of an application (RFC 7517 section 4, RFC 7518 sections 6.2 and 6.3). */
export const ClientKey = z.object({
  kty: z.enum(['EC', 'RSA']),
  kid: text(200, 1).optional().describe('Required of keys that are not the only one'),
  alg: z.enum(['ES256', 'RS256']).optional(),
  use: z.literal('sig').optional(),
  crv: z.literal('P-256').optional(),
  x: member(),
  y: member(),
  n: member(),
  e: member(),
})
export type ClientKey = z.output<typeof ClientKey>

/** The private members are named, so that a private key is refused instead of being taken for a public one. */
const GivenClientKey = ClientKey.extend({
  d: refused(),
  p: refused(),
  q: refused(),
  dp: refused(),
  dq: refused(),
  qi: refused(),
  k: refused(),
})
export type GivenClientKey = z.output<typeof GivenClientKey>

/** The members of an application about its authentication. */
export const clientAuthenticationMembers = {
  client_authentication: z
    .enum(clientAuthentications)
    .describe('How the application authenticates at the token and revocation endpoints'),
  pkce: z
    .enum(pkcePolicies)
    .describe(
      `What sign-ins of the application must send: required: a code_challenge; or_nonce: that, or a nonce of ${minNonceLength} characters or more, which the application compares; optional: neither`,
    ),
  jwks: z
    .object({ keys: z.array(ClientKey) })
    .nullable()
    .describe('Its public keys, for private_key_jwt'),
  jwks_uri: z.string().nullable().describe('Where its public keys are, in place of jwks'),
}

/** The same in inputs. */
export const clientAuthenticationInput = {
  client_authentication: clientAuthenticationMembers.client_authentication.optional(),
  pkce: clientAuthenticationMembers.pkce.optional(),
  jwks: z
    .object({ keys: z.array(GivenClientKey).min(1).max(maxClientKeys) })
    .nullish()
    .describe(`Its public keys, ${maxClientKeys} at most, for private_key_jwt`),
  jwks_uri: url().nullish().describe('An https address of its public keys, in place of jwks'),
}
