import { z } from 'zod/v4'

/** How many passkeys a user may have. */
export const maxPasskeys = 20

/** How long the name of a passkey may be, in characters. */
export const maxPasskeyName = 60

/** How large an answer of an authenticator may be, in bytes: an identifier of 1,023 bytes stands in it three times. */
export const maxCredentialBytes = 16 * 1024

const base64url = (max: number) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .max(max)

const answered = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal('public-key'),
}

/** A new credential as browsers write it (Web Authentication Level 3 section 5.1, RegistrationResponseJSON). */
export const NewCredential = z.object({
  ...answered,
  response: z.object({
    clientDataJSON: base64url(maxCredentialBytes),
    attestationObject: base64url(maxCredentialBytes),
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
})
export type NewCredential = z.output<typeof NewCredential>

/** The use of a credential as browsers write it (the same section, AuthenticationResponseJSON). */
export const UsedCredential = z.object({
  ...answered,
  response: z.object({
    clientDataJSON: base64url(maxCredentialBytes),
    authenticatorData: base64url(maxCredentialBytes),
    signature: base64url(maxCredentialBytes),
    userHandle: base64url(100).nullish(),
  }),
})
export type UsedCredential = z.output<typeof UsedCredential>
