import { protocols } from '@portico/contract/sso-onboarding'
import { chooseProtocol } from '../../sso/onboarding/progress.js'
import { speaksBoth } from '../../sso/tutorials/tutorials.js'
import { protocolPage } from './protocol.js'
import {
  viewOf,
  type OnboardingOutcome,
  type OnboardingRequest,
  type OnboardingStep,
} from './onboarding-request.js'

/** Chooses the protocol of products that support both. */
export const protocolStep: OnboardingStep = {
  show: (request) => Promise.resolve(show(request)),
  actions: { choose },
}

function show(request: OnboardingRequest): OnboardingOutcome {
  const { providerType, state, isSetUp } = request.connection
  if (providerType === null || state === 'not_initialized' || !speaksBoth(providerType))
    return { goTo: 'provider' }
  const isFixed = isSetUp || state === 'xml_provided'
  return { page: protocolPage({ ...viewOf(request, 'provider'), providerType, isFixed }) }
}

async function choose(request: OnboardingRequest): Promise<OnboardingOutcome> {
  const { deps, session, connection, field, requestId } = request
  const protocol = protocols.find((name) => name === field('protocol'))
  if (protocol === undefined) return show(request)
  const isChosen = await chooseProtocol(deps, session, connection, { protocol, requestId })
  // When the choice failed, the page shows that the connection was set up or its product changed.
  return { goTo: isChosen ? 'tutorial' : 'protocol' }
}
