import { flowUrl } from '../../sign-in/flows/flow-url.js'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { isOidcRequestOpen } from '../../sso/oidc/request.js'
import { isRequestOpen } from '../../sso/sign-in/start-request.js'
import { identityProviderPage } from '../views/identity-provider.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'

/** Redirects to the identity provider of an SSO connection. */
export const identityProviderStep: StepPage = { show, actions: { change_address: changeAddress } }

async function show({ deps, flow, frame, form }: StepRequest): Promise<string | undefined> {
  const { connectionId } = flow
  if (connectionId === null) return undefined
  const key = { ...flow, connectionId }
  const isAsked =
    (await isRequestOpen(deps, key, flow.flowId)) || (await isOidcRequestOpen(deps, key, flow.flowId))
  const url = `${flowUrl(deps.config.baseUrl, flow.domain, flow.flowId)}/identity-provider`
  return identityProviderPage({ frame, form, url, isAsked })
}

async function changeAddress({ deps, flow }: StepRequest): Promise<StepOutcome> {
  const set = { connection_id: null }
  await moveFlowAlone(deps, flow, { from: ['identity_provider'], to: 'identifier', set })
  return 'moved'
}
