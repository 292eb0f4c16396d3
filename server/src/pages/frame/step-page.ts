import type { Deps } from '../../delivery/deps.js'
import type { AuthorizationAnswer } from '../../directory/sessions/authorization-answer.js'
import type { Flow } from '../../sign-in/flows/flow.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import type { Frame } from './layout.js'

/** The form of a page: its target, and its CSRF field. */
export interface PageForm {
  readonly action: string
  readonly csrf: string
}

/** A request for a page of a flow, from the browser that the flow belongs to. */
export interface StepRequest {
  readonly deps: Deps
  readonly flow: Flow
  /** The caller for operations, without scopes. */
  readonly caller: Caller & Tenant
  readonly frame: Frame
  readonly form: PageForm
  /** A field of the submitted form; '' when it is missing or nothing was submitted. */
  readonly field: (name: string) => string
  /** A parameter of the address. */
  readonly query: (name: string) => string
  /** The social provider by which somebody has signed in last in this browser; undefined without one. */
  readonly lastProvider: string | undefined
  /** By which a passkey is called that this browser makes. */
  readonly userAgent: string | undefined
  /** The IP address of the request, used only for limits. */
  readonly ip: string
}

/**
 * The result of a form: 'moved' redirects to the flow's current page, 'over' says that the flow cannot continue, an answer
 * shows a page with a fault, and a departure ends the flow.
 */
export type StepOutcome = 'moved' | 'over' | StepAnswer | StepDeparture

/** The answer of a flow that has ended, for its application. */
interface StepDeparture {
  readonly answer: AuthorizationAnswer
}

/** A page with a fault. */
export interface StepAnswer {
  readonly status: number
  readonly page: string
  readonly retryAfterSeconds?: number | undefined
}

/**
 * A step of a flow: its page, and the actions of its forms, by the value of their button `action`. A form without an
 * action of the flow's step is refused before it gets here.
 */
export interface StepPage {
  /** Undefined when the flow cannot continue. */
  readonly show: (request: StepRequest) => Promise<string | undefined>
  readonly actions: Readonly<Record<string, (request: StepRequest) => Promise<StepOutcome>>>
}
