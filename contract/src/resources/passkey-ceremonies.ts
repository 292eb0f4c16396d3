import { z } from 'zod/v4'
import { environment, id, personal, reference, secret, slug, text, timestamp, url } from '../core/fields.js'
import { record } from '../core/record.js'
import { codeRequest } from './code-request.js'
import { NewCredential, UsedCredential, maxPasskeyName } from './passkey-credentials.js'
import { PasswordRenewal } from './password.js'

const type = z.literal('public-key')
const verification = z.enum(['required', 'preferred'])
const challenge = z.string().describe('Of one answer, until expired_at')
const timeout = z.int().describe('Milliseconds')
const known = z.array(
  z
    .object({ type, id: personal(z.string()), transports: z.array(z.string()) })
    .describe('A passkey of the user'),
)

/** What a browser is asked for to make a passkey (Web Authentication Level 3 section 5.1, PublicKeyCredentialCreationOptionsJSON). */
export const PasskeyCreationOptions = z.object({
  challenge,
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: personal(z.string()), displayName: personal(z.string()) }),
  pubKeyCredParams: z.array(z.object({ type, alg: z.int() })),
  timeout,
  excludeCredentials: known,
  authenticatorSelection: z.object({
    residentKey: verification,
    requireResidentKey: z.boolean(),
    userVerification: verification,
  }),
  attestation: z.literal('none'),
})
export type PasskeyCreationOptions = z.output<typeof PasskeyCreationOptions>

/** What a browser is asked for to use a passkey (the same section, PublicKeyCredentialRequestOptionsJSON). */
export const PasskeyRequestOptions = z.object({
  challenge,
  rpId: z.string(),
  timeout,
  allowCredentials: known,
  userVerification: verification,
})
export type PasskeyRequestOptions = z.output<typeof PasskeyRequestOptions>

const exampleChallenge = 'Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9Fg2Hj5Kl8Zxq3'

export const PasskeyRegistration = record(
  'PasskeyRegistration',
  {
    __type__: z.literal('PasskeyRegistration'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    user_id: id(),
    options: PasskeyCreationOptions.describe(
      'For PublicKeyCredential.parseCreationOptionsFromJSON() and navigator.credentials.create()',
    ),
    expired_at: timestamp(),
  },
  {
    __type__: 'PasskeyRegistration',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c8f3-4c5d-7e6f-9071-8293a4b5c6d7',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    options: {
      challenge: exampleChallenge,
      rp: { id: 'store.example', name: 'Awesome company' },
      user: {
        id: 'bX2vT9cQ4mK7pL1wN5rS8yH3dF6gJ0aZ-uEiOxCvBnM',
        name: 'ada@awesome.example · Awesome company',
        displayName: 'ada@awesome.example',
      },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      timeout: 300_000,
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    },
    expired_at: '2026-03-14T09:31:53.589Z',
  },
)
export type PasskeyRegistration = z.output<typeof PasskeyRegistration>

const passkeyChallenge = {
  __type__: z.literal('PasskeyChallenge'),
  __domain__: slug(),
  __environment__: environment(),
  request_id: id(),
}
const passkeyChallengeExample = {
  __type__: 'PasskeyChallenge',
  __domain__: 'awesome-company',
  __environment__: 'sandbox',
  request_id: '0190c8f4-5d6e-7f70-8182-93a4b5c6d7e8',
} as const

export const OpenPasskeyChallenge = record(
  'OpenPasskeyChallenge',
  {
    ...passkeyChallenge,
    options: PasskeyRequestOptions.describe(
      'For PublicKeyCredential.parseRequestOptionsFromJSON() and navigator.credentials.get()',
    ),
    expired_at: timestamp(),
  },
  {
    ...passkeyChallengeExample,
    options: {
      challenge: exampleChallenge,
      rpId: 'store.example',
      timeout: 300_000,
      allowCredentials: [],
      userVerification: 'required',
    },
    expired_at: '2026-03-14T09:31:53.589Z',
  },
)
export type OpenPasskeyChallenge = z.output<typeof OpenPasskeyChallenge>

/** A challenge whose answer is right. */
export const PassedPasskeyChallenge = record(
  'PassedPasskeyChallenge',
  {
    ...passkeyChallenge,
    success: z.literal(true),
    user_id: id(),
    code: secret(z.string()).describe('Authorization code, exchanged once for the tokens within 300 seconds'),
    renew_password: PasswordRenewal.nullable().describe(
      'Set as in a password challenge without a second factor: have the user set another password',
    ),
  },
  {
    ...passkeyChallengeExample,
    success: true,
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9Fg2Hj5Kl8Zx',
    renew_password: null,
  },
)
export type PassedPasskeyChallenge = z.output<typeof PassedPasskeyChallenge>

export const NewPasskeyRegistration = z.strictObject({
  user_id: reference().describe(
    'A user who is there, and has signed in lately: the service cannot see whom your page is shown to',
  ),
  application_id: reference()
    .optional()
    .describe('Application of the page, with a passkey_rp_id; default: the oldest that has one'),
})
export type NewPasskeyRegistration = z.output<typeof NewPasskeyRegistration>

const ofBrowser = 'toJSON() of what the browser has answered; its other members are ignored'

export const PasskeyRegistrationAnswer = z
  .strictObject({
    credential: secret(NewCredential).describe(ofBrowser),
    name: personal(text(maxPasskeyName, 1))
      .optional()
      .describe(
        'How the user calls it; default: the name of its provider, else Passkey, with a number where the user has one of that name',
      ),
  })
  .meta({
    examples: [
      {
        credential: {
          id: 'W8mTqLp2cR0vYb5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
          rawId: 'W8mTqLp2cR0vYb5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
          type: 'public-key',
          response: {
            clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
            attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVjE',
            transports: ['internal'],
          },
        },
        name: 'My phone',
      },
    ],
  })
export type PasskeyRegistrationAnswer = z.output<typeof PasskeyRegistrationAnswer>

export const NewPasskeyChallenge = z
  .strictObject({
    org_domain: slug(),
    redirect_uri: url()
      .optional()
      .describe(
        'An allowed redirect URL of an application; any other is replaced by the default redirect URL',
      ),
    ...codeRequest,
    application_id: reference()
      .optional()
      .describe('Application that receives the code, and whose page asks: it needs a passkey_rp_id'),
    password_request_id: reference()
      .optional()
      .describe(
        'request_id of the password challenge that answered totp_required or passkey_required, or of the redirect of a link that did: a passkey of its user then completes that sign-in, whose application and parameters are those of the code',
      ),
  })
  .meta({ examples: [{ org_domain: 'awesome-company' }] })
export type NewPasskeyChallenge = z.output<typeof NewPasskeyChallenge>

export const PasskeyChallengeAnswer = z
  .strictObject({
    request_id: reference(),
    credential: secret(UsedCredential).describe(ofBrowser),
  })
  .meta({
    examples: [
      {
        request_id: '0190c8f4-5d6e-7f70-8182-93a4b5c6d7e8',
        credential: {
          id: 'W8mTqLp2cR0vYb5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
          rawId: 'W8mTqLp2cR0vYb5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
          type: 'public-key',
          response: {
            clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
            authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
            signature: 'MEUCIQDx0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9Fg',
            userHandle: 'bX2vT9cQ4mK7pL1wN5rS8yH3dF6gJ0aZ-uEiOxCvBnM',
          },
        },
      },
    ],
  })
export type PasskeyChallengeAnswer = z.output<typeof PasskeyChallengeAnswer>
