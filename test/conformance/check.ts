import type { Fault } from './fault.js'
import type { ClientSide, Issuer, Scene } from './provider.js'

/** The word of the specification. A check that does not pass is a failure for must, and a warning for the others. */
export type Level = 'must' | 'should' | 'may'

interface Described {
  /** The id of the certification suite's module, with the name of its condition after a slash; else of our own. */
  readonly id: string
  /** The specification and its section. */
  readonly source: string
  readonly level: Level
  /** Why the service may give this warning; the check then fails the run when it passes. */
  readonly allowed?: string
  /** It moves the clock of the service, so it runs when no other does. */
  readonly isAlone?: true
  /** An edit of the answers with which the check must not pass; of an allowed warning, one with which it passes. */
  readonly fault: Fault
}

/**
 * One rule of a specification, and the requests that show whether a provider keeps it. What a check needs decides where
 * it can run: an issuer alone is enough for another provider, a registered client for its refusals, and a user is what
 * only the service under test has.
 */
export type Check = Described &
  (
    | { readonly needs: 'issuer'; readonly run: (at: Issuer) => Promise<void> }
    | { readonly needs: 'client'; readonly run: (at: ClientSide) => Promise<void> }
    | { readonly needs: 'user'; readonly run: (at: Scene) => Promise<void> }
  )

/** The checks of one certification plan or of related specifications. */
export interface Group {
  readonly title: string
  readonly checks: readonly Check[]
  /** The number below which checks have been lost. */
  readonly least: number
}
