import type { Step } from '../../sign-in/flows/flow.js'
import { consentStep } from './consent.js'
import { enrollStep } from './enroll.js'
import { identifierStep } from './identifier.js'
import { identityProviderStep } from './identity-provider.js'
import { joinStep } from './join.js'
import { linkSentStep } from './link-sent.js'
import { passwordStep } from './password.js'
import { readyStep } from './ready.js'
import { recoveryCodesStep } from './recovery-codes.js'
import { renewPasswordStep } from './renew-password.js'
import type { StepPage } from '../frame/step-page.js'
import { totpStep } from './totp.js'

/** The page of each step. */
export const stepPages: Readonly<Record<Step, StepPage>> = {
  identifier: identifierStep,
  identity_provider: identityProviderStep,
  password: passwordStep,
  link_sent: linkSentStep,
  join: joinStep,
  totp: totpStep,
  enroll: enrollStep,
  recovery_codes: recoveryCodesStep,
  renew_password: renewPasswordStep,
  consent: consentStep,
  ready: readyStep,
}
