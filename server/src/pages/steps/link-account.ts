import { findSignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import { findArrival } from '../../sign-in/flows/social-arrival.js'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { findOpenProvider } from '../../sso/social/open-providers.js'
import { linkAccountPage } from '../views/link-account.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { mailLink, takePassword } from './password.js'

/** The address that a social provider has named is a user's here, who signs in to link the two. */
export const linkAccountStep: StepPage = {
  show: (request) => page(request),
  actions: {
    password: (request) => takePassword(request, page),
    mail_link: (request) => mailLink(request, 'sign_in', page),
    forgot_password: (request) => mailLink(request, 'password', page),
    change_address: changeAddress,
  },
}

async function changeAddress({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await moveFlowAlone(deps, flow, { from: ['link_account'], to: 'identifier' })
  return 'moved'
}

type Wrong = Partial<Pick<Parameters<typeof linkAccountPage>[0], 'fault' | 'retryAfterSeconds'>>

/** Undefined where no identity waits any more. */
async function page(request: StepRequest, wrong: Wrong = {}): Promise<string | undefined> {
  const { deps, frame, form, flow } = request
  const arrival = await findArrival(deps, deps.db, flow)
  if (arrival === undefined || flow.email === null) return undefined
  const provider = await findOpenProvider(deps.db, flow, arrival.providerId)
  const { hasPassword, hasLink } = await findSignInMethods(deps, flow)
  return linkAccountPage({
    ...{ frame, form, hasPassword, hasLink },
    email: flow.email,
    provider: provider?.displayName ?? '',
    ...wrong,
  })
}
