import type { SsoCheck } from '@portico/contract/sso-checks'
import type { CheckResult } from '../saml/checks.js'

/** A check that has refused a sign-in, which ends there: what was checked until then is in the trace. */
export class CheckRefused extends Error {
  override readonly name = 'CheckRefused'

  constructor(readonly check: SsoCheck) {
    super(`refused by the check ${check}`)
  }
}

/** The checks of one sign-in, in the order in which they are made. */
export interface CheckList {
  readonly results: CheckResult[]
}

/**
 * Makes a check once more that was met when the response came; what it has found now stands in its trace.
 *
 * @throws CheckRefused when it is not met any more
 */
export function demandStill(
  checks: CheckList,
  name: SsoCheck,
  isMet: boolean,
  finding: Finding,
): asserts isMet {
  if (isMet) return
  const at = checks.results.findIndex((result) => result.name === name)
  if (at !== -1) checks.results.splice(at, 1)
  demand(checks, name, isMet, finding)
}

/** What a check has found, for its trace. */
export interface Finding {
  readonly expected?: string | null
  readonly received?: string | null
}

/**
 * Makes a check, and notes how it ended.
 *
 * @throws CheckRefused when it is not met
 */
export function demand(
  { results }: CheckList,
  name: SsoCheck,
  isMet: boolean,
  { expected = null, received = null }: Finding = {},
): asserts isMet {
  results.push({ name, passed: isMet, expected, received })
  if (!isMet) throw new CheckRefused(name)
}
