/** The data of events about records with secrets: the records without these. */

import { z } from 'zod/v4'
import { environment, id, slug, timestamp } from '../core/fields.js'
import { ApplicationSecret } from '../resources/application-secrets.js'
import { DirectorySync } from '../resources/directory-sync.js'
import { Domain } from '../resources/domains.js'
import { Impersonation } from '../resources/impersonations.js'
import { Invitation } from '../resources/invitations.js'
import { MagicLinkChallenge } from '../resources/magic-link.js'
import { PassedPasswordChallenge, Password } from '../resources/password.js'
import { exampleOf, record } from '../core/record.js'
import { RelayRequest } from '../resources/relays.js'
import { withoutSecrets } from '../core/sensitivity.js'
import { SsoOauthChallenge, SsoSamlChallenge } from '../resources/sso-records.js'
import { TotpChallenge, TotpEnrollment } from '../resources/totp.js'

/** A directory without the secret of its provider. */
export const DirectorySyncData = DirectorySync.extend({
  auth_secret_token: z.object({ hint: DirectorySync.shape.auth_secret_token.shape.hint }),
}).meta({
  id: 'DirectorySyncData',
  examples: [withoutSecrets(DirectorySync, exampleOf(DirectorySync))],
})

/** A secret of an application without its value. */
export const ApplicationSecretData = ApplicationSecret.omit({ value: true }).meta({
  id: 'ApplicationSecretData',
  examples: [withoutSecrets(ApplicationSecret, exampleOf(ApplicationSecret))],
})

/** A domain without the addresses of persons. */
export const DomainData = Domain.omit({ sso_exempt_emails: true }).meta({
  id: 'DomainData',
  examples: [exampleOfDomain()],
})

function exampleOfDomain() {
  const { sso_exempt_emails: _, ...data } = exampleOf(Domain)
  return data
}

/** An invitation without its URL. */
export const InvitationData = Invitation.omit({ invitation_url: true }).meta({
  id: 'InvitationData',
  examples: [withoutSecrets(Invitation, exampleOf(Invitation))],
})

/** An impersonation without its address. */
export const ImpersonationData = Impersonation.omit({ url: true }).meta({
  id: 'ImpersonationData',
  examples: [withoutSecrets(Impersonation, exampleOf(Impersonation))],
})

/** A challenge without its code and link. */
export const MagicLinkChallengeData = MagicLinkChallenge.omit({ code: true, magic_link: true }).meta({
  id: 'MagicLinkChallengeData',
  examples: [withoutSecrets(MagicLinkChallenge, exampleOf(MagicLinkChallenge))],
})

/** A request without the address that signs its user in. */
export const RelayRequestData = RelayRequest.omit({ relay_uri: true }).meta({
  id: 'RelayRequestData',
  examples: [withoutSecrets(RelayRequest, exampleOf(RelayRequest))],
})

/** A challenge with a correct password, without the authorization code. */
export const PasswordChallengeData = record(
  'PasswordChallengeData',
  {
    ...PassedPasswordChallenge.pick({
      __type__: true,
      __domain__: true,
      __environment__: true,
      request_id: true,
      user_id: true,
      password_id: true,
      expired_at: true,
    }).shape,
    'valid?': z.boolean(),
    error: z
      .enum(['totp_required', 'passkey_required'])
      .nullable()
      .describe(
        'totp_required: a code of the second factor is still required; passkey_required: the passkey of the user, of a sign-in by the API',
      ),
  },
  {
    __type__: 'PasswordChallenge',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    request_id: '0190c8c3-4c6d-7e8f-90b1-3c4d5e6f7081',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    password_id: 4711,
    expired_at: '2026-03-14T09:31:53.589Z',
    'valid?': true,
    error: null,
  },
)

export const PasswordData = Password.omit({ code: true }).meta({
  id: 'PasswordData',
  examples: [withoutSecrets(Password, exampleOf(Password))],
})

/** An enrolment without its secret and recovery codes. */
export const TotpEnrollmentData = TotpEnrollment.omit({
  first_verification_code: true,
  recovery_codes: true,
  uri: true,
}).meta({ id: 'TotpEnrollmentData', examples: [withoutSecrets(TotpEnrollment, exampleOf(TotpEnrollment))] })

export const TotpChallengeData = TotpChallenge.omit({ code: true }).meta({
  id: 'TotpChallengeData',
  examples: [withoutSecrets(TotpChallenge, exampleOf(TotpChallenge))],
})

/** A sign-in with a passkey. */
export const PasskeyChallengeData = record(
  'PasskeyChallengeData',
  {
    __type__: z.literal('PasskeyChallenge'),
    __domain__: slug(),
    __environment__: environment(),
    user_id: id(),
    passkey_id: id(),
    user_verified: z
      .boolean()
      .describe('Whether the authenticator has asked for a fingerprint, a face or a PIN'),
    challenged_at: timestamp(),
  },
  {
    __type__: 'PasskeyChallenge',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    passkey_id: '0190c8f2-3b4c-7d5e-8f60-718293a4b5c6',
    user_verified: true,
    challenged_at: '2026-03-14T09:27:41.012Z',
  },
)

/** A challenge without the address that starts its sign-in. */
export const SsoSamlChallengeData = SsoSamlChallenge.omit({ authorization_url: true }).meta({
  id: 'SsoSamlChallengeData',
  examples: [withoutSecrets(SsoSamlChallenge, exampleOf(SsoSamlChallenge))],
})

export const SsoOauthChallengeData = SsoOauthChallenge.omit({ authorization_url: true }).meta({
  id: 'SsoOauthChallengeData',
  examples: [withoutSecrets(SsoOauthChallenge, exampleOf(SsoOauthChallenge))],
})
