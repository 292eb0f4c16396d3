import { unlessAborted } from './clock.js'

/** A token as it was issued. */
export interface IssuedToken {
  readonly value: string
  readonly lifetimeSeconds: number
}

export interface AccessTokens {
  /** A token with some time left. Concurrent calls wait for one request; the signal ends the waiting alone. */
  get(signal?: AbortSignal): Promise<string>
  /** Forgets a token that the service refused, unless another has taken its place. */
  discard(token: string): void
}

/** Keeps one token and renews it a minute, or a tenth of its life if that is less, before it expires. */
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
