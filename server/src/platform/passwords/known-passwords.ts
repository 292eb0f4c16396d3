import type { Config } from '../config/config.js'
import type { Metrics } from '../observability/metrics.js'
import { openBreachChecker } from './breach.js'
import { openCommonPasswords } from './common-passwords.js'

/** Passwords that attackers try first. */
export interface KnownPasswords {
  /** Whether a password is a common one, or of a known breach. */
  isKnown(plainText: string): Promise<boolean>
}

export function openKnownPasswords(
  config: Pick<Config, 'breachCheckUrl'>,
  metrics: Pick<Metrics, 'breachChecks'>,
): KnownPasswords {
  const isCommon = openCommonPasswords()
  const breaches = openBreachChecker(config, metrics)
  return {
    isKnown: async (plainText) => isCommon(plainText) || (await breaches.isBreached(plainText)),
  }
}
