import { chooseProvider, providersOf } from '../../onboarding/progress.js'
import { providerPage } from './provider.js'
import { viewOf, type OnboardingOutcome, type OnboardingScene, type OnboardingStep } from './scene.js'

/** The choice of the product. */
export const providerStep: OnboardingStep = {
  show: (scene) => Promise.resolve({ page: pageOf(scene) }),
  actions: { choose },
}

function pageOf(scene: OnboardingScene): string {
  const { connection } = scene
  return providerPage({
    ...viewOf(scene, 'provider'),
    providers: providersOf(connection),
    chosen: connection.state === 'not_initialized' ? null : connection.providerType,
    isFixed: connection.state === 'xml_provided',
  })
}

async function choose(scene: OnboardingScene): Promise<OnboardingOutcome> {
  const { deps, session, connection, field, requestId } = scene
  const providerType = providersOf(connection).find((type) => type === field('provider_type'))
  if (providerType === undefined) return { status: 422, page: pageOf(scene) }
  const isChosen = await chooseProvider(deps, session, connection, { providerType, requestId })
  // It was uploaded for meanwhile: the page says that the choice stands.
  return { goTo: isChosen ? 'tutorial' : 'provider' }
}
