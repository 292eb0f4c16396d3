import type { Environment } from '@portico/contract/fields'
import type { SsoCheck } from '@portico/contract/sso-checks'
import type { LiveConnection } from './live-connection.js'

/** The organization and environment whose page a browser sees. */
export interface PageOf {
  /** Of the organization. */
  readonly domain: string
  readonly environment: Environment
}

/** The next address of a browser that an identity provider has sent back, as the end of a sign-in decides it. */
export type SsoOutcome =
  /** There is no such connection. */
  | { readonly to: 'nowhere' }
  /** The handle is unknown, consumed or expired. */
  | (PageOf & { readonly to: 'over' })
  /** The flow, at its current step. */
  | (PageOf & { readonly to: 'flow'; readonly flowId: string })
  /** The identity provider, which is asked because its response answered no request. */
  | (PageOf & { readonly to: 'identity_provider'; readonly flowId: string })
  | EndPage

/** A page at which a sign-in ends without a flow. */
export type EndPage =
  /** The page of the administrator's test, which shows the login attempt. */
  | (PageOf & { readonly to: 'test'; readonly attemptId: string })
  /** With the flow that has asked, whose own browser may go back to it. */
  | (PageOf & { readonly to: 'refused'; readonly flowId?: string | undefined })
  /** The identity provider knows the person by another address than the one that was invited. */
  | (PageOf & { readonly to: 'other_address'; readonly flowId?: string | undefined } & OtherAddress)

export interface OtherAddress {
  readonly asserted: string
  readonly invited: string
}

/** Checks that fail where the browser is another one than the administrator's. */
const browserChecks: readonly (SsoCheck | undefined)[] = ['browser', 'oidc_browser']

/** Chooses the page that ends a test or a refused sign-in. The reason is shown in an administrator's own test only. */
export function endPageOf(
  { domain, environment }: LiveConnection,
  end: {
    readonly isTest: boolean
    readonly failed: SsoCheck | undefined
    /** Undefined where the attempt is not kept. */
    readonly attemptId: string | undefined
    readonly flowId?: string | undefined
    readonly other?: OtherAddress | undefined
  },
): EndPage {
  const { isTest, failed, attemptId, flowId, other } = end
  if (other !== undefined) return { domain, environment, to: 'other_address', flowId, ...other }
  return isTest && attemptId !== undefined && !browserChecks.includes(failed)
    ? { domain, environment, to: 'test', attemptId }
    : { domain, environment, to: 'refused', flowId }
}
