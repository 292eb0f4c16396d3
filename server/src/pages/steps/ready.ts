import { readyPage } from '../views/ready.js'
import type { StepPage } from '../frame/step-page.js'

/** Where nothing more is asked. A form that brings a flow here ends it; the page is for who comes in another way. */
export const readyStep: StepPage = {
  show: ({ frame, form, flow: { applicationName } }) =>
    Promise.resolve(readyPage({ frame, form, applicationName })),
  actions: { finish: () => Promise.resolve('moved') },
}
