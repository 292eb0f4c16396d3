import type { Config } from '../config/config.js'
import type { Outbound, OutboundAnswer } from '../outbound/post.js'
import { keepRecentlyUsed } from '../recently-used.js'
import { discoveryUrlOf, ProviderFault, readDiscovery, type OpenIdProvider } from './provider.js'

/** The metadata of OpenID providers. */
export interface OpenIdProviders {
  /**
   * The provider of an issuer, read anew.
   *
   * @throws ProviderFault
   */
  read(issuer: string): Promise<OpenIdProvider>
  /**
   * The same, at most five minutes old; a failure, at most ten seconds.
   *
   * @throws ProviderFault
   */
  find(issuer: string): Promise<OpenIdProvider>
}

/** Limits of an answer from a provider's server. */
export const providerLimits = { timeoutMs: 5_000, maxAnswerBytes: 256 * 1024 }

const keptMs = 5 * 60 * 1000
/** Short for a provider that recovers, and long enough that sign-ins do not make us query a missing server each time. */
const faultKeptMs = 10 * 1000
/** More than one process uses at a time. */
const maxKept = 1_000

interface Kept {
  readonly provider: Promise<OpenIdProvider>
  readonly until: number
}

/** Caches the metadata of providers, so that beginning a sign-in does not query a provider each time. */
export function openOpenIdProviders({
  config,
  outbound,
  now,
}: {
  readonly config: Config
  readonly outbound: Outbound
  readonly now: () => Date
}): OpenIdProviders {
  const kept = new Map<string, Kept>()

  async function read(issuer: string): Promise<OpenIdProvider> {
    const url = discoveryUrlOf(issuer, config.outbound)
    const answer = await outbound.get({ url, headers: { accept: 'application/json' }, ...providerLimits })
    return readDiscovery(issuer, wholeBodyOf(answer))
  }

  function keep(issuer: string, provider: Promise<OpenIdProvider>): Promise<OpenIdProvider> {
    const entry: Kept = { provider, until: now().getTime() + keptMs }
    keepRecentlyUsed(kept, issuer, entry, maxKept)
    provider.catch(() => {
      if (kept.get(issuer) === entry) kept.set(issuer, { provider, until: now().getTime() + faultKeptMs })
    })
    return provider
  }

  return {
    async read(issuer) {
      // Cached once it has arrived: until then, and after a failure, the earlier entry stays.
      return keep(issuer, Promise.resolve(await read(issuer)))
    },
    find(issuer) {
      const found = kept.get(issuer)
      return found !== undefined && found.until > now().getTime()
        ? found.provider
        : keep(issuer, read(issuer))
    },
  }
}

/** The whole body of a provider's answer; a redirect is a failure. */
function wholeBodyOf(answer: OutboundAnswer): string {
  const unreachable = (found: string) =>
    new ProviderFault('issuer_unreachable', `has a discovery document that cannot be read: ${found}`)
  if (answer.outcome !== 'answered') throw unreachable(outcomes[answer.outcome])
  if (answer.status !== 200) throw unreachable(`the answer is ${answer.status}`)
  if (!answer.isWhole) throw unreachable('it does not end within 5 seconds and 256 kB')
  return answer.body
}

/** Messages for a server that has not answered, without details of its network. */
export const outcomes: Readonly<Record<Exclude<OutboundAnswer['outcome'], 'answered'>, string>> = {
  timed_out: 'no answer within 5 seconds',
  disconnected: 'the connection broke off',
  unreachable: 'no connection: the name, the port or the certificate is not right',
  not_allowed: 'the address may not be connected to',
}
