import type { Deps } from '../../delivery/deps.js'
import type { OwnAccount } from '../../sign-in/own-account/own-account.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import type { Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'

/** A request for a section of the account page, from the browser of its user. */
export interface SectionRequest {
  readonly deps: Deps
  /** The caller for operations, without scopes. */
  readonly tenant: Caller & Tenant
  readonly session: SessionOfUser
  readonly account: OwnAccount
  readonly frame: Frame
  readonly form: PageForm
  /** A field of the submitted form; '' when it is missing or nothing was submitted. */
  readonly field: (name: string) => string
  /** What is stored of the user. */
  readonly exportOwnData: ExportOwnData
  /** By which a passkey is called that this browser makes. */
  readonly userAgent: string | undefined
  /** Used only for limits. */
  readonly ip: string
  /** Whether a change was made, which the page says. */
  readonly isDone: boolean
  /** How a visit to a social provider has ended that was to link it; '' of other requests. */
  readonly linkOutcome: string
}

/**
 * The result of a form: `done` shows the section again, `stale` begins a sign-in, `signed_out` says that the session of this
 * browser has ended, `deleted` that the account has, and an answer is a page.
 */
export type SectionOutcome = 'done' | 'stale' | 'signed_out' | 'deleted' | SectionAnswer | SectionFile

/** Reads what is stored of a user: an operation of a room above this one. */
export type ExportOwnData = (tenant: Tenant, userId: string) => Promise<object | undefined>

/** A file that the browser keeps. */
export interface SectionFile {
  readonly fileName: string
  readonly json: string
}

export interface SectionAnswer {
  readonly status: number
  readonly page: string
  readonly retryAfterSeconds?: number | undefined
}

/** A section: its page, and the actions of its forms, by the value of their button `action`. */
export interface Section {
  /** Whether it is shown to a fresh session alone. The operations check that, too. */
  readonly needsFresh: boolean
  /** Its actions that a session takes which is not fresh any more. */
  readonly actionsAnytime?: readonly string[]
  readonly show: (request: SectionRequest) => Promise<string>
  readonly actions: Readonly<Record<string, (request: SectionRequest) => Promise<SectionOutcome>>>
}
