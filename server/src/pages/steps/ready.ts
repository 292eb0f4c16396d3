import { readyPage } from '../views/ready.js'
import type { StepPage } from '../frame/step-page.js'

/** The last step. A form that completes a flow ends it; the page is for flows that are completed elsewhere. */
export const readyStep: StepPage = {
  show: ({ frame, form, flow: { applicationName } }) =>
    Promise.resolve(readyPage({ frame, form, applicationName })),
  actions: { finish: () => Promise.resolve('moved') },
}
