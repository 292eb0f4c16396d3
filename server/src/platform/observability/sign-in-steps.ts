import { logEventCodes, type LogEventCode } from '@portico/contract/log-events'

/** What a log event tells of a sign-in: the way, such as magic_link or saml, and whether it began, was right or failed. */
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
