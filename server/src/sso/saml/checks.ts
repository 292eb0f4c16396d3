import type { SsoCheck } from '@portico/contract/sso-checks'

/** The result of one check, as the login attempt shows it. */
export interface CheckResult {
  readonly name: SsoCheck
  readonly passed: boolean
  /** At most 300 characters each; null where the check's own sentence says it. */
  readonly expected: string | null
  readonly received: string | null
}

/** A failed check: the expected and the received value. Neither reveals more than the sender can know. */
export class CheckRefusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly received: string | null,
    readonly expected: string | null = null,
  ) {
    super(received ?? 'refused')
  }
}

/**
 * Runs one check and records its result.
 *
 * @param work Throws a Refusal, or gives what later checks need.
 * @throws Refusal
 */
export async function runCheck<T>(
  checks: CheckResult[],
  name: SsoCheck,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    const value = await work()
    checks.push({ name, passed: true, expected: null, received: null })
    return value
  } catch (error) {
    if (error instanceof CheckRefusal)
      checks.push({ name, passed: false, expected: cut(error.expected), received: cut(error.received) })
    throw error
  }
}

const maxLength = 300

function cut(value: string | null): string | null {
  return value === null || value.length <= maxLength ? value : `${value.slice(0, maxLength - 1)}…`
}
