import type { EnrollingFlow } from '../../sign-in/totp/replace-recovery-codes.js'
import type { Frame } from '../frame/layout.js'
import type { StepRequest } from '../frame/step-page.js'

/** The flow with the user of its first factor; undefined when it has none, which no step allows. */
export function userFlowOf({ flow }: Pick<StepRequest, 'flow'>): EnrollingFlow | undefined {
  return flow.userId === null ? undefined : { ...flow, userId: flow.userId }
}

/** The frame of a page that only the answer to a form shows, so that no link leads to it. */
export function onceShown(frame: Frame): Frame {
  return { ...frame, url: undefined }
}
