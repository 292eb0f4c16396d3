import { unlessAborted } from './clock.js'

/** A token as it was issued. */
export interface IssuedToken {
  readonly value: string
  readonly lifetimeSeconds: number
}

export interface AccessTokens {
  /** A token that is not about to expire. Concurrent calls share one request; the signal ends only the caller's wait. */
  get(signal?: AbortSignal): Promise<string>
  /** Discards a token that the service refused, unless it is already replaced. */
  discard(token: string): void
}

/** Caches one token, and renews it a minute before it expires, or a tenth of its lifetime if that is less. */
export function createAccessTokens(issue: () => Promise<IssuedToken>, now: () => number): AccessTokens {
  let current: { readonly value: string; readonly renewAt: number } | undefined
  let renewal: Promise<string> | undefined

  async function renew(): Promise<string> {
    const askedAt = now()
    const { value, lifetimeSeconds } = await issue()
    const marginSeconds = Math.min(60, lifetimeSeconds / 10)
    current = { value, renewAt: askedAt + (lifetimeSeconds - marginSeconds) * 1000 }
    return value
  }

  return {
    async get(signal) {
      if (current && now() < current.renewAt) return current.value
      renewal ??= renew().finally(() => {
        renewal = undefined
      })
      return unlessAborted(renewal, signal)
    },
    discard(token) {
      if (current?.value === token) current = undefined
    },
  }
}
