import { clientStep } from './client-step.js'
import { metadataStep, reviewStep } from './metadata-step.js'
import { protocolStep } from './protocol-step.js'
import { providerStep } from './provider-step.js'
import type { OnboardingStep } from './onboarding-request.js'
import { doneStep, testStep } from './test-step.js'
import { tutorialStep } from './tutorial-step.js'

/** The pages of a connection, by the last segment of their path. */
export const onboardingSteps: Readonly<Record<string, OnboardingStep>> = {
  provider: providerStep,
  protocol: protocolStep,
  tutorial: tutorialStep,
  metadata: metadataStep,
  client: clientStep,
  review: reviewStep,
  test: testStep,
  done: doneStep,
}
