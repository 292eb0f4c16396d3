import { z } from 'zod/v4'
import { codeRequest } from './code-request.js'
import { email, flag, integer, personal, secret, slug, url } from '../core/fields.js'

/** Bounds the input before any work on it; greater than the longest password in any encoding. */
const maxPlainTextBytes = 4096
const maxLength = 1024
const encoder = new TextEncoder()

/** A password in plain text. The connection sets its minimum length, in characters after NFC. */
function plainText() {
  const text = z
    .string()
    .min(1)
    .refine(
      (value) => encoder.encode(value).length <= maxPlainTextBytes,
      `must be at most ${maxPlainTextBytes} bytes`,
    )
  return secret(text)
}

const length = () => integer({ min: 1, max: maxLength }).describe('Characters')
const rotationPeriod = () => integer({ min: 3600, max: 31_536_000 }).describe('Seconds; an hour to a year')

export const NewPasswordConnection = z.strictObject({
  plain_text_min_length: length().default(8).describe('Characters; less than plain_text_max_length'),
  plain_text_max_length: length().default(128).describe('Characters'),
  pepper_rotation_period: rotationPeriod().default(86_400),
  active: flag().default(true),
})
export type NewPasswordConnection = z.output<typeof NewPasswordConnection>

export const PasswordConnectionChanges = z.strictObject({
  plain_text_min_length: length().optional(),
  plain_text_max_length: length().optional(),
  pepper_rotation_period: rotationPeriod().optional(),
  active: flag().optional(),
})
export type PasswordConnectionChanges = z.output<typeof PasswordConnectionChanges>

export const NewPasswordRequest = z
  .strictObject({
    user_email: personal(email()),
    org_domain: slug(),
    redirect_uri: url().describe(
      'An allowed redirect URL of an application, or the page of the service, `{BASE_URL}/t/{org_domain}/set-password`, on which the user sets the password; any other is replaced by the default redirect URL',
    ),
    find_or_create_user: flag()
      .default(false)
      .describe('Immediately creates a user for an unknown address; requires the scope write:users'),
    ...codeRequest,
  })
  .meta({
    examples: [
      {
        user_email: 'ada@awesome.example',
        org_domain: 'awesome-company',
        redirect_uri: 'https://store.example/callback',
      },
    ],
  })
export type NewPasswordRequest = z.output<typeof NewPasswordRequest>

export const NewPasswordChallenge = z
  .strictObject({
    user_email: personal(email()),
    plain_text: plainText().describe('The password'),
    org_domain: slug()
      .optional()
      .describe('Required unless exactly one organization allows the domain of the address'),
    redirect_uri: url()
      .optional()
      .describe(
        'An allowed redirect URL of an application; any other is replaced by the default redirect URL',
      ),
    ...codeRequest,
  })
  .meta({
    examples: [
      {
        user_email: 'ada@awesome.example',
        plain_text: 'velvet harbour 41 lanterns',
        org_domain: 'awesome-company',
      },
    ],
  })
export type NewPasswordChallenge = z.output<typeof NewPasswordChallenge>

export const NewPassword = z
  .strictObject({
    org_domain: slug(),
    user_email: personal(email()),
    password_code: secret(z.string().max(200)).describe(
      'From the redirect after the link of a password request, or from a renewal; valid once',
    ),
    plain_text: plainText().describe('The new password'),
  })
  .meta({
    examples: [
      {
        org_domain: 'awesome-company',
        user_email: 'ada@awesome.example',
        password_code: 'mR8xTq2LwZ0vYc5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
        plain_text: 'velvet harbour 41 lanterns',
      },
    ],
  })
export type NewPassword = z.output<typeof NewPassword>
