import { moveFlowAlone } from '../../sign-in/flows/step.js'
import { findSignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import { mailLinkOfFlow } from '../../sign-in/magic-link/flow-link.js'
import type { LinkPurpose } from '../../platform/link-purpose.js'
import { signInByPassword } from '../../sign-in/password/sign-in.js'
import { passwordPage } from '../views/password.js'
import { guess } from './guess.js'
import { waitOf } from './limit.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'

/** Asks for the password of the address. */
export const passwordStep: StepPage = {
  show: (scene) => page(scene),
  actions: {
    password,
    mail_link: (scene) => mail(scene, 'sign_in'),
    forgot_password: (scene) => mail(scene, 'password'),
    change_address: changeAddress,
  },
}

/** Longer input cannot be a password, and is refused before it is hashed. */
const maxPasswordBytes = 4096

async function password(scene: StepRequest): Promise<StepOutcome> {
  const { deps, caller, flow } = scene
  const plainText = scene.field('password')
  if (flow.email === null) return 'over'
  if (plainText === '') return refuse(scene, 422, { fault: 'missing' })
  if (Buffer.byteLength(plainText) > maxPasswordBytes) return refuse(scene, 422, { fault: 'wrong' })
  try {
    const ofAddress = { ...flow, email: flow.email }
    const { isPassed, limit } = await guess(
      scene,
      () => signInByPassword(deps, caller, ofAddress, plainText),
      (outcome) => outcome.isPassed,
    )
    const { retryAfterSeconds } = limit
    // All refusals have one text: a locked address looks like a wrong password.
    return isPassed ? 'moved' : await refuse(scene, 422, { fault: 'wrong' }, retryAfterSeconds)
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return refuse(scene, 429, { fault: 'too_many', ...wait }, wait.retryAfterSeconds)
  }
}

async function mail(scene: StepRequest, purpose: LinkPurpose): Promise<StepOutcome> {
  const { deps, caller, flow, ip } = scene
  if (flow.email === null) return 'over'
  try {
    await mailLinkOfFlow(deps, caller, { flow, email: flow.email, purpose, ip })
    return 'moved'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return refuse(scene, 429, { fault: 'too_many_mails', ...wait }, wait.retryAfterSeconds)
  }
}

async function changeAddress({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await moveFlowAlone(deps, flow, { from: ['password'], to: 'identifier' })
  return 'moved'
}

type Wrong = Partial<Pick<Parameters<typeof passwordPage>[0], 'fault' | 'retryAfterSeconds'>>

async function refuse(scene: StepRequest, status: number, wrong: Wrong, retryAfterSeconds?: number) {
  return { status, page: await page(scene, wrong), retryAfterSeconds }
}

async function page(scene: StepRequest, wrong: Wrong = {}): Promise<string> {
  const { deps, frame, form, flow } = scene
  const { hasLink: mayMailLink } = await findSignInMethods(deps, flow)
  const isPasswordNew = scene.query('password') === 'new'
  const email = flow.email ?? ''
  return passwordPage({ frame, form, email, mayMailLink, isPasswordNew, fault: undefined, ...wrong })
}
