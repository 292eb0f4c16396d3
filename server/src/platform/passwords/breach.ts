import { createHash } from 'node:crypto'
import type { Config } from '../config/config.js'
import type { Metrics } from '../observability/metrics.js'

/** A user waits for the answer. */
const timeoutMs = 800
/** Characters of the digest that are sent: hundreds of leaked passwords share them, which hides the one that is meant. */
const prefixLength = 5

/** Tells whether a password is among those of known breaches. */
interface BreachChecker {
  /** False also when the answer is not known. */
  isBreached(plainText: string): Promise<boolean>
}

/**
 * Queries a service with the API of Have I Been Pwned: GET /range/<first five characters of the SHA-1>, answered by the
 * rest of each matching digest with a count. Without an address nothing is queried. A service that does not answer is
 * counted as a failure and refuses no password.
 */
export function openBreachChecker(
  { breachCheckUrl }: Pick<Config, 'breachCheckUrl'>,
  metrics: Pick<Metrics, 'breachChecks'>,
): BreachChecker {
  for (const outcome of ['clean', 'breached', 'failed']) metrics.breachChecks.inc({ outcome }, 0)
  if (breachCheckUrl === undefined) return { isBreached: () => Promise.resolve(false) }
  const base = breachCheckUrl.replace(/\/+$/, '')
  return {
    async isBreached(plainText) {
      const digest = createHash('sha1').update(plainText, 'utf8').digest('hex').toUpperCase()
      const lines = await rangeOf(base, digest.slice(0, prefixLength))
      const isBreached = lines?.some((line) => isCountOf(line, digest.slice(prefixLength))) ?? false
      metrics.breachChecks.inc({
        outcome: lines === undefined ? 'failed' : isBreached ? 'breached' : 'clean',
      })
      return isBreached
    },
  }
}

/** The lines of the answer; undefined without one. */
async function rangeOf(base: string, prefix: string): Promise<string[] | undefined> {
  try {
    const answer = await fetch(`${base}/${prefix}`, {
      // Padded answers, so that an observer of the connection cannot infer the range.
      headers: { 'Add-Padding': 'true' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return answer.ok ? (await answer.text()).split(/\r?\n/) : undefined
  } catch {
    return undefined
  }
}

/** Lines that only pad the answer have a count of 0. */
function isCountOf(line: string, rest: string): boolean {
  const [suffix = '', count = '0'] = line.split(':')
  return suffix.trim().toUpperCase() === rest && Number(count) > 0
}
