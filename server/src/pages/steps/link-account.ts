import { findSignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import { findArrival } from '../../sign-in/flows/social-arrival.js'
import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { findRequestOptions, type PasskeyProof } from '../../sign-in/passkeys/prove-passkey.js'
import { signInByPasskey } from '../../sign-in/passkeys/sign-in.js'
import { findOpenProvider } from '../../sso/social/open-providers.js'
import { linkAccountPage } from '../views/link-account.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { mailLink, takePassword } from './password.js'
import { proveSentPasskey } from './sent-passkey.js'

/** The address that a social provider has named is a user's here, who signs in to link the two. */
export const linkAccountStep: StepPage = {
  show: (request) => page(request),
  actions: {
    password: (request) => takePassword(request, page),
    mail_link: (request) => mailLink(request, 'sign_in', page),
    forgot_password: (request) => mailLink(request, 'password', page),
    passkey,
    change_address: changeAddress,
  },
}

/** Signs in by a passkey of the user whose address it is; one of somebody else proves nothing of them. */
async function passkey(request: StepRequest): Promise<StepOutcome> {
  const { deps, caller, flow } = request
  const arrival = await findArrival(deps, deps.db, flow)
  const proof = await proveSentPasskey(request)
  const isOwn = 'refused' in proof || proof.proved.userId === arrival?.userId
  const refused = await signInByPasskey(deps, caller, flow, isOwn ? proof : ofSomebodyElse)
  if (refused === undefined || refused === 'flow_over') return 'moved'
  const next = { ...request, flow: { ...flow, passkeyAttempt: flow.passkeyAttempt + 1 } }
  const shown = await page(next, { fault: 'passkey_refused' })
  return shown === undefined ? 'over' : { status: 422, page: shown }
}

const ofSomebodyElse: PasskeyProof = { refused: 'passkey_wrong' }

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
  const { hasPassword, hasLink, hasPasskey } = await findSignInMethods(deps, flow)
  return linkAccountPage({
    ...{ frame, form, hasPassword, hasLink },
    email: flow.email,
    provider: provider?.displayName ?? '',
    passkeyOptions: hasPasskey ? findRequestOptions(deps, flow, form.csrf) : undefined,
    ...wrong,
  })
}
