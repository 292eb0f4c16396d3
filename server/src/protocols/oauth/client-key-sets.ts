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

/** The keys of an answer, and when it was asked for. */
interface KeysAt {
  readonly keys: readonly ClientKey[]
  readonly readAt: number
}

interface Kept {
  /** The last keys that were read; also where a later attempt has failed. */
  readonly last: Promise<KeysAt>
  readonly triedAt: number
}

/**
 * Makes the function that finds the public keys at the jwks_uri of an application (RFC 7517 section 5): those of the last quarter of
 * an hour, or newer ones where these lack the key. An attempt that fails leaves them as they are.
 */
export function clientKeySets({ outbound, now, log }: Pick<Deps, 'outbound' | 'now' | 'log'>) {
  const kept = new Map<string, Kept>()

  async function read(url: string): Promise<readonly ClientKey[] | undefined> {
    const answer = await outbound.get({ url, headers: { accept: 'application/json' }, ...answerLimits })
    const isUsable = answer.outcome === 'answered' && answer.status === 200 && answer.isWhole
    const keys = isUsable ? readKeySet(answer.body) : undefined
    if (keys === undefined)
      log.info({ outcome: answer.outcome }, 'the key set of an application cannot be read')
    return keys
  }

  async function readOr(url: string, at: number, fresh: KeysAt | undefined): Promise<KeysAt> {
    const keys = await read(url)
    return keys === undefined ? (fresh ?? { keys: [], readAt: at }) : { keys, readAt: at }
  }

  /** @param isMeant Whether a key may be the one that is sought. */
  return async function findKeys(
    url: string,
    isMeant: (key: ClientKey) => boolean,
  ): Promise<readonly ClientKey[]> {
    const known = kept.get(url)
    const last = await known?.last
    // Another request may have begun to read it again.
    if (kept.get(url) !== known) return findKeys(url, isMeant)
    const at = now().getTime()
    const fresh = last !== undefined && at - last.readAt < keptMs ? last : undefined
    const found = fresh?.keys.filter(isMeant) ?? []
    const isTried = fresh !== undefined && known !== undefined && at - known.triedAt < pauseMs
    if (found.length > 0 || isTried) return found
    const again = { last: readOr(url, at, fresh), triedAt: at }
    keepRecentlyUsed(kept, url, again, maxKept)
    return (await again.last).keys.filter(isMeant)
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
