import type { Step } from '../../sign-in/flows/flow.js'
import { consentStep } from './consent.js'
import { enrollStep } from './enroll.js'
import { identifierStep } from './identifier.js'
import { identityProviderStep } from './identity-provider.js'
import { joinStep } from './join.js'
import { linkAccountStep } from './link-account.js'
import { linkSentStep } from './link-sent.js'
import { offerPasskeyStep } from './offer-passkey.js'
import { passwordStep } from './password.js'
import { proveAddressStep } from './prove-address.js'
import { readyStep } from './ready.js'
import { recoveryCodesStep } from './recovery-codes.js'
import { renewPasswordStep } from './renew-password.js'
import type { StepPage } from '../frame/step-page.js'
import { socialProviderStep } from './social-provider.js'
import { totpStep } from './totp.js'

/** The page of each step. */
export const stepPages: Readonly<Record<Step, StepPage>> = {
  identifier: identifierStep,
  identity_provider: identityProviderStep,
  social_provider: socialProviderStep,
  prove_address: proveAddressStep,
  link_account: linkAccountStep,
  password: passwordStep,
  link_sent: linkSentStep,
  join: joinStep,
  totp: totpStep,
  enroll: enrollStep,
  recovery_codes: recoveryCodesStep,
  renew_password: renewPasswordStep,
  consent: consentStep,
  offer_passkey: offerPasskeyStep,
  ready: readyStep,
}
