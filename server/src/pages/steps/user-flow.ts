import type { EnrollingFlow } from '../../sign-in/totp/replace-recovery-codes.js'
import type { Frame } from '../frame/layout.js'
import type { StepScene } from '../frame/step-page.js'

/** The flow with the user who has passed a first factor in it; undefined where there is none, which no step leads to. */
export function userFlowOf({ flow }: Pick<StepScene, 'flow'>): EnrollingFlow | undefined {
  return flow.userId === null ? undefined : { ...flow, userId: flow.userId }
}

/** The frame of a page that the answer to a form alone shows, so that no link may lead to it again. */
export function onceShown(frame: Frame): Frame {
  return { ...frame, url: undefined }
}
