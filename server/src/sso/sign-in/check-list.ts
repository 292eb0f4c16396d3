import type { SsoCheck } from '@portico/contract/sso-checks'
import type { CheckResult } from '../saml/checks.js'

/** A failed check, which ends the sign-in. The results up to it are in the login attempt. */
export class CheckRefused extends Error {
  override readonly name = 'CheckRefused'

  constructor(readonly check: SsoCheck) {
    super(`refused by the check ${check}`)
  }
}

/** The results of the checks of one sign-in, in the order in which they are made. */
export interface CheckList {
  readonly results: CheckResult[]
}

/**
 * Makes a check that may have been made before: an earlier result stands where it is met again, and is replaced where it is not.
 *
 * @throws CheckRefused when it is not met
 */
export function assertCheckStill(
  checks: CheckList,
  name: SsoCheck,
  isMet: boolean,
  finding: Finding = {},
): asserts isMet {
  const at = checks.results.findIndex((result) => result.name === name)
  if (isMet && at !== -1) return
  if (at !== -1) checks.results.splice(at, 1)
  assertCheck(checks, name, isMet, finding)
}

/** What a check expected and received, for the login attempt. */
interface Finding {
  readonly expected?: string | null
  readonly received?: string | null
}

/**
 * Makes a check and adds its result to the list.
 *
 * @throws CheckRefused when it is not met
 */
export function assertCheck(
  { results }: CheckList,
  name: SsoCheck,
  isMet: boolean,
  { expected = null, received = null }: Finding = {},
): asserts isMet {
  results.push({ name, passed: isMet, expected, received })
  if (!isMet) throw new CheckRefused(name)
}
