import { z } from 'zod/v4'
import { ClientKey } from '@portico/contract/client-authentication'
import type { Deps } from '../../delivery/deps.js'
import { keepRecentlyUsed } from '../../platform/recently-used.js'

/** Limits of an answer from an application's server. */
const answerLimits = { timeoutMs: 5_000, maxAnswerBytes: 64 * 1024 }

const keptMs = 15 * 60 * 1000
/** How soon a key set is read again for a key that it lacks, or after a failure: strangers can ask for either. */
const pauseMs = 60 * 1000
const maxKept = 1_000

const KeySet = z.object({ keys: z.array(z.unknown()) })

interface Kept {
  readonly keys: Promise<readonly ClientKey[]>
  readonly readAt: number
}

/**
 * Makes the function that finds the public keys at the jwks_uri of an application (RFC 7517 section 5): those of the last quarter of
 * an hour, or newer ones where these lack the key. Without a usable answer there are none.
 */
export function clientKeySets({ outbound, now, log }: Pick<Deps, 'outbound' | 'now' | 'log'>) {
  const kept = new Map<string, Kept>()

  async function read(url: string): Promise<readonly ClientKey[]> {
    const answer = await outbound.get({ url, headers: { accept: 'application/json' }, ...answerLimits })
    const isUsable = answer.outcome === 'answered' && answer.status === 200 && answer.isWhole
    const keys = isUsable ? readKeySet(answer.body) : undefined
    if (keys === undefined)
      log.info({ outcome: answer.outcome }, 'the key set of an application cannot be read')
    return keys ?? []
  }

  function keep(url: string, at: number): Kept {
    return keepRecentlyUsed(kept, url, { keys: read(url), readAt: at }, maxKept)
  }

  /** @param isMeant Whether a key may be the one that is sought. */
  return async function findKeys(
    url: string,
    isMeant: (key: ClientKey) => boolean,
  ): Promise<readonly ClientKey[]> {
    const at = now().getTime()
    const known = kept.get(url)
    const isFresh = known !== undefined && at - known.readAt < keptMs
    const entry = isFresh ? known : keep(url, at)
    const found = (await entry.keys).filter(isMeant)
    if (found.length > 0 || at - entry.readAt < pauseMs) return found
    return (await keep(url, at).keys).filter(isMeant)
  }
}

/** The keys of a set that we can use; undefined where it is none. */
function readKeySet(text: string): ClientKey[] | undefined {
  try {
    const { data } = KeySet.safeParse(JSON.parse(text))
    return data?.keys.flatMap((key) => ClientKey.safeParse(key).data ?? [])
  } catch {
    return undefined
  }
}
