import { flowUrl } from '../../sign-in/flows/flow-url.js'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { findOpenProvider } from '../../sso/social/open-providers.js'
import { isSocialRequestOpen } from '../../sso/social/request.js'
import { socialProviderPage } from '../views/social-provider.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'

/** Redirects to a social provider. */
export const socialProviderStep: StepPage = { show, actions: { change_address: changeAddress } }

async function show({ deps, flow, frame, form }: StepRequest): Promise<string | undefined> {
  const { socialProviderId: providerId } = flow
  if (providerId === null) return undefined
  const provider = await findOpenProvider(deps.db, flow, providerId)
  const isAsked = await isSocialRequestOpen(deps, { ...flow, providerId }, { flowId: flow.flowId })
  const url = `${flowUrl(deps.config.baseUrl, flow.domain, flow.flowId)}/social`
  return socialProviderPage({ frame, form, url, isAsked, provider: provider?.displayName ?? '' })
}

async function changeAddress({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await moveFlowAlone(deps, flow, { from: ['social_provider'], to: 'identifier' })
  return 'moved'
}
