import type { Config } from '../config/config.js'
import type { Outbound, OutboundAnswer } from '../outbound/post.js'
import { discoveryUrlOf, ProviderFault, readDiscovery, type OpenIdProvider } from './provider.js'

/** What OpenID providers say of themselves. */
export interface OpenIdProviders {
  /**
   * The provider of an issuer, as it is at this moment.
   *
   * @throws ProviderFault
   */
  read(issuer: string): Promise<OpenIdProvider>
  /**
   * The same, as it was at most five minutes ago; where it could not be read, ten seconds ago.
   *
   * @throws ProviderFault
   */
  find(issuer: string): Promise<OpenIdProvider>
}

/** What is asked of the servers of providers: that they answer in this time, and no more than this. */
export const providerLimits = { timeoutMs: 5_000, maxAnswerBytes: 256 * 1024 }

const keptMs = 5 * 60 * 1000
/** A provider that was away for a moment is asked again soon, and a server that is none not as often as somebody wants. */
const faultKeptMs = 10 * 1000
/** As many as are in use in one process at a time; the oldest give way. */
const maxKept = 1_000

interface Kept {
  readonly provider: Promise<OpenIdProvider>
  readonly until: number
}

/** Keeps what providers say: whoever begins sign-ins is not to have us ask a provider each time. */
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
    kept.delete(issuer)
    kept.set(issuer, entry)
    const [oldest] = kept.size > maxKept ? kept.keys() : []
    if (oldest !== undefined) kept.delete(oldest)
    provider.catch(() => {
      if (kept.get(issuer) === entry) kept.set(issuer, { provider, until: now().getTime() + faultKeptMs })
    })
    return provider
  }

  return {
    async read(issuer) {
      // Kept once it is there: until then, and where it does not come, what was kept for others stands.
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

/** What a server of a provider has answered, to its end; a redirect is none. */
function wholeBodyOf(answer: OutboundAnswer): string {
  const unreachable = (found: string) =>
    new ProviderFault('issuer_unreachable', `has a discovery document that cannot be read: ${found}`)
  if (answer.outcome !== 'answered') throw unreachable(outcomes[answer.outcome])
  if (answer.status !== 200) throw unreachable(`the answer is ${answer.status}`)
  if (!answer.isWhole) throw unreachable('it does not end within 5 seconds and 256 kB')
  return answer.body
}

/** What there is to say of a server that has not answered; nothing of the network that it is in. */
export const outcomes: Readonly<Record<Exclude<OutboundAnswer['outcome'], 'answered'>, string>> = {
  timed_out: 'no answer within 5 seconds',
  disconnected: 'the connection broke off',
  unreachable: 'no connection: the name, the port or the certificate is not right',
  not_allowed: 'the address may not be connected to',
}
