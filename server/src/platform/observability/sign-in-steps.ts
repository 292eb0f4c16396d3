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
