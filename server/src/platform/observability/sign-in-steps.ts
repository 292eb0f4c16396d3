import { logEventCodes, type LogEventCode } from '@portico/contract/log-events'

/** A sign-in as a log event reports it: the method, such as magic_link or saml, and the outcome. */
interface SignInStep {
  readonly method: string
  readonly outcome: 'started' | 'success' | 'failed'
}

const stepCode = /^(?:SSO_)?END_USER_(?<method>[A-Z_]+)_(?<outcome>STARTED|SUCCESS|FAILED)$/

/** The steps of sign-ins by the code of their log event; `sign_in` is a whole sign-in on the pages. */
export const signInSteps: ReadonlyMap<LogEventCode, SignInStep> = new Map(
  Object.keys(logEventCodes).flatMap((code) => {
    const { method, outcome } = stepCode.exec(code)?.groups ?? {}
    if (method === undefined || outcome === undefined) return []
    // The keys of the table are the codes, and the pattern has the three outcomes.
    return [
      [code, { method: method.toLowerCase(), outcome: outcome.toLowerCase() }] as [LogEventCode, SignInStep],
    ]
  }),
)

/** A step of a sign-in that names no organization, up to the proof of the mailbox. */
interface AccountSignInStep {
  readonly step: 'link' | 'proof'
  readonly outcome: 'started' | 'not_offered' | 'success'
}

/** These steps by the code of their log event. */
export const accountSignInSteps: ReadonlyMap<LogEventCode, AccountSignInStep> = new Map<
  LogEventCode,
  AccountSignInStep
>([
  ['ACCOUNT_SIGN_IN_STARTED', { step: 'link', outcome: 'started' }],
  ['ACCOUNT_SIGN_IN_NOT_OFFERED', { step: 'link', outcome: 'not_offered' }],
  ['ACCOUNT_SIGN_IN_PROVED', { step: 'proof', outcome: 'success' }],
])

/** How an organization is entered: at once, on its pages where something is missing, with an error, or not at all. */
export const entrances = ['code', 'page', 'refused', 'not_offered'] as const
export type Entered = (typeof entrances)[number]
