import { moveTutorial } from '../../sso/onboarding/progress.js'
import { guideOf } from '../../sso/tutorials/tutorials.js'
import type { IdpGuide } from '../../sso/tutorials/tutorial.js'
import {
  valuesOf,
  viewOf,
  type OnboardingOutcome,
  type OnboardingRequest,
  type OnboardingStep,
} from './onboarding-request.js'
import { tutorialPage } from './tutorial.js'

/** The tutorial at its stored step, so that another browser continues there. */
export const tutorialStep: OnboardingStep = {
  show: (request) => Promise.resolve(show(request)),
  actions: { next: (request) => move(request, 1), previous: (request) => move(request, -1) },
}

function show(request: OnboardingRequest): OnboardingOutcome {
  const tutorial = tutorialOf(request)
  if (tutorial === undefined) return { goTo: 'provider' }
  return {
    page: tutorialPage({
      ...viewOf(request, 'tutorial'),
      tutorial,
      step: stepOf(request, tutorial),
      values: valuesOf(request),
    }),
  }
}

/** The tutorial of the chosen product; undefined before one is chosen. */
export function tutorialOf({
  connection: { state, providerType, protocol },
}: OnboardingRequest): IdpGuide | undefined {
  return providerType === null || state === 'not_initialized' ? undefined : guideOf(providerType, protocol)
}

/** Clamped, because a tutorial may have lost steps since. */
function stepOf({ connection }: OnboardingRequest, tutorial: IdpGuide): number {
  return Math.min(connection.tutorialStep, tutorial.steps.length - 1)
}

async function move(request: OnboardingRequest, by: 1 | -1): Promise<OnboardingOutcome> {
  const { deps, session, connection, field, requestId } = request
  const tutorial = tutorialOf(request)
  if (tutorial === undefined) return { goTo: 'provider' }
  const shown = stepOf(request, tutorial)
  // The form is of another step: another browser has moved, so the current step is shown.
  if (field('step') !== String(shown)) return { goTo: 'tutorial' }
  const to = shown + by
  if (to === tutorial.steps.length) return { goTo: pageAfter(tutorial, connection) }
  if (to >= 0) await moveTutorial(deps, session, connection, { from: connection.tutorialStep, to, requestId })
  return { goTo: 'tutorial' }
}

function pageAfter({ id }: IdpGuide, { protocol }: OnboardingRequest['connection']): string {
  if (id === 'test') return 'test'
  return protocol === 'oidc' ? 'client' : 'metadata'
}
