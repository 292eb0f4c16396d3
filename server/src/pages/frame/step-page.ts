import type { Deps } from '../../delivery/deps.js'
import type { Flow } from '../../sign-in/flows/flow.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import type { Frame } from './layout.js'

/** The form of a page: where it is sent, and what shows that it was ours. */
export interface PageForm {
  readonly action: string
  readonly csrf: string
}

/** A request for a page of a flow, whose browser is known to be the flow's own. */
export interface StepScene {
  readonly deps: Deps
  readonly flow: Flow
  /** As operations know callers: with no scope. */
  readonly caller: Caller & Tenant
  readonly frame: Frame
  readonly form: PageForm
  /** The fields of the form that was sent; empty where the page is only looked at. A field that is missing is ''. */
  readonly field: (name: string) => string
  /** The parameters of the address. */
  readonly query: (name: string) => string
  /** The address that the request came from, for limits alone. */
  readonly ip: string
}

/**
 * What becomes of a form: the flow's page is shown anew, wherever it is by now; a page says what was wrong; or the flow
 * cannot go on.
 */
export type StepOutcome = 'moved' | 'over' | StepAnswer

/** A page that says what was wrong. */
export interface StepAnswer {
  readonly status: number
  readonly page: string
  readonly retryAfterSeconds?: number | undefined
}

/**
 * A step of a flow: its page, and what its forms do, by the value of their button `action`. A form for which the flow's
 * step has no entry is not the next step, and is refused before it gets here.
 */
export interface StepPage {
  /** Undefined when the flow cannot go on. */
  readonly show: (scene: StepScene) => Promise<string | undefined>
  readonly actions: Readonly<Record<string, (scene: StepScene) => Promise<StepOutcome>>>
}
