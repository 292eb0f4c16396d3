import { chooseProvider, providersOf } from '../../sso/onboarding/progress.js'
import { findServiceName } from '../../sso/admins/service-name.js'
import { speaksBoth } from '../../sso/tutorials/tutorials.js'
import { providerPage } from './provider.js'
import {
  viewOf,
  type OnboardingOutcome,
  type OnboardingRequest,
  type OnboardingStep,
} from './onboarding-request.js'

/** Chooses the product of the identity provider. */
export const providerStep: OnboardingStep = {
  show: async (request) => ({ page: await pageOf(request) }),
  actions: { choose },
}

async function pageOf(request: OnboardingRequest): Promise<string> {
  const { deps, connection } = request
  return providerPage({
    ...viewOf(request, 'provider'),
    serviceName: await findServiceName(deps.db, connection),
    providers: providersOf(connection),
    chosen: connection.state === 'not_initialized' ? null : connection.providerType,
    isFixed: connection.state === 'xml_provided' && connection.providerType !== 'test',
  })
}

async function choose(request: OnboardingRequest): Promise<OnboardingOutcome> {
  const { deps, session, connection, field, requestId } = request
  const providerType = providersOf(connection).find((type) => type === field('provider_type'))
  if (providerType === undefined) return { status: 422, page: await pageOf(request) }
  const isChosen = await chooseProvider(deps, session, connection, { providerType, requestId })
  // Metadata were uploaded concurrently: the page shows that the choice is final.
  if (!isChosen) return { goTo: 'provider' }
  return { goTo: speaksBoth(providerType) && !connection.isSetUp ? 'protocol' : 'tutorial' }
}
