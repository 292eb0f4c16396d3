import { chooseProvider, providersOf } from '../../sso/onboarding/progress.js'
import { findServiceName } from '../../sso/admins/service-name.js'
import { speaksBoth } from '../../sso/tutorials/tutorials.js'
import { providerPage } from './provider.js'
import { viewOf, type OnboardingOutcome, type OnboardingRequest, type OnboardingStep } from './scene.js'

/** Chooses the product of the identity provider. */
export const providerStep: OnboardingStep = {
  show: async (scene) => ({ page: await pageOf(scene) }),
  actions: { choose },
}

async function pageOf(scene: OnboardingRequest): Promise<string> {
  const { deps, connection } = scene
  return providerPage({
    ...viewOf(scene, 'provider'),
    serviceName: await findServiceName(deps.db, connection),
    providers: providersOf(connection),
    chosen: connection.state === 'not_initialized' ? null : connection.providerType,
    isFixed: connection.state === 'xml_provided' && connection.providerType !== 'test',
  })
}

async function choose(scene: OnboardingRequest): Promise<OnboardingOutcome> {
  const { deps, session, connection, field, requestId } = scene
  const providerType = providersOf(connection).find((type) => type === field('provider_type'))
  if (providerType === undefined) return { status: 422, page: await pageOf(scene) }
  const isChosen = await chooseProvider(deps, session, connection, { providerType, requestId })
  // Metadata were uploaded concurrently: the page shows that the choice is final.
  if (!isChosen) return { goTo: 'provider' }
  return { goTo: speaksBoth(providerType) && !connection.isSetUp ? 'protocol' : 'tutorial' }
}
