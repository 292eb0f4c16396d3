import type { Environment } from '@portico/contract/fields'
import type { ComponentChildren } from 'preact'
import type { CallAnswer, RouteCall } from './call.js'
import type { Screen } from './screen.js'
import type { Language } from './value.js'

/** Somebody who is signed in looks at screens: what they may do, and where they are. */
export interface Visit {
  readonly call: (call: RouteCall) => Promise<CallAnswer>
  /** Whether they may call the route of this name: other buttons are not shown, and their calls are refused. */
  readonly mayCall: (route: string) => boolean
  readonly language: Language
  readonly screens: readonly Screen[]
  /** The address of the environment, such as /console/acme/sandbox. */
  readonly base: string
  /** Of the service, for samples of calls. */
  readonly baseUrl: string
  readonly environment: Environment
  /** Whether they have proved by a second factor within the last 10 minutes that it is them. */
  readonly isProved: boolean
  /** The hidden field of forms. */
  readonly csrf: string
  /** A value that nobody has used before, for the Idempotency-Key of a form. */
  readonly newKey: () => string
}

/** A page without the frame around it. */
export interface Shown {
  readonly status: number
  readonly title: string
  /** The way to the page, from the top. */
  readonly crumbs: readonly Link[]
  readonly content: ComponentChildren
}

export interface Link {
  readonly label: string
  readonly url: string
}

/** Whether a form that needs a proof was asked for, or was sent, too late. */
export type StepUp = 'asked' | 'sent'

/** A page, another address, or the sign-in that an operation asks for first. */
export type Outcome = { readonly page: Shown } | { readonly location: string } | { readonly stepUp: StepUp }
